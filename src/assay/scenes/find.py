"""Scenes by name, which come with the package, or by path."""

from __future__ import annotations

from pathlib import Path

from assay.model.errors import UnknownNameError
from assay.scenes.load import load_scene, read_scene
from assay.scenes.scene import Scene

_SUFFIXES = (".yaml", ".yml")


def find_scene(name_or_path: str) -> Scene:
    """Return a ready scene by its name, or the scene in a file: a path has a slash or ends in .yaml.

    Raises:
        UnknownNameError: no ready scene of that name.
        SceneError: the file cannot be read, or something in it is wrong.
    """
    if "/" in name_or_path or name_or_path.endswith(_SUFFIXES):
        return load_scene(Path(name_or_path))
    texts = _ready()
    if name_or_path not in texts:
        kind = "scene"
        hint = "assay scene list, or the path of a file that ends in .yaml"
        raise UnknownNameError(kind, name_or_path, texts, hint=hint)
    return read_scene(texts[name_or_path], file=f"{name_or_path}.yaml")


def list_scenes() -> tuple[tuple[str, str], ...]:
    """Return name and title of every ready scene, sorted by name."""
    scenes = (read_scene(source, file=f"{name}.yaml") for name, source in sorted(_ready().items()))
    return tuple((scene.name, scene.title) for scene in scenes)


def _ready() -> dict[str, bytes]:
    from importlib import resources  # takes longer to import than the rest of this room

    folder = resources.files("assay.scenes") / "library"
    files = (item for item in folder.iterdir() if item.name.endswith(_SUFFIXES))
    return {item.name.rpartition(".")[0]: item.read_bytes() for item in files}
