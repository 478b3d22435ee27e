"""Files of accounting for tests, and what readers say of them."""

from __future__ import annotations

from pathlib import Path

from assay.exchange.jobs.job import EventsOf, Told
from assay.exchange.jobs.read import open_jobs

CAPTURES = Path(__file__).parents[1] / "captures"
HEADING = (
    "JobID|JobName|NodeList|AllocCPUS|ElapsedRaw|Elapsed|TotalCPU|State|ExitCode|Start|Comment|CPUTimeRAW\n"
)


def line(**cells: object) -> str:
    """Return a line of sacct's under ``HEADING``: a job of 8 cores on wn01, but for these cells."""
    usual = {
        "JobID": 7, "JobName": "reco-1", "NodeList": "wn01", "AllocCPUS": 8, "ElapsedRaw": 1000,
        "Elapsed": "00:16:40", "TotalCPU": "02:00:00", "State": "COMPLETED", "ExitCode": "0:0",
        "Start": "2026-05-01T12:00:00", "Comment": 500, "CPUTimeRAW": 8000,
    }  # fmt: skip
    assert cells.keys() <= usual.keys()
    return "|".join(str(value) for value in (usual | cells).values()) + "\n"


def told(path: Path, events: EventsOf = None) -> list[Told]:
    """Return all that a file tells."""
    with open_jobs(path, events) as (_, found):
        return [*found]


def told_of(folder: Path, text: str | bytes, events: EventsOf = None, name: str = "a.txt") -> list[Told]:
    """Return all that a file of this content tells."""
    (folder / name).write_bytes(text.encode() if isinstance(text, str) else text)
    return told(folder / name, events)
