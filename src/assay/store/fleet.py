"""What is written of an activity on several machines beside its lanes.

Layout of its folder::

    fleet.json               what was planned, and which lanes there are
    lanes/<id>/              a lane: the folder of an activity (``store.record``)
    stopped/<id>.json        why a lane was taken out, until it goes on
    report.html              the page of all lanes
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from assay.model.activity import is_activity_id
from assay.model.files.activities import LANES
from assay.model.fleet import Fleet, Lane, Stop
from assay.model.machines.machine import Reach
from assay.store.confined import is_plain_name
from assay.store.readers import keep_folder
from assay.store.record import VERSION, read_values, replace_json

FILE, STOPPED = "fleet.json", "stopped"


def is_fleet(folder: Path) -> bool:
    """Tell whether a folder is that of an activity on several machines."""
    return (folder / FILE).is_file()


def lane_folder(folder: Path, lane: Lane) -> Path:
    """Return the folder of a lane; it is not there before the lane was planned."""
    return folder / LANES / lane.activity


def write_fleet(folder: Path, fleet: Fleet) -> None:
    """Write ``fleet.json``. Its folder is closed to others."""
    keep_folder(folder)
    replace_json(folder / FILE, {"schema": "assay.fleet", "version": VERSION, **asdict(fleet)})


def read_fleet(folder: Path) -> Fleet:
    """Read what an activity on several machines was asked to do.

    Raises:
        RecordError: It is damaged, of a newer major version, or not such an activity's folder.
    """
    return read_values(folder / FILE, "assay.fleet", Fleet, _check)


def write_stop(folder: Path, lane: Lane, stop: Stop | None) -> None:
    """Write down why a lane was taken out; ``None`` forgets it, as the lane goes on."""
    file = folder / STOPPED / f"{lane.activity}.json"
    if stop is None:
        file.unlink(missing_ok=True)
        return
    file.parent.mkdir(exist_ok=True)
    keep_folder(file.parent)
    replace_json(file, {"schema": "assay.lane-stop", "version": VERSION, **asdict(stop)})


def read_stop(folder: Path, lane: Lane) -> Stop | None:
    """Return why a lane was taken out; ``None`` where it was not.

    Raises:
        RecordError: It cannot be read.
    """
    file = folder / STOPPED / f"{lane.activity}.json"
    return read_values(file, "assay.lane-stop", Stop, lambda _: None) if file.exists() else None


def _check(fleet: Fleet) -> None:
    ids = [fleet.id, *(lane.activity for lane in fleet.lanes)]
    if not all(map(is_activity_id, ids)) or len({*ids}) < len(ids):
        msg = "lanes: expected different ids of eight hexadecimal digits"
        raise ValueError(msg)
    names = [lane.machine for lane in fleet.lanes]
    if not names or not all(map(is_plain_name, names)) or len({*names}) < len(names):
        msg = f"lanes: expected different machines, one at least, which may be '{Reach.LOCAL}'"
        raise ValueError(msg)
