"""Going on with an activity in a process of its own, which outlives the one that starts it."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.model.errors import Exit
from assay.platforms.claims import holder_pid
from assay.platforms.process import ended_within, spawn
from assay.store.readers import keep_file

LOG = "conductor.log"
"""What the process says, in the activity's folder; a later one goes on in it."""
TAKEN_S = 10.0
"""It is waited for so long that the process holds the activity; it may have to wait for a machine."""
SETTLED_S = 1.0
"""What fails right after that is an end at once, too."""
LOOK_S = 0.05
_MEASURED = {Exit.DONE, Exit.PARTIAL, Exit.NOTHING}
"""Of an activity that has ended already: its result says how."""


@dataclass(frozen=True)
class EndedAtOnce:
    """A process that did not get going.

    Attributes:
        code: Its exit code.
        said: All that it said.
    """

    code: int
    said: str


def detach(words: Sequence[str], *, activity: str, folder: Path, home: Path) -> EndedAtOnce | None:
    """Start a command of assay that goes on with an activity, in a session of its own.

    The caller holds the activity no more. Returns once the new process holds it, or after ``TAKEN_S``.

    Args:
        words: The command's arguments: ``activity resume 1f2e3d4c``.
        activity: The activity's id.
        folder: Its folder, where ``LOG`` is.
        home: Folder of all state.

    Returns:
        Why it ended at once; ``None`` where it runs, or has measured already.
    """
    log = folder / LOG
    before = log.stat().st_size if log.exists() else 0
    variables = {**os.environ, "ASSAY_HOME": str(home)}
    # -P: what lies in the caller's folder is no module of ours
    mark = spawn([sys.executable, "-P", "-m", "assay", *words], log=log, variables=variables)
    keep_file(log)
    until, code = time.monotonic() + TAKEN_S, None
    while code is None and time.monotonic() < until and holder_pid(home, activity) != mark.pid:
        code = ended_within(mark, LOOK_S)
    code = ended_within(mark, SETTLED_S) if code is None else code
    if code is None or code in _MEASURED:
        return None
    with log.open("rb") as file:
        file.seek(before)
        return EndedAtOnce(code, file.read().decode(errors="replace"))
