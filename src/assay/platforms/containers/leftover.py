"""Containers of ours that no living process holds, found by the note in their folder."""

from __future__ import annotations

from pathlib import Path

from assay.model.files.marker import may_go
from assay.platforms.claims import is_live, is_shared
from assay.platforms.containers.container import remove
from assay.platforms.containers.spec import Note, read_note
from assay.platforms.filesystems.host_filesystem import remove_folder


def left_containers(home: Path) -> tuple[tuple[Path, Note | None], ...]:
    """Return the folders of containers that nobody works with, and what they say.

    Every container has a folder before it is made and until it is gone.
    """
    notes = ((folder, read_note(folder)) for folder in _folders(home))
    return tuple((folder, note) for folder, note in notes if not _held(home, note))


def end_container(folder: Path, note: Note | None) -> None:
    """End a container and remove its folder; one without a whole note was never started."""
    if note is None:
        remove_folder(folder)
    else:
        remove(note.runtime, note.name, folder)


def end_containers(home: Path, activity: str) -> None:
    """End every container of this home that nobody needs, and those that an activity left itself."""
    for folder in _folders(home):
        note = read_note(folder)
        if (note is not None and note.activity == activity) or not _held(home, note):
            end_container(folder, note)


def end_own_containers(home: Path, activity: str) -> None:
    """End the containers that an activity left itself."""
    for folder in _folders(home):
        note = read_note(folder)
        if note is not None and note.activity == activity:
            end_container(folder, note)


def _folders(home: Path) -> list[Path]:
    """Return the folders of containers of ours; another's, put there by hand, is not looked into."""
    return [folder for folder in sorted((home / "containers").glob("*")) if may_go(folder)]


def _held(home: Path, note: Note | None) -> bool:
    # without a note it is being made, or was cut off before it had one: here, two at a time never make any
    return is_shared(home) if note is None else is_live(home, note.activity)
