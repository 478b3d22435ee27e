"""What a plan needs of the disk follows from what it puts there; one that cannot fit is refused."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from assay.activities.plan.disk_room import ALLOWANCE_BYTES, check_disk, disk_room, require_free
from assay.activities.plan.kinds.guest_disk import GUEST_BYTES
from assay.model.activity import ActivityPlan, PlannedArm, PlannedGuest
from assay.model.errors import Exit, MissingError
from assay.model.machines.machine import Limits, Machine, Reach
from assay.model.platforms.data import DataFile, DataSet
from assay.model.platforms.layout import Layout
from assay.model.units import BYTES
from assay.model.work.placement import PlacementSpec
from assay.model.work.workload import Workload
from assay.platforms.images.recipe import DISK_BYTES
from assay.workloads import Parameters, Sizes, command_workload, with_parameters
from tests.builders import plan_of
from tests.command import run

MIB, GIB = BYTES["MiB"], BYTES["GiB"]
SIZES = Sizes(cache_bytes=None, memory_bytes=2 * GIB, cpus=1)
HERE = Machine("local", Reach.LOCAL)
HOST = PlannedArm("host", HERE, Limits((1,)))
BIG = """\
scene: big
title: A file that no disk holds
baseline: {machine: local}
treatment: {machine: local}
workloads: [{use: iozone-by-fio, parameters: {size: 60 TiB}}]
"""


def files_of(name: str, size: int, copies: int = 1) -> Workload:
    made = with_parameters(name, Parameters(size_bytes=size), sizes=SIZES)
    return replace(made, placement=PlacementSpec(copies=copies))


def guest(*settings: tuple[str, str], guests: int = 1, **changes: object) -> PlannedArm:
    wanted = PlannedGuest(1, GIB, "none", "0123", settings, Layout(guests))
    return replace(PlannedArm("guest", HERE, Limits((1,)), wanted), **changes)  # type: ignore[arg-type]


def plan(
    *workloads: Workload, baseline: PlannedArm = HOST, treatment: PlannedArm = HOST, **more: object
) -> ActivityPlan:
    return plan_of((), workloads=workloads, baseline=baseline, treatment=treatment, **more)


def beyond(asked: ActivityPlan, home: Path) -> int:
    """Return the bytes that are counted beyond those of every plan."""
    return disk_room(asked, home).bytes - ALLOWANCE_BYTES


def only(size: int) -> DataSet:
    return DataSet((DataFile("f", size),))


def layouts(*levels: str) -> tuple[PlannedArm, ...]:
    return tuple(replace(HOST, data=(("data.filesystem", level),)) for level in levels)


def test_files_of_a_machine_s_trials_follow_each_other(tmp_path: Path) -> None:
    fio, iozone = files_of("fio", 2 * GIB), files_of("iozone-by-fio", GIB, copies=3)
    assert beyond(plan(fio, iozone), tmp_path) == 3 * GIB


def test_files_that_are_made_once_stay_beside_the_trials_of_all(tmp_path: Path) -> None:
    made = files_of("sysbench-fileio", GIB)
    assert beyond(plan(made), tmp_path) == 2 * GIB
    assert beyond(plan(files_of("fio", 2 * GIB), made), tmp_path) == 3 * GIB
    assert beyond(plan(made, replace(made, name="again")), tmp_path) == 2 * GIB
    assert beyond(plan(made, files_of("sysbench-fileio", GIB // 2)), tmp_path) == 2.5 * GIB
    assert beyond(plan(made, treatment=guest()), tmp_path) == GIB + 2 * GIB + GUEST_BYTES


def test_the_copies_of_inputs_count_once_each(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a").write_bytes(b"0" * 1000)
    (tmp_path / "b").write_bytes(b"0" * 234)
    inputs = (str(tmp_path / "in"), str(tmp_path / "b"))
    one = replace(files_of("fio", GIB), inputs=inputs)
    gone = replace(one, inputs=(*inputs, str(tmp_path / "gone")))
    assert beyond(plan(one, replace(gone, name="two")), tmp_path) == GIB + 1234


def test_a_guest_s_disk_grows_by_what_is_written_at_most_to_its_size(tmp_path: Path) -> None:
    fio = files_of("fio", GIB)
    assert beyond(plan(fio, treatment=guest()), tmp_path) == GIB + GUEST_BYTES
    most = files_of("iozone-by-fio", DISK_BYTES)
    assert beyond(plan(fio, most, treatment=guest()), tmp_path) == DISK_BYTES
    shared = plan(files_of("fio", GIB, copies=2), treatment=guest(guests=2))
    assert beyond(shared, tmp_path) == 2 * (GIB + GUEST_BYTES)


def test_a_guest_s_disk_takes_what_its_levels_say(tmp_path: Path) -> None:
    full = guest(("disk.preallocation", "full"))
    assert beyond(plan(treatment=full), tmp_path) == DISK_BYTES
    twice = guest(("disk.host-filesystem", "btrfs-raid1"))
    assert beyond(plan(treatment=twice), tmp_path) == 2 * GUEST_BYTES
    assert beyond(plan(treatment=guest(("disk.host-filesystem", "tmpfs"))), tmp_path) == 0
    elsewhere = replace(guest(), machine=Machine("far", Reach.SSH))
    assert beyond(plan(treatment=elsewhere), tmp_path) == 0


def test_what_jobs_write_by_a_server_does_not_lie_on_the_guest_s_disk(tmp_path: Path) -> None:
    large, there = files_of("fio", DISK_BYTES), (("scratch.access", "nfs"),)
    served = guest(guests=2, data=there)
    check = plan(replace(large, placement=replace(large.placement, copies=2)), treatment=served)
    assert beyond(check, tmp_path) == 2 * (DISK_BYTES + GUEST_BYTES)
    with pytest.raises(MissingError, match="the guest's disk has room for"):
        check_disk(plan(large, treatment=guest()), tmp_path)
    placed = guest(("disk.place", "/fast"), data=there)
    assert beyond(plan(large, treatment=placed), tmp_path) == DISK_BYTES


def test_data_lie_there_once_and_once_more_in_each_layout_and_guest(tmp_path: Path) -> None:
    first, *more = layouts("ext4", "btrfs-raid1", "btrfs-raid5", "ext4")
    arms = {"baseline": first, "treatment": more[0], "more": tuple(more[1:])}
    assert beyond(plan(data=only(80 * MIB), **arms), tmp_path) == 80 * MIB + 90 * MIB * 4.5  # type: ignore[arg-type]
    assert beyond(plan(data=only(GIB), treatment=guest()), tmp_path) == 2 * GIB + GUEST_BYTES
    served = guest(data=(("data.access", "nfs"),))
    assert beyond(plan(data=only(GIB), treatment=served), tmp_path) == GIB + GUEST_BYTES


def test_file_systems_of_jobs_count_once_each_and_what_lies_on_them_does_not(tmp_path: Path) -> None:
    on = [
        replace(HOST, data=(("scratch.filesystem", level),))
        for level in ("xfs", "ext4", "xfs", "ext4-on-tmpfs")
    ]
    asked = plan(files_of("fio", GIB), baseline=on[0], treatment=on[1], more=tuple(on[2:]))
    assert beyond(asked, tmp_path) == 2 * 4 * GIB


def test_the_chain_s_tables_and_events_count(tmp_path: Path) -> None:
    given = Parameters(events=1000, size_bytes=GIB)
    evtrec = with_parameters("chain-evtrec", given, sizes=SIZES)
    before = 1000 * (64 + 77_408 + 765_114 + 15_201)
    assert beyond(plan(evtrec), tmp_path) == GIB + before + 1000 * 15_249


def test_steps_of_the_chain_share_what_they_have_in_common(tmp_path: Path) -> None:
    given = Parameters(events=1000, size_bytes=GIB)
    elecsim, evtrec = (
        with_parameters(name, given, sizes=SIZES) for name in ("chain-elecsim", "chain-evtrec")
    )
    made = GIB + 1000 * (64 + 77_408 + 765_114 + 15_201)
    assert beyond(plan(elecsim, evtrec), tmp_path) == made + 1000 * 765_114


def test_of_a_user_s_command_nothing_is_known(tmp_path: Path) -> None:
    assert beyond(plan(command_workload("job", ["./job"])), tmp_path) == 0


def test_a_file_beyond_the_guest_s_disk_is_refused_with_both_figures(tmp_path: Path) -> None:
    check_disk(plan(files_of("fio", 3 * GIB), treatment=guest()), tmp_path)
    with pytest.raises(MissingError) as error:
        check_disk(plan(files_of("iozone-by-fio", 200 * GIB), treatment=guest()), tmp_path)
    assert error.value.message == (
        "cannot run iozone-by-fio on guest: its files take 200 GiB, the guest's disk has room for 3.5 GiB"
    )
    with pytest.raises(MissingError, match="the data and its files take 5 GiB"):
        check_disk(plan(files_of("fio", 2 * GIB), treatment=guest(), data=only(3 * GIB)), tmp_path)
    both = (files_of("fio", 3 * GIB), files_of("sysbench-fileio", 2 * GIB))
    with pytest.raises(MissingError, match="fio on guest: its files with those that are made for others"):
        check_disk(plan(*both, treatment=guest()), tmp_path)


def test_a_file_system_of_jobs_in_memory_takes_none_of_the_disk(tmp_path: Path) -> None:
    arm = replace(HOST, data=(("scratch.filesystem", "tmpfs"),))
    asked = plan(files_of("fio", 2 * GIB, copies=3), baseline=arm, treatment=arm)
    assert beyond(asked, tmp_path) == 0
    check_disk(asked, tmp_path)


def test_a_plan_beyond_what_is_free_is_refused_and_its_largest_part_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(1, 0, 5 * GIB))
    asked = plan(data=only(4 * GIB))
    check_disk(asked, tmp_path / "not/yet")
    with pytest.raises(MissingError) as error:
        check_disk(replace(asked, workloads=(files_of("fio", GIB),)), tmp_path)
    assert error.value.message == f"cannot start: {tmp_path} has 5 GiB free, at least 6 GiB are needed"
    assert str(error.value.hint).startswith("most of it is the data (data: size): make it less; or free")
    with pytest.raises(MissingError, match=r"5 GiB free, 6 GiB are needed"):
        require_free(tmp_path, 6 * GIB)


def test_a_dry_run_says_what_must_be_free_and_refuses_what_cannot_fit(tmp_path: Path) -> None:
    evaluate = ("evaluate", "--command", "true", "--dry-run")
    assert f"at least 2 GiB must be free under {tmp_path}" in run(*evaluate, home=tmp_path).out
    reported = run(*evaluate, "--json", home=tmp_path).page
    assert reported["disk_bytes"] >= ALLOWANCE_BYTES
    (tmp_path / "big.yaml").write_text(BIG)
    done = run("evaluate", str(tmp_path / "big.yaml"), "--dry-run", home=tmp_path)
    assert done.code == Exit.MISSING
    assert f"error: cannot start: {tmp_path} has " in done.err
    assert "at least 60 T" in done.err
