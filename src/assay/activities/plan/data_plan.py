"""What an activity's data are, and how each arm shall come by them: refused before anything runs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from assay.activities.plan.arms import Arms
from assay.activities.visits.settings import check_levels
from assay.factors.base.evidence import Host
from assay.factors.data.share import SHARES
from assay.model.activity import ActivityPlan, PlannedArm
from assay.model.errors import AssayError, MissingError
from assay.model.files.packages import install_command
from assay.model.machines.machine import Reach
from assay.model.platforms.data import (
    LOCAL,
    ROOT,
    SERVED,
    DataFile,
    DataSet,
    Levels,
    access,
    of_scratch,
    own_filesystem,
    own_places,
    own_scratch,
    scratch_access,
)
from assay.model.work.workload import Workload
from assay.platforms.data_servers.mount import PROGRAMS
from assay.platforms.filesystems.data_disks import SPREAD
from assay.platforms.filesystems.placed import require_place
from assay.platforms.packs import find_pack
from assay.scenes import Scene
from assay.workloads import measured_by

KERNEL_CLIENTS = {"nfs": "nfs4", "9p": "9p", "virtiofs": "virtiofs"}
"""By access: the file system that the kernel of the arm itself must have."""
_PLAIN = re.compile(r"[\w ./+=,@~-]+")
MOST_FILES = 10_000
"""Each is an argument of the program that reads them."""


def data_set(scene: Scene, *, seed: int, home: Path | None = None) -> DataSet | None:
    """Return the data that a scene asks for, files by name; ``None`` for none.

    Args:
        scene: What is asked for.
        seed: Of the content of made files.
        home: Folder of all state, where the pack is that makes ROOT files; ``None`` does not look for it.

    Raises:
        AssayError: there is nothing in it, or more files than can be told to a program.
        MissingError: the pack that makes ROOT files is not there.
    """
    if (wanted := scene.data) is None:
        return None
    if wanted.path is None:
        each, left = divmod(wanted.size_bytes, wanted.files)
        sizes = [each + (index < left) for index in range(wanted.files)]
        if wanted.content == ROOT and home is not None:
            made = tuple(DataFile(f"f{index:04d}.root", size) for index, size in enumerate(sizes))
            return DataSet(made, seed=seed, pack=str(find_pack(home, ROOT)))
        return DataSet(tuple(DataFile(f"f{index:04d}", size) for index, size in enumerate(sizes)), seed=seed)
    source = (Path(scene.file).absolute().parent / wanted.path).resolve()
    files = tuple(_files(source))
    if not files or len(files) > MOST_FILES or not all(file.bytes for file in files):
        msg = (
            f"cannot use {source} as data: expected 1 to {MOST_FILES:,} files, none of them empty, "
            f"got {len(files):,}"
        )
        raise AssayError(msg)
    if odd := next((file.name for file in files if not _PLAIN.fullmatch(file.name)), None):
        msg = f"cannot use {source} as data: the name '{odd}' has letters that cannot be part of a URL"
        raise AssayError(msg, hint="rename it: letters, digits, spaces and ._+=,@~- only")
    return DataSet(files, path=str(source))


def _files(source: Path) -> Iterator[DataFile]:
    if source.is_file():
        yield DataFile(source.name, source.stat().st_size)
        return
    for path in sorted(source.rglob("*")):
        if path.is_file():
            yield DataFile(str(path.relative_to(source)), path.stat().st_size)


def with_sizes(workloads: Sequence[Workload], data: DataSet | None) -> tuple[Workload, ...]:
    """Return workloads that know how much they read of the data, where they read all of them."""
    return tuple(_with_size(workload, data) for workload in workloads)


def _with_size(workload: Workload, data: DataSet | None) -> Workload:
    found = measured_by(workload.parser)
    if data is None or found is None or found.data_bytes_per_s is None:
        return workload
    seconds = data.bytes / found.data_bytes_per_s
    return replace(
        workload,
        read_bytes=data.bytes if found.whole_data else None,
        seconds=seconds,
        time_limit_s=600.0 + 20 * seconds,
        note=f"{len(data.files)} files of {data.bytes / 1e6:,.1f} MB together",
    )


def arms_with_data(scene: Scene, arms: Arms, *, on: Host) -> Arms:
    """Return the arms, each with its way to the data: the baseline's is the treatment's unless it says its
    own.

    Where its jobs write is each arm's own word.

    Raises:
        AssayError: an arm cannot come by them so.
        MissingError: this machine lacks what it takes.
    """
    baseline = _baseline(scene, arms.baseline, arms.treatment)
    for arm in (baseline, arms.treatment, *arms.more):
        _check(arm, on)
    check_levels(dict(baseline.data), on=on)
    return replace(arms, baseline=baseline)


def check_places(arms: Arms) -> None:
    """Refuse places for the data that cannot be used as they are on this machine now.

    Raises:
        MissingError: one is no mount point, or a device that holds anything.
    """
    for arm in arms.every:
        for place in (own_places(arm.data) or "").split():
            require_place(place)


def check_spread(workloads: Sequence[Workload], arms: Arms) -> None:
    """Refuse a workload that names the data's folder where the files have none in common.

    Raises:
        AssayError: an arm's data are on several file systems.
    """
    for arm in arms.every:
        for workload in workloads if (spread := _spread(arm)) else ():
            words = [word for command in (workload.command, *workload.prepare) for word in command]
            if any("{data}" in word for word in words):
                msg = (
                    f"cannot give {workload.name} the folder {{data}} on {arm.label}: {spread} has "
                    "the files in several"
                )
                raise AssayError(msg, hint="{data-files} in its command, or another level of data.filesystem")


def _spread(arm: PlannedArm) -> str | None:
    """Return what has an arm's files in several file systems; ``None`` for one."""
    if own_filesystem(arm.data) == SPREAD:
        return SPREAD
    return "data.place" if " " in (own_places(arm.data) or "") else None


