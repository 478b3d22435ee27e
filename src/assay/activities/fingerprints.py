"""What a machine is, now or then: fingerprints taken, kept, recorded and found again."""

from __future__ import annotations

import time
from pathlib import Path

from assay.activities.visits.visit import Visit, open_probe
from assay.model.errors import AssayError
from assay.model.machines.machine import Fingerprint, Machine
from assay.probe.facts import recorded_fingerprint
from assay.store.confined import is_plain_name
from assay.store.fingerprints import (
    Kept,
    find_kept,
    keep_fingerprint,
    kept_of,
    read_kept_fingerprint,
    recording_place,
    write_fingerprint,
)
from assay.store.readers import keep_folder, keep_tree
from assay.store.store import Store


def take_fingerprint(machine: Machine, *, home: Path) -> tuple[Fingerprint, Kept]:
    """Look at a machine now, and keep what was seen.

    Raises:
        UnreachableError: It cannot be reached.
    """
    with open_probe(machine, home) as (probe, _):
        fingerprint = probe.fingerprint()
    return fingerprint, keep_fingerprint(home, machine.name, fingerprint)


def record_machine(machine: Machine, *, into: Path | None, home: Path) -> Path:
    """Record a machine as a tree that the probe reads as it reads the machine; return where it lies.

    Args:
        machine: Which one.
        into: A folder that is not there yet; ``None`` keeps it among the home's recorded machines.
        home: Folder of all state.

    Raises:
        AssayError: The folder is there already.
        UnreachableError: The machine cannot be reached.
    """
    stamp = time.time_ns()
    place = into or recording_place(home, machine.name, stamp).path
    if place.exists():
        msg = f"cannot record {machine.name} into {place}: it is there already"
        raise AssayError(msg)
    with open_probe(machine, home) as (probe, door):
        folder = f"{door.folder}/recorded-{stamp}"
        probe.record(f"{folder}/machine")
        try:
            door.get(f"{folder}/machine", place)
            if into is None:
                keep_tree(place)
        finally:
            probe.remove(folder)
    return place


def find_fingerprint(name: str, *, home: Path, store: Store) -> Fingerprint:
    """Return the fingerprint of a name.

    Args:
        name: A machine (as it is now), ``machine@time`` (as it was kept then; the beginning of a time, or
            ``last``), the file of a fingerprint, or the folder of a recorded machine.
        home: Folder of all state.
        store: The inventory.

    Raises:
        AssayError: There is nothing of that name or time, or it cannot be read.
        UnreachableError: The machine cannot be reached.
    """
    path = Path(name)
    if path.is_file():
        return read_kept_fingerprint(path)
    if "/" in name or (path / "proc").is_dir():
        return recorded_fingerprint(path)
    machine, at, then = name.partition("@")
    if at:
        return read_kept(find_kept(home, machine, then))
    with open_probe(store.machine(machine), home) as (probe, _):
        return probe.fingerprint()


def last_two(machine: str, *, home: Path) -> tuple[Kept, Kept]:
    """Return the last two fingerprints that were kept of a machine, the older first.

    Raises:
        AssayError: There are not two.
    """
    known = [kept for kept in kept_of(home, machine) if not kept.recorded]
    if len(known) < 2:
        msg = f"cannot compare '{machine}' with itself: expected two of its fingerprints, {len(known)} kept"
        raise AssayError(msg, hint=f"assay machine facts {machine}")
    return known[-2], known[-1]


def read_kept(kept: Kept) -> Fingerprint:
    """Read what was kept, a fingerprint or a recorded machine.

    Raises:
        AssayError: It cannot be read.
    """
    return recorded_fingerprint(kept.path) if kept.recorded else read_kept_fingerprint(kept.path)


def keep_visit(folder: Path, visit: Visit) -> None:
    """Keep what a visit is beside an activity's records, once a boot.

    Raises:
        AssayError: The machine tells of a boot whose name would be a path of its own.
    """
    if not is_plain_name(visit.boot):
        msg = f"cannot use machine {visit.machine}: it calls its boot {visit.boot!r}"
        raise AssayError(msg, hint="look at /proc/sys/kernel/random/boot_id there")
    path = folder / "facts" / f"{visit.boot}.json"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        keep_folder(path.parent)
        write_fingerprint(path, visit.fingerprint)
