"""A question to a runtime's own program."""

from __future__ import annotations

import os
from collections.abc import Sequence

from assay.platforms import host_command

ANSWER_S = 30.0
"""A runtime answers in a tenth of a second; a machine that does so in more than this is lost."""


def ask(argv: Sequence[str]) -> str | None:
    """Return what a program answered; ``None`` where it ended with another code than 0 or not in time."""
    return host_command.ask(argv, timeout_s=ANSWER_S, variables=os.environ)
