"""Ports of this folder's brokers, in a block of their own."""

from __future__ import annotations

from tests.ports import claim_block

FIRST = claim_block()[0]
BROKER, STARTER, REFUSALS, ADMIN = FIRST, FIRST + 10, FIRST + 30, FIRST + 50
