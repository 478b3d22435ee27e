"""Searches that are kept: one folder each below the home.

Layout of a home::

    tunings/<id>/tuning.json  all that is known of a search
"""

from __future__ import annotations

from pathlib import Path

from assay.model.activity import is_activity_id
from assay.model.errors import UnknownNameError
from assay.model.files.marker import make_marked
from assay.pages.decode import ContextError
from assay.pages.tuning import Tuning, tuning_from_json, tuning_to_json
from assay.store.readers import keep_folder
from assay.store.record import RecordError, replace_file, sync_folder

FOLDER, FILE = "tunings", "tuning.json"
LAST = "last"


def keep_tuning(tuning: Tuning, home: Path) -> None:
    """Write what is known of a search, whole or not at all."""
    folder = home / FOLDER / tuning.id
    if not folder.is_dir():
        make_marked(folder)
        keep_folder(folder)
        sync_folder(folder.parent)
    replace_file(folder / FILE, tuning_to_json(tuning))


def read_tuning(folder: Path) -> Tuning:
    """Return what is known of a search.

    Raises:
        RecordError: It is damaged, or of a newer major version.
    """
    file = folder / FILE
    try:
        tuning = tuning_from_json(file.read_bytes())
    except OSError as error:
        msg = f"cannot read {file}: {error.strerror}"
        raise RecordError(msg) from error
    except ContextError as error:
        msg = f"cannot read {file}: {error.place}: expected {error.expected}, got {error.actual}"
        raise RecordError(msg) from error
    wrong = [run.activity for run in tuning.runs if not is_activity_id(run.activity)]
    if tuning.id != folder.name or wrong:
        msg = f"cannot read {file}: expected the names of activities, got {[tuning.id, *wrong]}"
        raise RecordError(msg)
    return tuning


def tunings_in(home: Path) -> list[Tuning]:
    """Return the searches of a home, the oldest first; one that cannot be read is left out."""
    found = []
    for folder in tuning_folders(home):
        try:
            found.append(read_tuning(folder))
        except RecordError:
            continue
    return sorted(found, key=lambda one: (one.created, one.id))


def tuning_folders(home: Path) -> list[Path]:
    """Return the folders of the searches of a home, unread and in no order."""
    return [folder for folder in (home / FOLDER).glob("[0-9a-f]*") if (folder / FILE).is_file()]


def find_tuning(name: str, home: Path) -> Tuning:
    """Return the search of an identity, or of its beginning; ``last`` is the newest.

    Raises:
        UnknownNameError: There is none, or several begin so.
        RecordError: It is damaged.
    """
    names = [folder.name for folder in (home / FOLDER).glob("[0-9a-f]*")]
    if name == LAST:
        known = tunings_in(home)
        if known:
            return known[-1]
    matching = [one for one in names if one == name] or [
        one for one in names if name and one.startswith(name)
    ]
    if len(matching) != 1:
        kind = "search"
        raise UnknownNameError(kind, name, names, hint="assay tune list")
    return read_tuning(home / FOLDER / matching[0])
