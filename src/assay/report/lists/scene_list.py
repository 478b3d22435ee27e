"""Entries of scenes for their list, made of the scenes."""

from __future__ import annotations

from collections.abc import Sequence

from assay.scenes import Scene, publications, published_figures


def scene_entries(scenes: Sequence[Scene]) -> list[dict[str, object]]:
    """Return an entry a scene; ``takes_s`` is ``None`` where a scene does not say."""
    return [_entry(scene) for scene in scenes]


def _entry(scene: Scene) -> dict[str, object]:
    known, named = publications(), published_figures()
    keys = tuple(dict.fromkeys(named[wanted.figures][0].publication for wanted in scene.published))
    return {
        "name": scene.name,
        "title": scene.title,
        "publications": list(keys),
        "cited": [f"{known[key].authors} {known[key].year}" for key in keys],
        "takes_s": scene.takes_s,
    }
