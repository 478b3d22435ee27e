"""Commands around trials as they are planned: their files by absolute path, and where they cannot run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath

from assay.activities.plan.arms import Arms
from assay.model.activity import PlannedArm
from assay.model.errors import AssayError
from assay.model.work.scripts import Phase, Role, Scripts
from assay.scenes import Scene


def planned_scripts(scene: Scene, arms: Arms) -> tuple[Scripts, ...]:
    """Return the commands of a scene for its arms.

    Raises:
        AssayError: An arm is a place where nothing runs beside the probe.
    """
    for one in scene.scripts:
        for arm in _arms(one.role, arms):
            if arm.container is not None or arm.plugin is not None:
                why = "nothing but trials enters it"
                msg = f"cannot run the scripts of {one.role} in {arm.label}: {why}"
                raise AssayError(msg, hint="scripts: {host: …} runs on the machine that carries it")
    folder = Path(scene.file).absolute().parent
    return tuple(_planned(one, folder) for one in scene.scripts)


def _arms(role: Role, arms: Arms) -> Iterator[PlannedArm]:
    """Yield the arms whose places a role's commands run in."""
    if role is Role.BASELINE:
        yield arms.baseline
    if role is Role.TREATMENT:
        yield from arms.every[1:]


def _planned(one: Scripts, folder: Path) -> Scripts:
    """Return commands that start in the folder in which their inputs lie, each by its own name."""
    setup, check, start, teardown = (_in_folder(one.command(phase), one.inputs) for phase in Phase)
    inputs = tuple(str(folder / path) for path in one.inputs)
    return replace(one, setup=setup, check=check, start=start, teardown=teardown, inputs=inputs)


def _in_folder(command: tuple[str, ...], inputs: tuple[str, ...]) -> tuple[str, ...]:
    if not command or command[0] not in inputs:
        return command
    return (f"./{PurePosixPath(command[0]).name}", *command[1:])
