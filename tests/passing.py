"""Tests that a machine cannot answer: passed by for a developer, failed in CI, where nothing is passed by."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest


def pass_by(reason: str) -> NoReturn:
    """Skip the test that calls, or with ``CI`` set fail it."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)
