"""Evaluation scenes: the library, a site's own, what one would do, and its text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.concurrency import run_in_threadpool

from assay.model.errors import UnknownNameError
from assay.model.files.own_scenes import OwnScene, own_names, own_scenes, scene_versions
from assay.report.lists.scene_index import listed_scenes
from assay.scenes import Scene, SceneError, find_scene, ready_names, scene_diff
from assay.store.own_scenes import check_scene
from assay.store.search import Filter
from assay.web.access.person import require_role
from assay.web.acts.carry import Done
from assay.web.acts.requests import EvaluateScene, PlanScene, RemoveScene, SaveScene, TuneScene, scene_name
from assay.web.frame import templates
from assay.web.given import post, read, sent_with
from assay.web.lines import ResultLine, moment, result_lines
from assay.web.route import page
from assay.web.site import At, By, Site

router = APIRouter(tags=["scenes"])
NEWEST_RESULTS = 5
SHOWN_BLOCKS = 12
NEW = """\
scene: my-scene
title: One line for people
baseline: {machine: local}
treatment: {platform: guest}
workloads: [sysbench-cpu]
design: {blocks: 6}
"""
"""What the editor begins with; checked as any scene by a test."""


@dataclass(frozen=True)
class OwnLine:
    """A scene of the site's own, in its newest version.

    Attributes:
        name: Its name.
        version: Number of the version.
        title: One line for people; ``None`` where it cannot be read.
        saved: When it was saved, ISO 8601 in UTC; ``None`` where that is not known.
        by: Who saved it.
        note: What was said of the version.
    """

    name: str
    version: int
    title: str | None
    saved: str | None
    by: str | None
    note: str | None


@dataclass(frozen=True)
class ReadyLine:
    """A scene that comes with assay.

    Attributes:
        name: Its name.
        title: One line for people.
        cited: Whose published figures stand beside its own.
        takes_s: About how long it takes, seconds; ``None`` where it does not say.
    """

    name: str
    title: str
    cited: tuple[str, ...]
    takes_s: float | None


@dataclass(frozen=True)
class Scenes:
    """The scenes.

    Attributes:
        own: Those of the site, by name.
        ready: Those that come with assay, by name.
        find: What titles and names are searched for; ``None`` for nothing.
    """

    own: tuple[OwnLine, ...]
    ready: tuple[ReadyLine, ...]
    find: str | None


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
    results: tuple[ResultLine, ...]
    may_run: bool


@page(router, "/scenes", "scenes.html")
def scenes(site: At, find: str | None = None) -> Scenes:
    """All scenes: the site's own, and those that come with assay."""
    word = (find or "").casefold()
    own = tuple(map(_own_line, own_scenes(site.home)))
    ready = tuple(
        ReadyLine(one["name"], one["title"], tuple(one["cited"]), one["takes_s"]) for one in listed_scenes()
    )
    return Scenes(
        own=tuple(one for one in own if word in f"{one.name} {one.title}".casefold()),
        ready=tuple(one for one in ready if word in f"{one.name} {one.title}".casefold()),
        find=find,
    )


def _own_line(one: OwnScene) -> OwnLine:
    saved = None if one.saved_ns is None else moment(one.saved_ns)
    return OwnLine(one.name, one.version, one.title, saved, one.by, one.note)


@dataclass(frozen=True)
class Edited:
    """A text in the editor.

    Attributes:
        name: The scene that it is a version of; ``None`` for a new one.
        text: Where it begins.
    """

    name: str | None
    text: str


@page(router, "/scenes/new", "scene_editor.html")
def new_scene(site: At, like: str | None = None) -> Edited:
    """A new scene, which may begin like another."""
    return Edited(None, NEW if like is None else _scene(site, like).source)


