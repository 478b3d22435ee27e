"""A real guest, watched from its host by the probe as a trial does it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from assay.activities.visits.host_watch import HostPost, begin_watch, end_watch
from assay.activities.visits.visit import open_probe
from assay.model.machines.machine import Machine
from assay.model.trial import Arm, PlannedTrial
from assay.platforms.guests.guest import Guest
from assay.probe import parse_cells

MEMORY = ("rss_bytes", "memory_bytes", "overhead_bytes")


@contextmanager
def watched(guest: Guest, home: Path) -> Iterator[list[Mapping[str, str]]]:
    """Watch a guest meanwhile; its rows of the group ``guests`` are in the list at the end."""
    trial = PlannedTrial(0, 0, 0, Arm.TREATMENT, 0, "watched")
    rows: list[Mapping[str, str]] = []
    with open_probe(Machine("here"), home) as (probe, door):
        post = HostPost(probe, f"{door.folder}/watched", guest.pid)
        assert begin_watch(post, trial, interval_s=0.1, limit_s=60.0) is None
        yield rows
        found = end_watch(post, trial, home / "watched", unwatched=None)
    assert found.doubts == ()
    rows += parse_cells((home / "watched" / "guests.csv").read_bytes())


def grown(rows: Sequence[Mapping[str, str]], part: str) -> dict[str, float]:
    """Return what each counter of a part of the guest grew by."""
    ours = [row for row in rows if row["part"] == part]
    names = [name for name, cell in ours[0].items() if cell and name not in ("guest", "part")]
    return {name: float(ours[-1][name]) - float(ours[0][name]) for name in names}
