"""A container as a side of a comparison, and as the place where the trials of one visit run."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from assay.activities.visits.cpu_allocation import check_memory
from assay.activities.visits.visit import Visit, attached
from assay.machines import InsideDoor
from assay.model.activity import PlannedArm
from assay.model.doubt import Raised, raised
from assay.model.machines.machine import Facts, Limits
from assay.model.platforms.container import Container, PlannedContainer, Runtime
from assay.model.platforms.layout import GuestShare
from assay.model.trial import Usage
from assay.model.units import format_bytes
from assay.platforms.containers.available import try_folder, try_name, try_runtime
from assay.platforms.containers.container import RunningContainer, container_of
from assay.platforms.containers.spec import ContainerSpec
from assay.platforms.containers.uml import GREETING

TOLERANCE, TICKS_S = 0.02, 0.05
"""gVisor and user-mode Linux count CPU time in ticks of 10 ms as they pass, also while others have the
processor.
"""


def contained(arm: PlannedArm, wanted: PlannedContainer, here: Facts) -> PlannedArm:
    """Return a side of this machine put into a container; its label names it.

    A limit on memory that the side has already, so as to be a guest's equal, becomes the container's.

    Raises:
        MissingError: The machine has too little memory for it.
    """
    memory = arm.limits.memory_bytes if wanted.memory_bytes is None else wanted.memory_bytes
    if memory is not None:
        check_memory(here, memory)
    limits = replace(arm.limits, memory_bytes=memory, cpu_quota=wanted.cpu_quota)
    return replace(arm, label=label_of(wanted), limits=limits, container=replace(wanted, memory_bytes=memory))


def label_of(wanted: PlannedContainer) -> str:
    """Return what a container is called in tables, ``runsc ptrace, 512 MiB memory``."""
    name = f"{wanted.runtime} {wanted.platform}" if wanted.platform else str(wanted.runtime)
    quota = "" if wanted.cpu_quota is None else f" at {100 * wanted.cpu_quota:.4g}% CPU"
    limited = wanted.memory_bytes is not None and wanted.runtime is not Runtime.UML
    memory = f", {format_bytes(wanted.memory_bytes or 0)} memory" if limited else ""
    return f"{name}{quota}{memory}"


def check_wanted(wanted_each: Sequence[PlannedContainer], *, home: Path) -> None:
    """Run a program that does nothing in each container that is asked for, and remove it.

    Raises:
        MissingError: It is not installed, or does not run on this machine.
    """
    for wanted in dict.fromkeys(wanted_each):
        try_runtime(
            _spec(wanted, name=try_name(), activity=try_name(), cpus=_any_cpu(), folder=try_folder(home))
        )


def make_container(
    arm: PlannedArm, share: GuestShare, *, name: str, activity: str, home: Path, network: str | None
) -> RunningContainer:
    """Return a side's container, not yet started; the caller removes it.

    Args:
        arm: The side, which has one.
        share: What it gets of the side's processors and memory; 0 bytes is "all".
        name: Name of the container.
        activity: The activity that it belongs to.
        home: Folder of all state.
        network: Network namespace that it joins; ``None`` stays in this machine's.
    """
    folder = home / "containers" / name
    wanted = replace(arm.place_as(PlannedContainer), memory_bytes=share.memory_bytes or None)
    made = _spec(wanted, name=name, activity=activity, cpus=share.cpus, folder=folder)
    return container_of(replace(made, network=network))


@contextmanager
def container_visit(
    container: RunningContainer, label: str, activity: str, *, home: Path, own: str = ""
) -> Iterator[Visit]:
    """Start a container with the probe in it, and open it for a visit; it ends when that is closed.

    Args:
        container: Not yet started.
        label: What its arm is called.
        activity: Identity of the activity.
        home: Folder of all state.
        own: A folder of its own for trials, where several run beside each other and share the file system.

    Raises:
        UnreachableError: It does not start, or the probe in it does not answer.
        PlatformError: It is not what was asked for.
    """
    runtime = container.spec.runtime
    greeting = GREETING if runtime is Runtime.UML else None

    def enclose(argv: Sequence[str]) -> Sequence[str]:
        # the container's first process: it reaps what jobs leave, and ends with the probe it serves
        return container.enclose((argv[0], "subreaper", "--", *argv))

    door = InsideDoor(label, home / "work", enclose, greeting=greeting)
    with attached(door) as probe:
        fingerprint = probe.fingerprint()
        yield Visit(
            machine=label,
            probe=probe,
            put=door.put,
            run=door.run,
            fingerprint=fingerprint,
            limits=Limits(),
            boot=f"{container.spec.name}-{fingerprint.taken_ns:x}",
            directory=f"{door.folder}/{activity}{own}",
            own_clock=runtime in {Runtime.RUNSC, Runtime.UML},
            container=container,
            contained=_seen(container, fingerprint.facts),
        )


def container_doubts(seen: Container | None, usage: Usage | None) -> Iterator[Raised]:
    """Say where a job was told to have had more CPU time than the whole container had of the machine."""
    if seen is None or seen.cpu_s is None or usage is None:
        return
    counted_s = usage.user_s + usage.system_s
    if counted_s > (1 + TOLERANCE) * seen.cpu_s + TICKS_S:
        yield raised("container-cpu-count", runtime=seen.runtime, told_s=counted_s, given_s=seen.cpu_s)


def _seen(container: RunningContainer, facts: Facts) -> Container:
    """Return a container as seen; the memory of a kernel in a process shows from inside alone."""
    seen = container.look()
    return replace(seen, memory_bytes=facts.memory_bytes) if seen.runtime is Runtime.UML else seen


def _spec(
    wanted: PlannedContainer, *, name: str, activity: str, cpus: tuple[int, ...], folder: Path
) -> ContainerSpec:
    home = folder.parent.parent
    return ContainerSpec(
        name=name,
        activity=activity,
        runtime=wanted.runtime,
        cpus=cpus,
        work=home / "work",
        folder=folder,
        memory_bytes=wanted.memory_bytes,
        cpu_quota=wanted.cpu_quota,
        platform=wanted.platform,
        hostname=os.uname().nodename,
    )


def _any_cpu() -> tuple[int, ...]:
    return (max(os.sched_getaffinity(0)),)
