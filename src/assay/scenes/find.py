"""Scenes by name, which come with the package, or by path."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from assay.model.errors import UnknownNameError
from assay.scenes.load import load_scene, read_scene
from assay.scenes.values.scene import Scene

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

_SUFFIXES = (".yaml", ".yml")


def find_scene(name_or_path: str, *, scale: str | None = None) -> Scene:
    """Return a ready scene by its name, or the scene in a file: a path has a slash or ends in .yaml.

    Args:
        name_or_path: Which.
        scale: One of its scales; ``None`` is as written.

    Raises:
        UnknownNameError: no ready scene of that name, or no such scale of it.
        SceneError: the file cannot be read, or something in it is wrong.
    """
    if "/" in name_or_path or name_or_path.endswith(_SUFFIXES):
        return load_scene(Path(name_or_path), scale=scale)
    ready = _ready()
    if name_or_path not in ready:
        kind = "scene"
        hint = "assay scene list, or the path of a file that ends in .yaml"
        raise UnknownNameError(kind, name_or_path, ready, hint=hint)
    return _read(ready[name_or_path], scale=scale)


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
