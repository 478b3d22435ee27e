"""The probe's executable as it lies in the tree or the wheel."""

from __future__ import annotations

import hashlib
import os
from functools import cache
from pathlib import Path

from assay.model.errors import MissingError

_PLACE = Path(__file__).parent / "bin" / "assay-probe"


def probe_binary() -> Path:
    """Return the path of the probe for x86-64 Linux.

    Raises:
        MissingError: It has not been built.
    """
    if not os.access(_PLACE, os.X_OK):
        msg = f"cannot find the probe: {_PLACE} is not there or not executable"
        raise MissingError(msg, hint="make setup")
    return _PLACE


def probe_sha256() -> str:
    """Return the SHA-256 of the probe in hex.

    Raises:
        MissingError: It has not been built.
    """
    path = probe_binary()
    return _digest(path, path.stat().st_mtime_ns)


@cache
def _digest(path: Path, changed_ns: int) -> str:
    del changed_ns  # a rebuilt probe is another key
    return hashlib.sha256(path.read_bytes()).hexdigest()
