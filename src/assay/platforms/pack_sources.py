"""What packs are made of: programs that other packages bring, and the libraries that pip puts beside them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from assay.model import plugins
from assay.model.errors import MissingError

START = "run.py"
"""What a pack is started by."""
_BROUGHT_BY = {"root": "assay-hep", "geant4": "assay-hep"}
"""By each pack that workloads of assay itself need: the package that brings it."""
_NAME = re.compile(r"[a-z][a-z0-9_]{0,62}")


@dataclass(frozen=True)
class PackSource:
    """A pack that can be made.

    Attributes:
        name: Lower-case letters, digits and underscores.
        folder: Where its program lies, as ``*.py``: ``run.py``, which starts it; a Python package that is
            called as the pack is; and modules beside both, which all packs of the folder share.
        requirements: What pip installs into it.
        locks: Folder with a file ``NAME-3.11.txt`` for each Python that it can be made for: all distributions
            with version and hash, and pip takes nothing else. ``None`` leaves the choice to pip.
    """

    name: str
    folder: Path
    requirements: tuple[str, ...]
    locks: Path | None = None

    def wanted(self, python: str) -> tuple[str, ...]:
        """Return the words by which pip is told what to install for a version of Python.

        Raises:
            MissingError: its libraries are not locked for that version.
        """
        if self.locks is None:
            return self.requirements
        lock = self.locks / f"{self.name}-{python}.txt"
        if not lock.is_file():
            known = [path.stem.rpartition("-")[2] for path in self.locks.glob(f"{self.name}-*.txt")]
            known.sort(key=lambda version: int(version.partition(".")[2]))
            msg = f"cannot make the pack {self.name} for Python {python}: its libraries are not locked for it"
            raise MissingError(msg, hint=f"Pythons that it can be made for: {', '.join(known)}")
        return ("--require-hashes", "--no-deps", "--ignore-requires-python", "--requirement", str(lock))


def _refused(source: PackSource) -> str | None:
    """Return why a pack cannot be taken in; ``None`` where it can."""
    if not _NAME.fullmatch(source.name):
        return "expected lower-case letters, digits and underscores"
    if not ((source.folder / START).is_file() and (source.folder / source.name).is_dir()):
        return f"expected {START} and a folder {source.name} in {source.folder}"
    return None


def _added() -> plugins.Plugins[PackSource]:
    found = plugins.load(plugins.PACKS, PackSource)
    reasons = {one.name: _refused(one) for one in found.values.values()}
    faults = [f"plug-in: pack '{name}': {why}" for name, why in reasons.items() if why is not None]
    kept = {one.name: one for one in found.values.values() if reasons[one.name] is None}
    return plugins.Plugins(kept, (*found.faults, *faults))


PACKS: plugins.Catalogue[PackSource] = plugins.Catalogue("pack", {}, _added)
"""Every pack that can be made; all are of plug-ins."""


def pack_source(name: str) -> PackSource:
    """Return what a pack is made of.

    Raises:
        MissingError: a workload of assay itself needs it, and no installed package brings it.
        UnknownNameError: no pack of that name.
    """
    if name in PACKS:
        return PACKS[name]
    if name not in _BROUGHT_BY:
        kind = "pack"
        raise plugins.NoSuchError(kind, name, {*PACKS, *_BROUGHT_BY}, hint=next(iter(PACKS.faults), None))
    why = "; ".join(("no installed package brings it", *PACKS.faults))
    msg = f"cannot use the pack {name}: {why}"
    raise MissingError(msg, hint=f"pip install {_BROUGHT_BY[name]}")
