"""Tests that a machine cannot answer: only a missing piece of hardware is passed by in CI, each by its name."""

from __future__ import annotations

import os
from enum import StrEnum
from typing import NoReturn

import pytest


class Hardware(StrEnum):
    """What a machine may lack for a test."""

    KVM = "no KVM"
    PMU = "no performance counters"
    NUMA = "one NUMA node"
    PROCESSORS = "one processor"


def lack(missing: Hardware, seen: str) -> NoReturn:
    """Skip the test that calls for want of hardware; ``seen`` says by what that is known."""
    pytest.skip(f"{missing}: {seen}")


def pass_by(reason: str) -> NoReturn:
    """Skip the test that calls for a developer; with ``CI`` set fail it, since a bare machine can answer it."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)
