"""The ready scenes as a list: what each asks, whose figures lie beside its own, about how long it takes."""

from __future__ import annotations

from collections.abc import Sequence

from assay.model.units import format_seconds
from assay.pages.numbers import NOTHING
from assay.report.tables.tables import table
from assay.scenes import Scene, publications, published_figures

HEADERS = ("scene", "title", "published", "takes about")


def scene_table(scenes: Sequence[Scene]) -> str:
    """Return the list for a terminal, a line a scene."""
    return table(HEADERS, [_cells(scene) for scene in scenes])


def scene_entries(scenes: Sequence[Scene]) -> list[dict[str, object]]:
    """Return the list as JSON has it; ``takes_s`` is ``None`` where a scene does not say."""
    return [
        {
            "name": scene.name,
            "title": scene.title,
            "publications": list(_keys(scene)),
            "takes_s": scene.takes_s,
        }
        for scene in scenes
    ]


def _cells(scene: Scene) -> tuple[str, ...]:
    known = publications()
    cited = (f"{known[key].authors} {known[key].year}" for key in _keys(scene))
    takes = NOTHING if scene.takes_s is None else format_seconds(scene.takes_s)
    return scene.name, scene.title, ", ".join(cited) or NOTHING, takes


def _keys(scene: Scene) -> tuple[str, ...]:
    named = published_figures()
    return tuple(dict.fromkeys(named[wanted.figures][0].publication for wanted in scene.published))
