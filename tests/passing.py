"""Tests that a machine cannot answer: only a missing piece of hardware is passed by in CI, each
by its name.
"""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import NoReturn

import pytest

from assay.platforms.host.kvm_support import processor_flags


class Hardware(StrEnum):
    """What a machine may lack for a test."""

    KVM = "no KVM"
    PMU = "no performance counters"
    NUMA = "one NUMA node"
    PROCESSORS = "one processor"
    GIBIBYTE = "no 1 GiB of memory in one piece, even with all caches dropped"
    AMX = "a processor with AMX, whose registers user-mode Linux 6.1 cannot keep"


def lack(missing: Hardware, seen: str) -> NoReturn:
    """Skip the test that calls for want of hardware; ``seen`` says by what that is known."""
    pytest.skip(f"{missing}: {seen}")


def needs_small_registers() -> None:
    """Skip the test that calls where user-mode Linux stops at its first process (``new_thread_handler``)."""
    if "amx_tile" in processor_flags(Path("/proc/cpuinfo").read_text()):
        lack(Hardware.AMX, "amx_tile among the flags of /proc/cpuinfo")


def pass_by(reason: str) -> NoReturn:
    """Skip the test that calls for a developer; with ``CI`` set fail it, since a bare machine can
    answer it.
    """
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)
