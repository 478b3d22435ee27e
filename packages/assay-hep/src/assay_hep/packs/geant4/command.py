"""The pack's own command line: ``optical`` photons, ``electron``s."""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..errors import MISSING, PackError, ended

DATA, TABLES = "GEANT4_DATA_DIR", "G4LEDATA"
NUCLEI = {"G4ENSDFSTATEDATA": "G4ENSDFSTATE*", "G4LEVELGAMMADATA": "PhotonEvaporation*"}
"""Data of nuclei by variable, with the names of their folders: Geant4 asks for them at its start, and nothing
reads them.
"""
_MOST = 10_000_000


def run(words: Sequence[str], *, started: Sequence[str]) -> int:
    """Run a command, print its one JSON object and return the exit code.

    Args:
        words: The arguments.
        started: The command by which this program was started; it starts no other.
    """
    del started
    given = _parser().parse_args(words)
    return ended("geant4", lambda: _simulate(given))


def _simulate(given: argparse.Namespace) -> None:
    """Check what Geant4 would find missing, before it is loaded: without its variable it asks for gigabytes.

    Raises:
        PackError: a variable is not set, a library is not there, or the physics is not right.
    """
    if not os.environ.get(DATA):
        msg = (
            f"cannot run the pack geant4: {DATA} is not set, and without it geant4-pybind downloads data sets"
        )
        raise PackError(msg, hint=f"export {DATA}=FOLDER", code=MISSING)
    if given.photons is None and not Path(os.environ.get(TABLES, "-")).is_dir():
        msg = f"cannot simulate electrons: expected a folder in {TABLES}, got '{os.environ.get(TABLES, '')}'"
        raise PackError(msg, hint=f"export {TABLES}=FOLDER of Geant4's data set G4EMLOW", code=MISSING)
    out = _words_aside()
    with _nuclei():
        try:
            from .job import Job, simulate
        except ModuleNotFoundError:
            raise
        except ImportError as error:
            msg = f"cannot load Geant4: {error}"
            raise PackError(msg, hint="apt install libgl1 libsm6 libxext6", code=MISSING) from None
        try:
            report = simulate(Job(given.events, given.photons, given.seed))
        except RuntimeError as error:
            msg = f"cannot simulate: Geant4 says: {error}"
            raise PackError(msg, hint=f"ls ${DATA}", code=1) from None
        os.write(out, f"{json.dumps(report)}\n".encode())


@contextmanager
def _nuclei() -> Iterator[None]:
    """Give Geant4 an empty folder for what the site has not."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "ENSDFSTATE.dat").touch()
        for name, pattern in NUCLEI.items():
            if name not in os.environ and not any(Path(os.environ[DATA]).glob(pattern)):
                os.environ[name] = folder
        yield


def _words_aside() -> int:
    """Return standard output, while what Geant4 prints goes to standard error, what it still holds at its end
    too.
    """
    out = os.dup(1)
    os.dup2(2, 1)
    return out


def _whole(text: str, least: int = 0) -> int:
    if not text.isascii() or not text.isdigit() or not least <= int(text) <= _MOST:
        msg = f"expected a whole number from {least} to {_MOST}, got '{text}'"
        raise argparse.ArgumentTypeError(msg)
    return int(text)


def _count(text: str) -> int:
    return _whole(text, least=1)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="geant4-pack", description="A scintillator detector by Geant4.")
    commands: Any = parser.add_subparsers(required=True, metavar="optical|electron")
    optical = commands.add_parser("optical", help="optical photons from points in the scintillator")
    optical.add_argument("--photons", type=_count, default=5000, help="in an event")
    electron = commands.add_parser("electron", help="electrons and their light; needs G4LEDATA")
    electron.set_defaults(photons=None)
    for command in (optical, electron):
        command.add_argument("--events", type=_whole, default=20)
        command.add_argument("--seed", type=_whole, default=1)
    return parser
