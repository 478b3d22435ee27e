"""Scenes by name, which come with the package or are a site's own, or by path."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from assay.model.errors import UnknownNameError
from assay.model.files.own_scenes import own_file, own_names
from assay.scenes.load import load_scene, read_scene
from assay.scenes.values.scene import Scene

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

_SUFFIXES = (".yaml", ".yml")


def find_scene(name_or_path: str, *, scale: str | None = None, home: Path | None = None) -> Scene:
    """Return a ready scene or an own one by its name, or the scene in a file.

    A path has a slash or ends in .yaml. ``NAME@3`` is version 3 of an own scene, which otherwise is the
    newest; a ready scene comes before an own one of its name.

    Args:
        name_or_path: Which.
        scale: One of its scales; ``None`` is as written.
        home: Folder of all state, where own scenes are; ``None`` knows none.

    Raises:
        UnknownNameError: no scene of that name, no such version of it, or no such scale.
        SceneError: the file cannot be read, or something in it is wrong.
    """
    if _is_path(name_or_path):
        return load_scene(Path(name_or_path), scale=scale)
    ready = _ready()
    if name_or_path in ready:
        return _read(ready[name_or_path], scale=scale)
    name, mark, version = name_or_path.partition("@")
    own = () if home is None else own_names(home)
    if home is None or name not in own or bool(mark) != version.isdecimal():
        kind = "scene"
        hint = "assay scene list, or the path of a file that ends in .yaml"
        raise UnknownNameError(kind, name_or_path, [*ready, *own], hint=hint)
    return load_scene(own_file(home, name, int(version) if mark else None), scale=scale)


def check_scene_name(name: str, home: Path) -> None:
    """Make sure that a text names a ready scene or an own one, with a version or without: who asks from
    elsewhere names no file.

    Raises:
        UnknownNameError: None is called so.
    """
    known = {*ready_names(), *own_names(home)}
    if _is_path(name) or name.partition("@")[0] not in known:
        kind = "scene"
        raise UnknownNameError(kind, name, known, hint="assay scene list")


def may_be_own(name_or_path: str) -> bool:
    """Tell whether what names a scene is neither a path nor the name of a ready scene."""
    return not _is_path(name_or_path) and name_or_path not in _ready()


def _is_path(name_or_path: str) -> bool:
    return "/" in name_or_path or name_or_path.endswith(_SUFFIXES)


def ready_names() -> tuple[str, ...]:
    """Return the names of the ready scenes, unread."""
    return tuple(sorted(_ready()))


def list_scenes() -> tuple[tuple[str, str], ...]:
    """Return name and title of every ready scene, sorted by name."""
    return tuple((scene.name, scene.title) for scene in ready_scenes())


def ready_scenes() -> tuple[Scene, ...]:
    """Return every ready scene, sorted by name."""
    return tuple(_read(file) for _, file in sorted(_ready().items()))


def _read(file: Traversable, *, scale: str | None = None) -> Scene:
    """Read a ready scene; its inputs are files of the package."""
    return read_scene(file.read_bytes(), file=str(file), scale=scale)


def _ready() -> dict[str, Traversable]:
    from importlib import resources  # takes longer to import than the rest of this room

    folder = resources.files("assay.scenes") / "library"
    files = (item for item in folder.iterdir() if item.name.endswith(_SUFFIXES))
    return {item.name.rpartition(".")[0]: item for item in files}
