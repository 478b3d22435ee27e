"""A site's own scenes: kept by name in a home, each version written once (``store.own_scenes``).

Layout of a home::

    scenes/<name>/<version>/scene.yaml  its text
    scenes/<name>/<version>/saved.json  its title, who saved it and when, a note
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.model.errors import UnknownNameError

FOLDER, TEXT, SAVED = "scenes", "scene.yaml", "saved.json"
SCHEMA = "assay.own-scene"


@dataclass(frozen=True)
class OwnScene:
    """A version of a scene that is kept by name.

    Attributes:
        name: Its name.
        version: Number of the version, from 1.
        title: One line for people; ``None``, as in what follows, where that cannot be read any more.
        saved_ns: When it was saved, ns since the epoch.
        by: Who saved it.
        note: What was said of it; ``None`` also for nothing.
    """

    name: str
    version: int
    title: str | None = None
    saved_ns: int | None = None
    by: str | None = None
    note: str | None = None


def own_names(home: Path) -> tuple[str, ...]:
    """Return the names of the own scenes, unread and sorted."""
    folders = (home / FOLDER).glob("[a-z]*")
    return tuple(sorted(folder.name for folder in folders if _numbers(folder)))


def own_scenes(home: Path) -> tuple[OwnScene, ...]:
    """Return the newest version of each own scene, sorted by name; no text is read."""
    return tuple(_version(home, name, _numbers(home / FOLDER / name)[-1]) for name in own_names(home))


def scene_versions(home: Path, name: str) -> tuple[OwnScene, ...]:
    """Return all versions of an own scene, the oldest first.

    Raises:
        UnknownNameError: There is no own scene of that name.
    """
    return tuple(_version(home, name, number) for number in _known(home, name))


def own_file(home: Path, name: str, version: int | None = None) -> Path:
    """Return the file of an own scene.

    Args:
        home: Folder of all state.
        name: Its name.
        version: Number of the version; ``None`` is the newest.

    Raises:
        UnknownNameError: There is no own scene of that name, or no such version of it.
    """
    known = _known(home, name)
    if version is not None and version not in known:
        kind, numbers = f"version of the scene {name}", map(str, known)
        raise UnknownNameError(kind, str(version), numbers, hint=f"assay scene versions {name}")
    return version_folder(home, name, version or known[-1]) / TEXT


def version_folder(home: Path, name: str, version: int) -> Path:
    """Return the folder of a version, which need not be there."""
    return home / FOLDER / name / f"{version:04d}"


def _known(home: Path, name: str) -> tuple[int, ...]:
    """Return the numbers of a scene's versions; a name that is not listed is never made a path of."""
    names = own_names(home)
    if name not in names:
        kind = "scene of your own"
        raise UnknownNameError(kind, name, names, hint="assay scene list")
    return _numbers(home / FOLDER / name)


def _numbers(folder: Path) -> tuple[int, ...]:
    """Return the numbers of the versions in a folder, sorted; a version is there with its text or not at
    all.
    """
    files = folder.glob(f"[0-9]*/{TEXT}")
    return tuple(sorted(int(file.parent.name) for file in files if file.parent.name.isdecimal()))


def _version(home: Path, name: str, number: int) -> OwnScene:
    said = _said(version_folder(home, name, number) / SAVED)
    texts = {key: said[key] for key in ("title", "by", "note") if isinstance(said.get(key), str)}
    saved_ns = said.get("saved_ns")
    return OwnScene(name, number, saved_ns=saved_ns if isinstance(saved_ns, int) else None, **texts)


def _said(file: Path) -> Mapping[str, Any]:
    """Return what is known of a version; a damaged file costs nothing but that."""
    try:
        said = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) and said.get("schema") == SCHEMA else {}
