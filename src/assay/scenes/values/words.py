"""The words of scene files: those of now beside their kind, those of later to be told apart from mistakes."""

from __future__ import annotations

OF_MACHINES = frozenset(
    ["cpu.quota", "memory.limit", "disk.read-limit", "disk.write-limit", "page-cache", "pause"]
)
"""Factors of a machine as treatment; the others are the catalogue's (``factors``)."""

RUNSC_PLATFORMS = ("ptrace", "kvm", "systrap")
"""How gVisor catches system calls. Source: https://gvisor.dev/docs/architecture_guide/platforms/."""

BOOT, RESTORED = "boot", "restored"
STARTS = (BOOT, RESTORED)
"""How a visit gets its guest: it boots, or comes from a saved state of one that has booted."""

AS_IS = "as-is"
CACHE_STATES = ("cold", "warm", "read-ahead")

LATER = frozenset(
    [
        "machines",
        "platforms",
        "guests",
        "environment",
        "setup-once",
    ]
)
"""Words of the design that this version refuses, so that nobody believes that they were obeyed."""

NOT_YET = "not yet known in this version"
