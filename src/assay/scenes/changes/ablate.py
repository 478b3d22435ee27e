"""Whether a possible cause of a loss is in a scene, and the scene without it; one pair of
functions a cause.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from assay.model.work.page_cache import CacheSpec, CacheState
from assay.scenes.values.chosen import Own, Ready
from assay.scenes.values.scene import Guest, OtherMachine, Scene
from assay.workloads import WORKLOADS, Sizes

STAGGER_S = 2.0
"""Time between the starts of copies: long against the first burst of reads and of page faults of a job."""


def only_guests(scene: Scene) -> str | None:
    """Return why a scene has no guest whose setting could be ablated."""
    return None if isinstance(scene.treatment, Guest) else "the treatment is no guest"


def on_guests(scene: Scene, change: Callable[[Guest], Guest]) -> Scene:
    """Return a scene with its guests changed so: the treatment's, and the baseline's where that is one."""
    if not isinstance(scene.treatment, Guest):
        return scene
    baseline = scene.baseline_guest and change(scene.baseline_guest)
    return replace(scene, treatment=change(scene.treatment), baseline_guest=baseline)


def on_workloads(change: Callable[[Ready | Own], Ready | Own]) -> Callable[[Scene], Scene]:
    """Return the change of a scene that changes each of its workloads so."""
    return lambda scene: replace(scene, workloads=tuple(map(change, scene.workloads)))


def _is_two_phase(workload: Ready | Own) -> bool:
    return isinstance(workload, Own) and workload.command[:3] == ("{probe}", "kernel", "two-phase")


def _output_at(workload: Ready | Own) -> int | None:
    """Return the place of the bytes that a two-phase job writes for each event; ``None`` where it writes
    none.
    """
    if not isinstance(workload, Own) or not _is_two_phase(workload):
        return None
    command = workload.command
    if "--output-bytes" not in command[:-1]:
        return None
    at = command.index("--output-bytes") + 1
    return None if command[at] == "0" else at


def _can_leave_out(workload: Ready | Own) -> bool:
    """Tell whether a workload writes an output that it can do without."""
    if isinstance(workload, Own):
        return _output_at(workload) is not None
    return "output" in WORKLOADS[workload.name].parameters and not workload.parameters.no_output


def has_output(scene: Scene) -> str | None:
    """Return why no workload can be run without its output."""
    if any(map(_can_leave_out, scene.workloads)):
        return None
    own = [workload for workload in scene.workloads if isinstance(workload, Own)]
    if own and all(map(_is_two_phase, own)):
        return "the two-phase job writes no output"
    if own:
        return "assay cannot tell a command of your own to leave its output out; evaluate it once without"
    return (
        "no workload writes an output that it could leave out (fio's files are its work, and all steps "
        "of the chain in turn read what they wrote)"
    )


def without_output(workload: Ready | Own) -> Ready | Own:
    """Return a workload without its output, or as it is where it must have it."""
    if not _can_leave_out(workload):
        return workload
    if isinstance(workload, Ready):
        return replace(workload, parameters=replace(workload.parameters, no_output=True))
    at = _output_at(workload) or 0
    return replace(workload, command=(*workload.command[:at], "0", *workload.command[at + 1 :]))


def _preloadable(workload: Ready | Own) -> bool:
    if workload.cache is not None:
        return workload.cache.state.starts_cold
    return isinstance(workload, Own) and bool(workload.inputs)


def can_preload(scene: Scene) -> str | None:
    """Return why no workload has files that could be in the page cache before it starts."""
    if isinstance(scene.treatment, OtherMachine) and scene.treatment.page_cache is not None:
        return "the treatment's own factor page-cache stands before it: leave that out"
    if any(map(_preloadable, scene.workloads)):
        return None
    return "no workload starts cold or reads inputs of its own"


def preload(workload: Ready | Own) -> Ready | Own:
    """Return a workload with its files in the page cache, or as it is where it has none."""
    files = workload.cache.files if workload.cache else None
    return replace(workload, cache=CacheSpec(CacheState.WARM, files)) if _preloadable(workload) else workload


def _at_once(workload: Ready | Own) -> bool:
    most = max((workload.placement.copies, *workload.copies))
    return most > 1 and workload.placement.stagger_s == 0


def can_stagger(scene: Scene) -> str | None:
    """Return why starting copies one after the other would show nothing."""
    together = [workload for workload in scene.workloads if _at_once(workload)]
    if not together:
        return "no workload has copies that start at once"
    if all(isinstance(workload, Own) and workload.phases is None for workload in together):
        return "the wall time of the copies holds the stagger itself; let the workload tell its phases"
    return None


def stagger(workload: Ready | Own) -> Ready | Own:
    """Return a workload with its copies started one after the other, or as it is where it has one."""
    if not _at_once(workload):
        return workload
    return replace(workload, placement=replace(workload.placement, stagger_s=STAGGER_S))


def uncached_by_host(scene: Scene) -> str | None:
    """Return why the host's page cache cannot be put under the guest's disk."""
    if isinstance(scene.treatment, Guest) and scene.treatment.disk_cache == "unsafe":
        return "the guest's disk is in mode unsafe already"
    return only_guests(scene)


def with_host_cache(scene: Scene) -> Scene:
    """Return a scene whose guests have their disks in the host's page cache, flushes not waited for."""
    return on_guests(scene, lambda guest: replace(guest, disk_cache="unsafe"))


def with_more_memory(scene: Scene) -> Scene:
    """Double the memory of guests, or lift a machine's limit; files stay as large as a guest's memory made
    them.
    """
    if not isinstance(scene.treatment, Guest):
        return without_factor("memory_limit_bytes")(scene)
    guests = (scene.treatment, scene.baseline_guest or scene.treatment)
    memory = min(guest.memory_bytes for guest in guests)

    def keep(workload: Ready | Own) -> Ready | Own:
        if not isinstance(workload, Ready) or workload.parameters.size_bytes or workload.sizes:
            return workload
        file_bytes = WORKLOADS[workload.name].file_bytes
        if file_bytes is None:
            return workload
        size = file_bytes(Sizes(None, memory // workload.placement.copies, 1))
        return replace(workload, parameters=replace(workload.parameters, size_bytes=size))

    doubled = on_guests(scene, lambda guest: replace(guest, memory_bytes=2 * guest.memory_bytes))
    return replace(doubled, workloads=tuple(map(keep, scene.workloads)))


def has_factor(field: str, what: str) -> Callable[[Scene], str | None]:
    """Return what tells why a machine as treatment has no such factor to ablate.

    Args:
        field: Name of the factor in ``OtherMachine``.
        what: It in words, "quota of processor time".
    """

    def missing(scene: Scene) -> str | None:
        limited = isinstance(scene.treatment, OtherMachine) and getattr(scene.treatment, field) is not None
        return None if limited else f"the treatment has no {what}"

    return missing


def without_factor(field: str) -> Callable[[Scene], Scene]:
    """Return the change of a scene that takes a factor from its treatment."""

    def ablated(scene: Scene) -> Scene:
        if not isinstance(scene.treatment, OtherMachine):
            return scene
        freed: dict[str, Any] = {field: None}
        return replace(scene, treatment=replace(scene.treatment, **freed))

    return ablated


def has_little_memory(scene: Scene) -> str | None:
    """Return why there is no memory to be had: a guest can always have more."""
    if isinstance(scene.treatment, Guest):
        return None
    return has_factor("memory_limit_bytes", "limit of memory")(scene)
