"""The texts of a site's own scenes (``model.files.own_scenes``), and what differs between versions."""

from __future__ import annotations

import difflib
from pathlib import Path

from assay.model.files.own_scenes import own_file
from assay.scenes.load import source_of, text_of


def scene_text(home: Path, name: str, version: int | None = None) -> str:
    """Return the text of an own scene.

    Raises:
        UnknownNameError: As ``own_file``.
        SceneError: It cannot be read.
    """
    file = own_file(home, name, version)
    return text_of(source_of(file), str(file))


def scene_diff(home: Path, name: str, a: int, b: int) -> str:
    """Return what version B says otherwise than version A, as a unified diff; empty for nothing.

    Raises:
        UnknownNameError: As ``own_file``.
        SceneError: One cannot be read.
    """
    before, after = (scene_text(home, name, number).splitlines(keepends=True) for number in (a, b))
    return "".join(difflib.unified_diff(before, after, f"{name}@{a}", f"{name}@{b}"))
