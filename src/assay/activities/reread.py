"""The scene of a result, read again from what its activity kept of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from assay.model.activity import ActivityPlan
from assay.model.errors import AssayError
from assay.scenes import Own, Scene, SceneError, read_scene


def reread_scene(plan: ActivityPlan) -> Scene:
    """Return the scene of an activity, its relative inputs as they were found then.

    Raises:
        AssayError: An input is gone, or this assay understands the scene in another way.
    """
    problem: SceneError | None = None
    for folder in _folders(plan):
        try:
            scene = read_scene(plan.scene_text.encode(), file=str(folder / f"{plan.scene}.yaml"))
        except SceneError as error:
            problem = problem or error
            continue
        if _inputs(scene, folder) >= {path for workload in plan.workloads for path in workload.inputs}:
            return _checked(scene, plan)
    msg = f"cannot repeat result {plan.id}: its inputs are no longer where they were"
    raise AssayError(msg, hint="bring them back, or evaluate the scene anew") from problem


def _folders(plan: ActivityPlan) -> Iterator[Path]:
    """Yield where the scene file may have been: relative inputs start there."""
    inputs = [Path(path) for workload in plan.workloads for path in workload.inputs]
    yield from dict.fromkeys((*(parent for path in inputs for parent in path.parents), Path("/")))


def _inputs(scene: Scene, folder: Path) -> set[str]:
    own = (workload for workload in scene.workloads if isinstance(workload, Own))
    return {str(folder / path) for workload in own for path in workload.inputs}


def _checked(scene: Scene, plan: ActivityPlan) -> Scene:
    if scene.digest != plan.scene_digest:
        msg = f"cannot repeat result {plan.id}: this assay understands its scene in another way"
        raise AssayError(msg, hint="evaluate the scene anew with this assay, and explain that result")
    return scene