@page(router, "/scenes/{scene}", "scene.html")
def scene(site: At, by: By, scene: str) -> SceneShown:
    """A scene: what it compares, its text and versions, its newest results."""
    found, entries = _scene(site, scene), site.store.entries()
    return SceneShown(
        name=scene,
        title=found.title,
        baseline=found.baseline,
        workloads=tuple(dict.fromkeys(one.name for one in found.workloads)),
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
        results=result_lines(site, site.store.search(Filter(scene=found.name), limit=NEWEST_RESULTS).rows),
        may_run=by.role >= EvaluateScene.role,
    )


def _scene(site: Site, name: str) -> Scene:
    """Return a scene by its name alone: a path of this machine is none.

    Raises:
        UnknownNameError: None is called so.
    """
    if name.partition("@")[0] not in (known := {*ready_names(), *own_names(site.home)}):
        raise UnknownNameError(kind="scene", name=name, known=known, hint="assay scene list")
    return find_scene(name, home=site.home)


def _versions(site: Site, name: str) -> tuple[OwnLine, ...]:
    if name not in own_names(site.home):
        return ()
    return tuple(map(_own_line, reversed(scene_versions(site.home, name))))


@dataclass(frozen=True)
class LanePlan:
    """What measuring a scene would take on one machine of several.

    Attributes:
        machine: Its name.
        trials: Number of trials; ``None`` where it cannot be measured there.
        seconds: About how long it takes; ``None`` where that is not known.
        error: Why it cannot be measured there; ``None`` where it can.
    """

    machine: str
    trials: int | None
    seconds: float | None
    error: str | None


@dataclass(frozen=True)
class PlanShown:
    """What measuring a scene would take.

    Attributes:
        scene: Its name.
        asked: Fields of the request, for the form that begins it.
        blocks: Blocks of the plan, or the most of them.
        predicted: Blocks that the goal takes at this machine's noise; ``None`` where that is not known.
        basis: What that is known by.
        seconds: About how long it takes; ``None`` where that is not known.
        disk_bytes: Room that it needs.
        trials: Number of trials.
        arms: Labels of the arms, the baseline first.
        order: The arm of each trial in the first blocks, by its place in ``arms``.
        doubts: What speaks against its design.
        lanes: A line a machine, where it is on several; empty where it is on one.
    """

    scene: str
    asked: Mapping[str, str]
    blocks: int
    predicted: int | None
    basis: str
    seconds: float | None
    disk_bytes: int | None
    trials: int
    arms: tuple[str, ...]
    order: tuple[tuple[int, ...], ...]
    doubts: tuple[str, ...]
    lanes: tuple[LanePlan, ...]


class Wish(BaseModel):
    """What is asked of a plan; what is empty is not asked."""

    model_config = ConfigDict(extra="ignore")
    on: str = ""
    against: str = ""
    blocks: str = ""
    precision: str = ""
    time_budget: str = ""


@page(router, "/scenes/{scene}/plan", "plan.html")
def plan(site: At, by: By, scene: str, wish: Annotated[Wish, Query()]) -> PlanShown:
    """What measuring a scene would take: blocks, time, disk."""
    asked = {name: value for name, value in wish.model_dump().items() if value}
    try:
        act = PlanScene.model_validate({"scene": scene, **asked})
    except ValidationError as error:
        raise RequestValidationError(
            [{**one, "loc": ("query", *one["loc"])} for one in error.errors()]
        ) from None
    done = site.carrier.carry_out(act, by)
    return _plan_shown(scene, asked, done.answer or {})


