"""The editor of scenes: what is wrong with a text, its versions, what differs between two."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field
from starlette.concurrency import run_in_threadpool

from assay.scenes import SceneError, scene_diff
from assay.store.own_scenes import check_scene
from assay.web.access.person import require_role
from assay.web.acts.requests import RemoveScene, SaveScene, scene_name
from assay.web.frame import templates
from assay.web.given import post, read, sent_with
from assay.web.route import page
from assay.web.site import At, By
from assay.web.views.scenes import named_scene

router = APIRouter(tags=["scenes"])
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
class Edited:
    """A text in the editor.

    Attributes:
        name: The scene that it is a version of; ``None`` for a new one.
        text: Where it begins.
        may_save: Whether who asks may save it.
    """

    name: str | None
    text: str
    may_save: bool


@page(router, "/new-scene", "scene_editor.html")
def new_scene(site: At, by: By, like: str | None = None) -> Edited:
    """A new scene, which may begin like another."""
    text = NEW if like is None else named_scene(site, like).source
    return Edited(None, text, by.role >= SaveScene.role)


@page(router, "/scenes/{scene}/edit", "scene_editor.html")
def edit_scene(site: At, by: By, scene: str) -> Edited:
    """A scene in the editor."""
    return Edited(scene.partition("@")[0], named_scene(site, scene).source, by.role >= SaveScene.role)


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
post(router, "/scenes/{name}/remove", RemoveScene, lambda *_: "/scenes", "removed")
