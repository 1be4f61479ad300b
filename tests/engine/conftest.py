"""Fixtures of the engine's tests."""

from __future__ import annotations

import logging

import pytest
import structlog


@pytest.fixture
def quiet():
    """Thousands of members say nothing."""
    before = structlog.get_config()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    yield
    structlog.configure(**before)
