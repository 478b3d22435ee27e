"""What a home has of the nodes of batch systems just now: held by jobs, or drained."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from assay.machines.batch.lock import is_locked

DRAINED, HELD = "drained/*.json", "assay-*.used.lock"


@dataclass(frozen=True)
class Taken:
    """A node that is ours.

    Attributes:
        machine: The machine's name in the inventory.
        engine: The batch system, ``slurm``.
        node: Its name there.
        job: Id of the job that holds it; ``None`` where it is drained.
        since_ns: Since when, ns since 1970.
        used: Whether an assay measures it; else one was killed, and it is to be given back.
    """

    machine: str
    engine: str
    node: str
    job: str | None
    since_ns: int
    used: bool


def taken(home: Path) -> tuple[Taken, ...]:
    """Return the nodes that a home has, by machine; what may not be read is passed over.

    A job that nobody uses is none of them: it ends by itself.
    """
    found = [one for form in (DRAINED, HELD) for note in (home / "run").glob(form) if (one := _read(note))]
    return tuple(sorted((one for one in found if one.used or one.job is None), key=lambda one: one.machine))


def _read(note: Path) -> Taken | None:
    try:
        with note.open() as file:
            said = json.load(file)
            return Taken(
                machine=said["machine"],
                engine=said["engine"],
                node=said["node"],
                job=said.get("job"),
                since_ns=note.stat().st_mtime_ns,
                used=is_locked(file),
            )
    except (OSError, ValueError, KeyError, TypeError):  # empty: given back
        return None
