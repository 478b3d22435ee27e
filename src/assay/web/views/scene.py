"""One scene: what it compares, its newest results, and what is begun with it."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter

from assay.activities.plan.declared import DeclaredPlan, declared_plan
from assay.model.files.own_scenes import own_names, scene_versions
from assay.scenes.values.chosen import name_of
from assay.store.search import Filter
from assay.web.acts.carry import Done
from assay.web.acts.requests import EvaluateScene, TuneScene
from assay.web.given import post
from assay.web.lines import ResultLine, result_lines
from assay.web.route import page
from assay.web.site import At, By, Site
from assay.web.views.plan import SHOWN_BLOCKS
from assay.web.views.scenes import OwnLine, named_scene, own_line

router = APIRouter(tags=["scenes"])
NEWEST_RESULTS = 5


@dataclass(frozen=True)
class SceneShown:
    """A scene.

    Attributes:
        name: Its name, with the version where an older one is shown.
        title: One line for people.
        baseline: What is the baseline.
        workloads: What runs.
        treatments: How many treatments are compared with the baseline.
        blocks: Blocks of its design.
        confidence: Coverage of its intervals, a ratio.
        margin: Loss that does not matter, a ratio.
        takes_s: About how long it takes, seconds; ``None`` where it does not say.
        scales: Its scales, name and what each is.
        text: The file.
        own: Versions of it, the newest first; empty for a scene that comes with assay.
        machines: Names of the machines that it can be measured on.
        groups: Groups of them.
        declared: Its trials, as far as it declares them: no machine was looked at.
        results: Its newest results.
        may_run: Whether who asks may measure it.
    """

    name: str
    title: str
    baseline: str
    workloads: tuple[str, ...]
    treatments: int
    blocks: int
    confidence: float
    margin: float
    takes_s: float | None
    scales: tuple[tuple[str, str], ...]
    text: str
    own: tuple[OwnLine, ...]
    machines: tuple[str, ...]
    groups: tuple[str, ...]
    declared: DeclaredPlan
    results: tuple[ResultLine, ...]
    may_run: bool


@page(router, "/scenes/{scene}", "scene.html")
def scene(site: At, by: By, scene: str) -> SceneShown:
    """A scene: what it compares, its text and versions, its newest results."""
    found, entries = named_scene(site, scene), site.store.entries()
    return SceneShown(
        name=scene,
        title=found.title,
        baseline=found.baseline,
        workloads=tuple(dict.fromkeys(map(name_of, found.workloads))),
        treatments=1 + len(found.more),
        blocks=found.design.blocks,
        confidence=found.design.confidence,
        margin=found.design.margin,
        takes_s=found.takes_s,
        scales=found.scales,
        text=found.source,
        own=_versions(site, found.name),
        machines=tuple(entry.name for entry in entries),
        groups=tuple(sorted({group for entry in entries for group in entry.groups})),
        declared=declared_plan(found, shown=SHOWN_BLOCKS),
        results=result_lines(site, site.store.search(Filter(scene=found.name), limit=NEWEST_RESULTS).rows),
        may_run=by.role >= EvaluateScene.role,
    )


def _versions(site: Site, name: str) -> tuple[OwnLine, ...]:
    if name not in own_names(site.home):
        return ()
    return tuple(map(own_line, reversed(scene_versions(site.home, name))))


post(
    router,
    "/scenes/{scene}/tune",
    TuneScene,
    lambda *_: "/tune",
    "begun: the search is listed once it has looked at this machine",
)


def _begun(_: EvaluateScene, done: Done) -> str:
    return f"/activities/{(done.answer or {}).get('activity', '')}"


post(router, "/scenes/{scene}/evaluate", EvaluateScene, _begun, "begun")
