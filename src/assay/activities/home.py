"""Where all state is: the folder that ``ASSAY_HOME`` names, or that of the system or the user."""

from __future__ import annotations

import os
from pathlib import Path

from assay.model.errors import AssayError


def home() -> Path:
    """Return the folder of all state: ``ASSAY_HOME``, else the system's or the user's own place.

    It is made where it is not there.

    Raises:
        MissingError: Another user could change it, or it holds something else.
        AssayError: There is no such folder that could be named in a file: no home of that user, or no text in
            UTF-8.
    """
    from assay.model.files.home import settle_home

    place = home_place()
    settle_home(place, _adopt)
    return place


def _adopt(place: Path) -> bool:
    from assay.platforms.leftovers.earlier_home import adopt  # only where there is no marker yet

    return adopt(place)


def home_place() -> Path:
    """Return where the home is or will be, and make nothing; as ``home``."""
    from assay.model.files.own import require_own

    given = os.environ.get("ASSAY_HOME")
    try:
        place = Path(given).expanduser().absolute() if given else _own_place()
        str(place).encode()
    except RuntimeError as error:
        msg = f"cannot use the home folder {given or '~'}: {str(error).rstrip('.').lower()}"
        raise AssayError(msg, hint="set ASSAY_HOME to the path of a folder") from error
    except UnicodeEncodeError as error:
        msg = f"cannot use the home folder {given!r}: expected a path in UTF-8"
        raise AssayError(msg, hint="set ASSAY_HOME to the path of a folder") from error
    require_own(place)
    return place


def _own_place() -> Path:
    if os.geteuid() == 0:
        return Path("/var/lib/assay")
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share") / "assay"