def _plan_shown(scene: str, asked: Mapping[str, str], told: Mapping[str, Any]) -> PlanShown:
    lanes = tuple(
        LanePlan(one["machine"], one["trials"], one["seconds"], one["error"]) for one in told.get("lanes", ())
    )
    trials = told.get("trials", ())
    arms = tuple(arm["label"] for arm in told.get("arms", ()))
    order: dict[int, list[int]] = {}
    for trial in trials:
        label = trial["treatment"] if trial["arm"] == "treatment" else None
        place = arms.index(label) if label in arms else 0
        order.setdefault(trial["block"], []).append(place)
    return PlanShown(
        scene=scene,
        asked=asked,
        blocks=told.get("blocks", 0),
        predicted=told.get("blocks_predicted"),
        basis=told.get("basis", ""),
        seconds=told.get("seconds"),
        disk_bytes=told.get("disk_bytes"),
        trials=len(trials) or sum(lane.trials or 0 for lane in lanes),
        arms=arms,
        order=tuple(map(tuple, [*order.values()][:SHOWN_BLOCKS])),
        doubts=tuple(one["sentence"] for one in told.get("doubts", ())),
        lanes=lanes,
    )


@dataclass(frozen=True)
class SceneDiff:
    """What one version says otherwise than another.

    Attributes:
        name: The scene.
        a: Number of the one version.
        b: Number of the other.
        lines: The unified diff, a line each; empty where they are the same.
    """

    name: str
    a: int
    b: int
    lines: tuple[str, ...]


@page(router, "/scenes/{scene}/diff", "scene_diff.html")
def diff(site: At, scene: str, a: int, b: int) -> SceneDiff:
    """What one version of a scene says otherwise than another."""
    return SceneDiff(scene, a, b, tuple(scene_diff(site.home, scene, a, b).splitlines()))


@page(router, "/scenes/{scene}/edit", "scene_editor.html")
def edit_scene(site: At, scene: str) -> Edited:
    """A scene in the editor."""
    return Edited(scene.partition("@")[0], _scene(site, scene).source)


class Text(BaseModel):
    """A text that may be a scene; other fields of its form are passed over."""

    model_config = ConfigDict(extra="ignore")
    text: Annotated[str, Field(max_length=512 * 1024)]


@dataclass(frozen=True)
class ProblemShown:
    """What is wrong with a text.

    Attributes:
        line: Where, from 1; 0 for the whole.
        column: Where, from 1.
        sentence: What was expected.
        hint: What helps; ``None`` for nothing.
    """

    line: int
    column: int
    sentence: str
    hint: str | None


@dataclass(frozen=True)
class Checked:
    """What a text is as a scene.

    Attributes:
        problems: What is wrong with it, in the order of the text; empty where it can be saved.
        title: Its title, where it can.
    """

    problems: tuple[ProblemShown, ...]
    title: str | None


@router.post(
    "/scenes/check",
    response_model=Checked,
    summary="Say what is wrong with a scene's text; it is neither kept nor run.",
    description=f"Takes the role {SaveScene.role.word}.",
    openapi_extra=sent_with(Text),
)
async def check(request: Request, by: By) -> Response:
    """Say what is wrong with a text."""
    require_role(by, SaveScene.role, "check a scene")
    given = await read(request, Text)
    checked = await run_in_threadpool(_checked, given)
    if "hx-request" in request.headers:
        template = templates().get_template("scene_problems.html")
        return HTMLResponse(template.render(checked=checked))
    return JSONResponse(asdict(checked))


def _checked(given: Text) -> Checked:
    try:
        found = check_scene(scene_name(given.text), given.text.replace("\r\n", "\n"), "scene")
    except SceneError as error:
        return Checked(
            tuple(ProblemShown(one.line, one.column, one.sentence, one.hint) for one in error.problems), None
        )
    return Checked((), found.title)


post(router, "/scenes", SaveScene, lambda act, _: f"/scenes/{act.name}", "saved")
post(
    router,
    "/scenes/{scene}/tune",
    TuneScene,
    lambda *_: "/tune",
    "begun: the search is listed once it has looked at this machine",
)
post(router, "/scenes/{name}/remove", RemoveScene, lambda *_: "/scenes", "removed")


def _begun(_: EvaluateScene, done: Done) -> str:
    return f"/activities/{(done.answer or {}).get('activity', '')}"


post(router, "/scenes/{scene}/evaluate", EvaluateScene, _begun, "begun")
