"""A place of a plug-in as the place where the trials of one visit run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from assay.activities.visits.visit import GUEST_CONNECT_S, Visit, attached
from assay.machines import InsideDoor, open_door
from assay.model.activity import PlannedArm
from assay.model.machines.machine import Limits, Machine
from assay.places.catalogue import PLACES
from assay.places.definition import Opened, VisitSpec
from assay.platforms.errors import PlatformError
from assay.platforms.plugin_places import Note, look
from assay.probe import Door


@contextmanager
def added_visit(opened: Opened, note: Note, arm: PlannedArm, *, home: Path) -> Iterator[Visit]:
    """Enter a place with the probe, and open it for a visit.

    Raises:
        UnreachableError: It cannot be entered, or the probe in it does not answer.
        PlatformError: It is not what was asked for.
    """
    inside = not isinstance(opened.enter, Machine)
    door = _door(opened, note.spec, arm.label, home)
    with attached(door) as probe:
        fingerprint = probe.fingerprint()
        if not inside and len(fingerprint.facts.cpus) != len(note.spec.cpus):
            seen, asked = len(fingerprint.facts.cpus), len(note.spec.cpus)
            msg = f"cannot measure in {note.spec.name}: it has {seen} processors, asked were {asked}"
            raise PlatformError(msg)
        yield Visit(
            machine=arm.label,
            probe=probe,
            put=door.put,
            run=door.run,
            fingerprint=fingerprint,
            limits=Limits(note.spec.cpus) if inside else Limits(),
            boot=f"{note.spec.name}-{fingerprint.taken_ns:x}",
            directory=f"{door.folder}/{note.activity}",
            own_clock=PLACES[note.kind].own_kernel or not inside,
            plugin=look(note, opened),
            enclosed=inside,
        )


def _door(opened: Opened, spec: VisitSpec, label: str, home: Path) -> Door:
    if isinstance(opened.enter, Machine):
        return open_door(opened.enter, home=home, connect_timeout_s=GUEST_CONNECT_S)
    enter, cpus = opened.enter, ",".join(map(str, spec.cpus))

    def enclose(argv: Sequence[str]) -> Sequence[str]:
        # the place's first process: it reaps what jobs leave, and ends with the probe it serves
        return ("taskset", "--cpu-list", cpus, *enter((argv[0], "subreaper", "--", *argv)))

    return InsideDoor(label, home / "work", enclose)
