"""The words of scene files: those of now beside their kind, those of later to be told apart from mistakes."""

from __future__ import annotations

DISK_CACHES = ("none", "writeback", "writethrough", "directsync", "unsafe")
"""libvirt's cache modes. Source: https://libvirt.org/formatdomain.html, ``driver/@cache``."""

FACTORS = {"cpu.vcpus": "platform: guest", "memory.size": "platform: guest", "disk.cache": "platform: guest",
           "cpu.quota": "machine: NAME", "memory.limit": "machine: NAME", "disk.read-limit": "machine: NAME",
           "disk.write-limit": "machine: NAME", "page-cache": "machine: NAME", "pause": "machine: NAME"}  # fmt: skip
"""Every factor of now, and the kind of treatment that it belongs to."""

AS_IS = "as-is"
CACHE_STATES = ("cold", "warm")

LATER = frozenset(
    [
        "setup",
        "check",
        "start",
        "teardown",
        "success",
        "zip",
        "exclude",
        "treatments",
        "machines",
        "platforms",
        "guests",
        "parser",
        "metrics",
        "environment",
        "setup-once",
    ]
)
"""Words of the design that this version refuses, so that nobody believes that they were obeyed."""

NOT_YET = "not yet known in this version"