def guest_programs(plan: ActivityPlan) -> dict[str, str]:
    """Return what a guest must have to come by the data as its arm shall, with Debian's packages."""
    ways = [
        way
        for arm in plan.arms
        if arm.guest is not None
        for way in (access(arm.data), scratch_access(arm.data))
    ]
    return dict(PROGRAMS[way] for way in ways if way in PROGRAMS)


def _baseline(scene: Scene, baseline: PlannedArm, treatment: PlannedArm) -> PlannedArm:
    if not baseline.on_machine:
        return baseline  # a guest's is among its factors
    given = scene.baseline_data or ()
    scratch = of_scratch(given)
    own: Levels = tuple(level for level in given if level not in scratch)
    theirs = tuple(level for level in treatment.data if level not in of_scratch(treatment.data))
    return replace(baseline, data=(*(own or theirs), *scratch))


def _check(arm: PlannedArm, on: Host) -> None:
    for name, hint in (("data.filesystem", "disk.host-filesystem"), ("data.place", "disk.place")):
        if name in dict(arm.data) and not _is_here(arm):
            msg = f"cannot use {name} for {arm.label}: it is for this machine itself"
            raise AssayError(msg, hint=f"{hint} is a guest's")
    if own_scratch(arm.data) and not _is_here(arm):
        msg = f"cannot use scratch.filesystem for {arm.label}: it is for this machine itself"
        raise AssayError(msg, hint="disk.guest-filesystem is a guest's")
    if arm.beside:  # the scene's own checks know the ways of several machines
        return
    for name, level in (("data.access", access(arm.data)), ("scratch.access", scratch_access(arm.data))):
        _check_way(arm, name, level, on)


def _check_way(arm: PlannedArm, name: str, level: str, on: Host) -> None:
    if level == LOCAL:
        return
    if arm.machine.reach is not Reach.LOCAL or not (_is_here(arm) or arm.guest is not None):
        msg = f"cannot use {name}={level} for {arm.label}: it is for this machine and for guests on it"
        raise AssayError(msg, hint=f"{name}: local")
    if level in SERVED and not on.root:
        what = "the data are served" if name == "data.access" else "the files are served"
        msg = f"cannot use {name}={level}: only root can make the network on which {what}"
        raise MissingError(msg, hint=f"run as root, or {name}: local")
    if arm.guest is None:
        _check_client(arm, name, level, on)


def _is_here(arm: PlannedArm) -> bool:
    return arm.on_machine and arm.machine.reach is Reach.LOCAL


def _check_client(arm: PlannedArm, name: str, level: str, on: Host) -> None:
    """Refuse a machine whose own kernel cannot mount what a guest's can."""
    program, package = PROGRAMS.get(level, ("sh", "dash"))
    if not on.has(program):
        msg = f"cannot use {name}={level} for {arm.label}: this machine has no {program}"
        raise MissingError(msg, hint=install_command(package, has=on.has))
    client = KERNEL_CLIENTS.get(level)
    known = (on.read("/proc/filesystems") or "").split()
    if client is not None and (client not in known or level in SHARES):
        lacks = f"this machine's kernel has no client for {client}"
        why = lacks if client not in known else "a folder of this machine is shared with its guests alone"
        msg = f"cannot use {name}={level} for {arm.label}: {why}"
        other = "give the baseline its own: factors: {data.access: local}"
        hint = other if name == "data.access" else f"{name}: glusterfs, or {level} in a guest"
        raise MissingError(msg, hint=hint)
