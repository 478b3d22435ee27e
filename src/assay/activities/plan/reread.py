"""The scene of a result, read again from what its activity kept of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from assay.model.activity import ActivityPlan
from assay.model.errors import AssayError
from assay.scenes import Own, Scene, SceneError, read_scene

ANEW = "evaluate the scene anew with this assay, and explain that result"


def reread_scene(plan: ActivityPlan) -> Scene:
    """Return the scene of an activity, its relative inputs as they were found then.

    Raises:
        AssayError: An input is gone, or this assay understands the scene in another way.
    """
    problems: list[SceneError] = []
    for folder in folders_then(plan):
        try:
            scene = read_scene(plan.scene_text.encode(), file=str(folder / f"{plan.scene}.yaml"))
        except SceneError as error:
            problems.append(error)
            continue
        if _inputs(scene, folder) >= set(_inputs_then(plan)):
            return _checked(scene, plan)
    raise _refusal(plan, problems) from next(iter(problems), None)


def _refusal(plan: ActivityPlan, problems: Sequence[SceneError]) -> AssayError:
    """Return why no folder gives the scene: its inputs where they are gone, else what is wrong in the scene
    itself.
    """
    gone = [path for path in _inputs_then(plan) if not Path(path).exists()]
    if gone or not problems:
        which = f": {', '.join(gone)}" if gone else ""
        msg = f"cannot repeat result {plan.id}: its inputs are no longer where they were{which}"
        return AssayError(msg, hint="bring them back, or evaluate the scene anew")
    real = min(problems, key=lambda error: len(error.problems))  # in the wrong folder inputs are missing too
    where = [f"line {one.line}, column {one.column}: {one.sentence}" for one in real.problems]
    msg = f"cannot repeat result {plan.id}: its scene cannot be used: {'; '.join(where)}"
    return AssayError(msg, hint=real.hint or ANEW)


def _inputs_then(plan: ActivityPlan) -> list[str]:
    return [path for workload in plan.workloads for path in workload.inputs]


def folders_then(plan: ActivityPlan) -> Iterator[Path]:
    """Yield where the scene file may have been: relative inputs start there."""
    inputs = map(Path, _inputs_then(plan))
    yield from dict.fromkeys((*(parent for path in inputs for parent in path.parents), Path("/")))


def _inputs(scene: Scene, folder: Path) -> set[str]:
    own = (workload for workload in scene.workloads if isinstance(workload, Own))
    return {str(folder / path) for workload in own for path in workload.inputs}


def _checked(scene: Scene, plan: ActivityPlan) -> Scene:
    if scene.digest != plan.scene_digest:
        msg = f"cannot repeat result {plan.id}: this assay understands its scene in another way"
        raise AssayError(msg, hint=ANEW)
    return scene
