"""The native programs of the package: static executables, built in a checkout or brought by a wheel."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from assay.model.errors import MissingError

_PACKAGE = Path(__file__).parents[2]


@dataclass(frozen=True)
class NativeProgram:
    """A program for x86-64 Linux.

    Attributes:
        what: What it is, as in "cannot find the probe".
        place: Where it lies below the package.
    """

    what: str
    place: str

    def path(self) -> Path:
        """Return its path.

        Raises:
            MissingError: It is not there: not built, or not in this wheel.
        """
        path = _PACKAGE / self.place
        if not os.access(path, os.X_OK):
            msg = f"cannot find {self.what}: {path} is not there or not executable"
            raise MissingError(msg, hint=how_to_get())
        return path

    def sha256(self) -> str:
        """Return its SHA-256 in hex; raises as ``path``."""
        path = self.path()
        return _digest(path, path.stat().st_mtime_ns)


PROBE = NativeProgram("the probe", "probe/bin/assay-probe")
CHAIN = NativeProgram("the reference chain", "workloads/bin/chain")
FLAME = NativeProgram("assay-flame, which draws profiles", "report/bin/assay-flame")


def how_to_get() -> str:
    """Return what to do where a native program is missing or of another version: who has a wheel has no
    Makefile.
    """
    in_checkout = (_PACKAGE.parents[1] / "tools/setup").is_file()
    return "make setup" if in_checkout else "install assay again, by its wheel for x86-64 Linux"


@cache
def _digest(path: Path, changed_ns: int) -> str:
    import hashlib

    del changed_ns  # one that was built anew is another key
    return hashlib.sha256(path.read_bytes()).hexdigest()
