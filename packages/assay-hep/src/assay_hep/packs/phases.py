"""What a pack tells of its phases while it works (``docs/probe.md``)."""

from __future__ import annotations

import os
import time


def tell(words: str) -> None:
    """Tell the probe, where it listens: ``phase event-loop``, with the time of it, ``events 10``, ``phase
    end``.
    """
    if listening := os.environ.get("ASSAY_PHASE_FD"):
        at = f" {time.monotonic_ns()}" if words.startswith("phase ") else ""
        os.write(int(listening), f"{words}{at}\n".encode())
