"""The reference chain's executable as it lies in the tree or the wheel."""

from __future__ import annotations

import hashlib
import os
from functools import cache
from pathlib import Path

from assay.model.errors import MissingError

CHAIN = "{chain}"
"""What stands for its path in a command."""
_PLACE = Path(__file__).parents[2] / "bin" / "chain"


def chain_binary() -> Path:
    """Return the path of the reference chain for x86-64 Linux.

    Raises:
        MissingError: It has not been built.
    """
    if not os.access(_PLACE, os.X_OK):
        msg = f"cannot find the reference chain: {_PLACE} is not there or not executable"
        raise MissingError(msg, hint="make setup")
    return _PLACE


def chain_sha256() -> str:
    """Return the SHA-256 of the reference chain in hex; raises as ``chain_binary``."""
    path = chain_binary()
    return _digest(path, path.stat().st_mtime_ns)


@cache
def _digest(path: Path, changed_ns: int) -> str:
    del changed_ns  # a rebuilt chain is another key
    return hashlib.sha256(path.read_bytes()).hexdigest()
