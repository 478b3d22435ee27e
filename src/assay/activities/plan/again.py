"""The scene of a result as it was measured, to be measured again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from assay.activities.plan.kept_inputs import kept_inputs
from assay.activities.plan.reread import ANEW, folders_then
from assay.model.activity import ActivityPlan
from assay.model.errors import AssayError
from assay.model.fleet import Fleet
from assay.scenes.changes.again import Again, again_text

Places = Callable[[Sequence[str]], Mapping[str, str]]


def scene_again(plan: ActivityPlan, folder: Path) -> str:
    """Return the text of the scene that measures a result again: with its seed, and its inputs as they were.

    Args:
        plan: Its plan.
        folder: Its folder, which has the copies of its inputs.

    Raises:
        AssayError: Where an input lay is not known, or its copy was changed.
        SceneError: The text that was kept is no scene's.
    """
    kept = kept_inputs(folder)

    def places(paths: Sequence[str]) -> Mapping[str, str]:
        lay = _lay(plan, paths)
        return {path: _kept_place(lay[path], kept) for path in paths}

    blocks = plan.blocks if plan.extended else None
    return again_text(plan.scene_text, _again(plan, plan.seed, blocks, places, kept), file=plan.scene)


def fleet_scene_again(fleet: Fleet, lane: ActivityPlan, lane_folder: Path) -> str:
    """Return the text of the scene that measures the same machines again.

    Args:
        fleet: The activity on several machines.
        lane: The plan of one of them.
        lane_folder: Its folder, which has the copies of the inputs.

    Raises:
        AssayError: A copy of an input was changed.
        SceneError: The text that was kept is no scene's.
    """
    start, kept = Path(fleet.scene_file).parent, kept_inputs(lane_folder)

    def places(paths: Sequence[str]) -> Mapping[str, str]:
        return {path: _kept_place(str(start / path), kept) for path in paths}

    return again_text(fleet.scene_text, _again(lane, fleet.seed, None, places, kept), file=fleet.scene)


def _again(
    plan: ActivityPlan, seed: int, blocks: int | None, places: Places, kept: Mapping[str, Path]
) -> Again:
    scripts = [
        replace(one, inputs=tuple(_kept_place(path, kept) for path in one.inputs)) for one in plan.scripts
    ]
    return Again(seed, blocks, places, None if plan.data is None else plan.data.path, scripts)


def _kept_place(path: str, kept: Mapping[str, Path]) -> str:
    """Return where the copy of an input lies; of what has none, where it lay itself."""
    return str(kept[path].absolute()) if path in kept else path


def _lay(plan: ActivityPlan, paths: Sequence[str]) -> Mapping[str, str]:
    """Return where inputs lay, by what the scene calls them: its folder is where all of them lay."""
    then = {path for workload in plan.workloads for path in workload.inputs}
    for folder in folders_then(plan):
        lay = {path: str(folder / path) for path in paths}
        if then.issuperset(lay.values()):
            return lay
    msg = f"cannot write the scene of result {plan.id}: where its inputs lay is not known: {', '.join(paths)}"
    raise AssayError(msg, hint=ANEW)
