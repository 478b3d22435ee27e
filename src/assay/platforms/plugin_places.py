"""Places of plug-ins on this machine: made, looked at, removed, and found after a crash by the note in their
folder.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from assay.model.errors import AssayError
from assay.model.files.marker import make_marked, may_go
from assay.model.platforms.plugin_place import PluginPlace, SeenPluginPlace
from assay.places.catalogue import PLACES
from assay.places.definition import Opened, PlaceDefinition, VisitSpec
from assay.platforms.claims import is_live, is_shared
from assay.platforms.durable import read_json, write_json
from assay.platforms.errors import PlatformError
from assay.platforms.filesystems.host_filesystem import remove_folder

_OWN, _NOTE = "own", "note.json"
_LONGEST = 200
"""Of a plug-in's word of why, or of its version."""


@dataclass(frozen=True)
class Note:
    """What a place's folder says of it.

    Attributes:
        activity: The activity that it belongs to.
        kind: Name of its kind.
        spec: What it was asked to be.
    """

    activity: str
    kind: str
    spec: VisitSpec


def place_spec(
    wanted: PluginPlace, *, name: str, cpus: tuple[int, ...], memory_bytes: int | None, home: Path
) -> VisitSpec:
    """Return what a place is asked to be for one visit."""
    folder = home / "places" / name / _OWN
    return VisitSpec(name, dict(wanted.levels), cpus, memory_bytes, folder, home / "work")


def why_not(wanted: PluginPlace) -> str | None:
    """Return why a place cannot be had on this machine, in one clause; ``None`` where it can.

    Raises:
        UnknownNameError: No plug-in that is installed adds its kind.
    """
    kind = PLACES[wanted.kind]
    with _told(kind, "look for it"):
        return kind.needs(dict(wanted.levels))


def memory_of(wanted: PluginPlace) -> int | None:
    """Return the bytes of memory that a place has by its levels; ``None`` is the machine's."""
    kind = PLACES[wanted.kind]
    with _told(kind, "ask for its memory"):
        return kind.memory_bytes(dict(wanted.levels))


def cpus_of(wanted: PluginPlace) -> int | None:
    """Return how many processors a place has by its levels; ``None`` is as many as the baseline may use."""
    kind = PLACES[wanted.kind]
    with _told(kind, "ask for its processors"):
        return kind.cpus(dict(wanted.levels))


def open_place(note: Note) -> Opened:
    """Start a place, which the caller removes, whether this succeeds or not.

    Raises:
        PlatformError: Its plug-in cannot start it.
    """
    spec = note.spec
    make_marked(spec.folder.parent)
    spec.folder.mkdir(mode=0o700)
    spec.work.mkdir(mode=0o700, exist_ok=True)
    facts = {
        "activity": note.activity,
        "kind": note.kind,
        "levels": dict(spec.levels),
        "cpus": list(spec.cpus),
        "memory_bytes": spec.memory_bytes,
    }
    write_json(spec.folder.parent / _NOTE, facts)
    kind = PLACES[note.kind]
    with _told(kind, f"start {spec.name}"):
        return kind.open(spec)


def look(note: Note, opened: Opened) -> SeenPluginPlace:
    """Return a place as its plug-in sees it from outside, once the probe runs in it.

    Raises:
        PlatformError: A level that was asked for is not in force, or is not seen.
    """
    kind, asked = PLACES[note.kind], note.spec.levels
    with _told(kind, f"look at {note.spec.name}"):
        seen = {str(name): str(level) for name, level in kind.seen(note.spec).items()}
    for name, level in asked.items():
        if seen.get(name) != level:
            found = (
                f"{name}={seen[name]} is in force"
                if name in seen
                else "its plug-in does not say what is in force"
            )
            msg = f"cannot measure in {note.spec.name}: {name}={level} was asked for, {found}"
            raise PlatformError(msg)
    version = (str(opened.version).strip().splitlines() or ["unknown"])[0][:_LONGEST]
    return SeenPluginPlace(note.kind, kind.title, version, tuple(seen.items()))


def remove_place(note: Note) -> None:
    """Remove what was made for a place, and last its folder; one that is gone is no error.

    Raises:
        PlatformError: Its plug-in fails; the folder stays, for another attempt.
        UnknownNameError: No plug-in that is installed adds its kind.
    """
    kind = PLACES[note.kind]
    with _told(kind, f"remove {note.spec.name}"):
        kind.remove(note.spec)
    remove_folder(note.spec.folder.parent)


def left_places(home: Path) -> tuple[tuple[Path, Note | None], ...]:
    """Return the folders of places that no living process works with, and what they say."""
    return tuple((folder, note) for folder, note in _places(home) if not _held(home, note))


def end_places(home: Path, activity: str) -> None:
    """Remove every place that nobody needs, and those that an activity left itself; one without its plug-in
    stays.
    """
    for folder, note in _places(home):
        if note is None:
            if not _held(home, note):
                remove_folder(folder)
        elif note.kind in PLACES and (note.activity == activity or not _held(home, note)):
            remove_place(note)


def _held(home: Path, note: Note | None) -> bool:
    # without a note it is being made, or was cut off before it had one: here, two at a time never make any
    return is_shared(home) if note is None else is_live(home, note.activity)


def _places(home: Path) -> Iterator[tuple[Path, Note | None]]:
    for folder in sorted((home / "places").glob("*")):
        if may_go(folder):
            yield folder, _read_note(folder, home)


def _read_note(folder: Path, home: Path) -> Note | None:
    facts = read_json(folder / _NOTE, "activity", "kind", "levels", "cpus", "memory_bytes")
    if facts is None:
        return None
    levels = {str(name): str(level) for name, level in facts["levels"].items()}
    cpus, memory = tuple(map(int, facts["cpus"])), facts["memory_bytes"]
    spec = VisitSpec(
        folder.name, levels, cpus, None if memory is None else int(memory), folder / _OWN, home / "work"
    )
    return Note(str(facts["activity"]), str(facts["kind"]), spec)


@contextmanager
def _told(kind: PlaceDefinition, doing: str) -> Iterator[None]:
    """Tell what a plug-in raises as the reason why it failed."""
    try:
        yield
    except AssayError:
        raise
    except Exception as error:
        reason = f"{type(error).__name__}: {str(error).partition(chr(10))[0][:_LONGEST]}"
        msg = f"cannot {doing}: the plug-in of '{kind.name}' failed, {reason}"
        raise PlatformError(msg) from error
