"""A question to a runtime's own program."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence

ANSWER_S = 30.0
"""A runtime answers in a tenth of a second; a machine that does so in more than this is lost."""


def ask(argv: Sequence[str]) -> str | None:
    """Return what a program answered; ``None`` where it ended with another code than 0 or not in time."""
    try:
        done = subprocess.run(
            list(argv), stdin=subprocess.DEVNULL, capture_output=True, timeout=ANSWER_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode(errors="replace") if done.returncode == 0 else None
