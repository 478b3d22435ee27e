"""Layouts of a scene on a machine: the cores that all of them can share, what each is called, its doubts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

from assay.activities.plan.arms import Arms
from assay.activities.plan.kinds.kind import Asked
from assay.model.activity import PlannedArm, PlannedGuest
from assay.model.doubt import Raised, raised
from assay.model.errors import AssayError, MissingError
from assay.model.platforms.data import DataSet
from assay.model.platforms.layout import GuestShare, Layout, divides, fitting_cores, label_of, shares
from assay.model.work.workload import Workload
from assay.scenes import Guest, Scene
from assay.workloads import measured_by, most_clients
from assay.workloads.command import with_job_time
from assay.workloads.fill import part_of_files


def with_fitting_cores(asked: Asked) -> Scene:
    """Return a scene whose guests have a number of cores that all its layouts can share.

    ``cpu.vcpus: auto`` becomes the largest such number that the machine has; all arms have as many.

    Raises:
        MissingError: as ``Asked.cores``.
    """
    scene = asked.scene
    base = () if scene.baseline_guest is None else (scene.baseline_guest,)
    counts = sorted({guest.layout.guests for guest in (*scene.guests, *base)})
    if counts in ([], [1]):
        return scene

    def fitted(guest: Guest) -> Guest:
        measured = len(asked.cores(guest.vcpus).measured)
        return replace(guest, vcpus=guest.vcpus or fitting_cores(counts, measured))

    first, *more = map(fitted, scene.guests)
    own = next(map(fitted, base), None)
    return replace(scene, treatment=first, more=tuple(more), baseline_guest=own)


def each_guest(wanted: Guest, cores: Sequence[int]) -> tuple[Guest, int]:
    """Return what one guest of a layout is asked to be, and its number of vCPUs.

    Raises:
        MissingError: the cores cannot be cut into so many equal parts.
    """
    count = wanted.layout.guests
    if not divides(count, len(cores)):
        msg = f"cannot share {len(cores)} cores between {count} guests in equal parts"
        raise MissingError(msg, hint=f"cpu.vcpus: a multiple of {count}, or less than {count}")
    share = shares(wanted.layout, cores, wanted.memory_bytes)[0]
    return replace(wanted, memory_bytes=share.memory_bytes), len(share.cpus)


def shares_of(arm: PlannedArm, wanted: PlannedGuest) -> tuple[GuestShare, ...]:
    """Return what each guest of an arm gets of its host."""
    return shares(wanted.layout, arm.limits.cpus, wanted.memory_bytes)


def layout_labels(arms: Sequence[PlannedArm]) -> list[str]:
    """Return what the layout of each arm is called; empty texts where no arm has several guests."""
    layouts = [(arm.layout, len(arm.limits.cpus)) for arm in arms]
    if all(layout == Layout() for layout, _ in layouts):
        return [""] * len(arms)
    return [label_of(layout, cores) for layout, cores in layouts]


def layout_doubts(arms: Sequence[PlannedArm]) -> Iterator[Raised]:
    """Say so where guests share a core."""
    crowded = {
        arm.layout.guests: len(arm.limits.cpus)
        for arm in arms
        if arm.guest is not None and arm.layout.guests > len(arm.limits.cpus)
    }
    if crowded:
        yield raised("overcommitted", crowded=tuple(crowded.items()))


def with_job_times(workloads: Sequence[Workload], arms: Arms) -> tuple[Workload, ...]:
    """Return workloads of which the time of each copy is a figure where copies do not start at once on some
    arm.
    """
    apart = any(arm.layout.stagger_s for arm in arms.every)
    return tuple(with_job_time(one) if apart or one.placement.stagger_s else one for one in workloads)


def starts_of(workload: Workload, layout: Layout) -> tuple[float, ...]:
    """Return when the part of each guest of a layout starts, in seconds after the first: the copies of all
    guests keep their stagger, and that of the layout comes on top.
    """
    placed = workload.placement
    own_s = placed.copies // layout.guests * placed.stagger_s
    return tuple(start + number * own_s for number, start in enumerate(layout.starts))


def part_of(workload: Workload, guests: int, number: int = 0) -> Workload:
    """Return what each of an arm's guests runs of a workload: its part of the copies, and of the files where
    all copies of a machine are one job. A single copy that runs copies itself is shared by those.

    Args:
        workload: The work of all guests together.
        guests: How many there are.
        number: Which of them it is, from 0.

    Raises:
        AssayError: the copies cannot be shared out evenly.
    """
    if guests == 1:
        return workload
    if workload.placement.copies == 1 and (inside := _part_inside(workload, guests)) is not None:
        return inside
    copies, rest = divmod(workload.placement.copies, guests)
    if rest:
        count = workload.all_copies if workload.placement.copies == 1 else workload.placement.copies
        msg = f"cannot share {workload.name} between {guests} guests: it has {count} copies"
        raise AssayError(msg, hint=f"placement: {{copies: {guests}}}")
    if most_clients(workload.command) == 1:
        msg = f"cannot share {workload.name} between {guests} guests: its server has one client at a time"
        raise AssayError(msg, hint="netperf-tcp-stream has as many as there are")
    own = part_of_files(workload.command, number, guests) if _is_one_job(workload) else workload.command
    return replace(workload, command=own, placement=replace(workload.placement, copies=copies))


def _part_inside(workload: Workload, guests: int) -> Workload | None:
    """Return the part of a single copy that runs copies itself; ``None`` where there is no such part."""
    ready = measured_by(workload.parser)
    return None if ready is None or ready.part is None else ready.part(workload, guests)


def check_files(workloads: Sequence[Workload], arms: Arms, data: DataSet | None) -> None:
    """Refuse data whose files the guests of a layout cannot share evenly, where a job reads them together.

    Raises:
        AssayError: an arm has a number of guests that does not divide the number of files.
    """
    if data is None:
        return
    files = len(data.files)
    for arm, workload in product(arms.every, filter(_is_one_job, workloads)):
        if files % arm.parts:
            whom = f"{arm.parts} {'machines' if arm.beside else 'guests'}"
            msg = f"cannot share the {files} files that {workload.name} reads between {whom}"
            raise AssayError(msg, hint=f"data: {{files: a multiple of {arm.parts}}}")


def _is_one_job(workload: Workload) -> bool:
    ready = measured_by(workload.parser)
    return ready is not None and ready.one_job
