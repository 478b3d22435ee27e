"""What measuring a scene would take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, ValidationError

from assay.report.render.frame import Document, document
from assay.web.acts.requests import PlanScene
from assay.web.route import page
from assay.web.site import At, By

router = APIRouter(tags=["scenes"])
SHOWN_BLOCKS = 12
SHOWN_LANES = 100
"""Machines in the table of the page; its JSON has all."""


@dataclass(frozen=True)
class LanePlan:
    """What measuring a scene would take on one machine of several.

    Attributes:
        machine: Its name.
        trials: Number of trials; ``None`` where it cannot be measured there.
        seconds: About how long it takes; ``None`` where that is not known.
        disk_bytes: Room that it needs on the disk of assay's state; ``None`` where that is not known.
        error: Why it cannot be measured there; ``None`` where it can.
    """

    machine: str
    trials: int | None
    seconds: float | None
    disk_bytes: int | None
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
        disk_bytes: Room that it needs on the disk of assay's state, of several machines together; ``None``
            where that is not known.
        trials: Number of trials.
        arms: Labels of the arms, the baseline first.
        order: The arm of each trial in the first blocks, by its place in ``arms``.
        doubts: What speaks against its design.
        lanes: A line a machine, where it is on several, those first where it cannot be measured; empty where
            it is on one.
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
    drain: str = ""


def _drawn(found: PlanShown) -> Document:
    return document("plan.html", (), page=found, shown_lanes=SHOWN_LANES)


@page(router, "/scenes/{scene}/plan", _drawn, role=PlanScene.role)
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
    lanes = [*map(_lane, told.get("lanes", ()))]
    rooms = [lane.disk_bytes for lane in lanes if lane.disk_bytes is not None]
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
        disk_bytes=sum(rooms) if rooms else told.get("disk_bytes"),
        trials=len(trials) or sum(lane.trials or 0 for lane in lanes),
        arms=arms,
        order=tuple(map(tuple, [*order.values()][:SHOWN_BLOCKS])),
        doubts=tuple(one["sentence"] for one in told.get("doubts", ())),
        lanes=tuple(sorted(lanes, key=lambda lane: lane.error is None)),
    )


def _lane(told: Mapping[str, Any]) -> LanePlan:
    error = None if told["error"] is None else told["error"]["message"]
    return LanePlan(told["machine"], told["trials"], told["seconds"], told.get("disk_bytes"), error)
