"""Scenarios of `drive.py` as fixtures."""

from __future__ import annotations

import time

import pytest

from tests.broker.faults.drive import drive


@pytest.fixture
def run(kafka, tmp_path):
    """Run a scenario on the product with topics of its own."""

    async def run(scenario, seed, **options):
        name = f"{scenario}-{seed}-{time.time_ns() % 10**9}"
        given = {"kind": "product", "rate": 250} | options
        return await drive(scenario, name, seed, bootstrap=kafka, folder=tmp_path, **given)

    return run
