"""A scene on another machine than this one: a lane of an activity on several machines."""

from __future__ import annotations

from dataclasses import replace

from assay.model.errors import AssayError
from assay.scenes.changes.write import write_scene
from assay.scenes.values.scene import OtherMachine, Scene, Treatment

LOCAL = "local"


def lane_scene(scene: Scene, machine: str) -> Scene:
    """Return a scene with a lane's machine wherever it says ``local``.

    Args:
        scene: The scene as it was asked for.
        machine: Name of the lane's machine.

    Raises:
        AssayError: It has a machine of its own as baseline, or places of a plug-in, which no lane carries.
    """
    if scene.baseline != LOCAL:
        msg = f"cannot put {scene.name} on other machines: its baseline is {scene.baseline}"
        raise AssayError(msg, hint="baseline: {machine: local}, which is each machine in turn")
    if machine != LOCAL and scene.plugin_places:
        kind = scene.plugin_places[0].kind
        msg = f"cannot put {scene.name} on other machines: places of kind '{kind}' are not made on them"
        raise AssayError(msg, hint=f"a scene for each machine: baseline: {{machine: {machine}}}")
    first, *more = (_there(wanted, machine) for wanted in scene.treatments)
    changed = replace(scene, baseline=machine, treatment=first, more=tuple(more))
    return scene if machine == LOCAL else replace(changed, source=write_scene(changed))


def _there(wanted: Treatment, machine: str) -> Treatment:
    if isinstance(wanted, OtherMachine) and wanted.machine == LOCAL:
        return replace(wanted, machine=machine)
    return wanted
