"""What is mutated, and by which tests it is judged."""

from __future__ import annotations

PYTHON = {
    "stats": ("stats", "design", "results"),
    "design": ("design",),
    "explain": ("explain", "results"),
    "results": ("results", "report"),
    "store": ("store", "crash", "activities"),
    "activities": ("activities", "crash", "cli"),
}
"""Folders of tests by room: its own first, then rooms above that use it."""
NATIVE = ("parse", "supervise", "cgroup")
"""Folders of the probe's sources."""
SAMPLE = {**dict.fromkeys(PYTHON, 200), **dict.fromkeys(NATIVE, 100)}
"""How many mutants are drawn."""
SEED = 16
ENOUGH, LOWEST = 0.85, 0.75
"""Share to be killed, and the lower 95 % limit that goes with it."""
SELECTION = "not live and not long"
