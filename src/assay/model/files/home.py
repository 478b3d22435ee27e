"""The home: the folder of all state, known by a marker of its own."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from pathlib import Path

from assay.model.errors import MissingError
from assay.model.files.marker import FILE, make_parents, write_marker
from assay.model.files.own import is_own_file

SCHEMA = "assay.home"
TEXT = json.dumps({"schema": SCHEMA, "version": [1, 0]})
"""The one line of its marker."""
MODE = 0o711
"""Others may pass, as QEMU's user must, and not look."""
_NOTHING = {"lost+found"}
"""What a new file system holds."""


def settle_home(home: Path, adopt: Callable[[Path], bool]) -> None:
    """Make the home where it is not there, with its marker; refuse a folder that holds something else.

    Where it cannot be written it stays as it is: whoever has to write there says so.

    Args:
        home: The folder.
        adopt: Marks the home of an earlier assay; returns whether it is one.

    Raises:
        MissingError: The folder is not empty, and not a home of assay's.
    """
    if is_home(home):
        return
    with contextlib.suppress(OSError):  # another user's, or read-only: reading needs no marker
        if not home.exists():
            make_home(home)
        elif _is_empty(home):
            mark_home(home)
        elif not adopt(home) and not is_home(home):  # another process may have made it meanwhile
            msg = f"cannot use {home}: it is not empty, and not a home of assay's"
            raise MissingError(msg, hint="set ASSAY_HOME to an empty folder, or to one that is not there yet")


def make_home(home: Path) -> None:
    """Make a home that others may pass through, whatever the umask.

    Raises:
        OSError: It cannot be made.
    """
    make_parents(home)
    home.mkdir(mode=0o700, exist_ok=True)
    mark_home(home)
    home.chmod(MODE)


def mark_home(home: Path) -> None:
    """Write the marker of a home.

    Raises:
        OSError: It cannot be written.
    """
    write_marker(home, TEXT, mode=0o644)  # whoever may enter it may know it


def is_home(home: Path) -> bool:
    """Tell whether a folder has a home's marker."""
    marker = home / FILE
    try:
        return is_own_file(marker) and json.loads(marker.read_bytes())["schema"] == SCHEMA
    except (OSError, ValueError, LookupError, TypeError):
        return False


def _is_empty(home: Path) -> bool:
    """Tell whether nothing lies in a folder; another process may be writing its marker."""
    return all(entry.name in _NOTHING or entry.name.startswith(FILE) for entry in home.iterdir())
