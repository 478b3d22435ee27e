"""The scene that a command names: a ready one, one of the site's own, or a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.cli.output import home_place

if TYPE_CHECKING:
    from assay.scenes import Scene


def named_scene(name_or_path: str, *, scale: str | None = None) -> Scene:
    """Return a scene (``scenes.find_scene``); the home is looked for only where it may be there.

    Raises:
        UnknownNameError: There is none of that name, no such version of it, or no such scale.
        SceneError: It cannot be read, or something in it is wrong.
    """
    from assay.scenes import find_scene, may_be_own

    return find_scene(name_or_path, scale=scale, home=home_place() if may_be_own(name_or_path) else None)
