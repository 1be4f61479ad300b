"""One plain client that reads the topics afterwards and says whether every promise was kept."""

from __future__ import annotations

from tests.broker.check.client import check

__all__ = ["check"]
