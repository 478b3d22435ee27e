"""Data that cannot be used and ways that an arm cannot have are refused with the reason, the figures and the
way out.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.activities.plan import data_plan
from assay.activities.plan.arms import Arms
from assay.activities.plan.data_plan import (
    arms_with_data,
    check_places,
    check_spread,
    data_set,
    guest_programs,
    with_sizes,
)
from assay.model.activity import PlannedArm, PlannedGuest
from assay.model.errors import AssayError, Exit, MissingError
from assay.model.machines.machine import Limits, Machine, Reach
from assay.model.platforms.container import PlannedContainer, Runtime
from assay.model.platforms.data import DataFile, DataSet
from assay.model.platforms.existing import DomainSpec
from assay.model.platforms.layout import Layout
from assay.scenes import Scene, read_scene
from assay.workloads import Sizes, command_workload
from tests.builders import WORKLOAD, plan_of
from tests.factors.parts import FakeHost

TEXT = """\
scene: ways
title: Ways to data
baseline: {{machine: local}}
treatment: {{platform: guest, factors: {{data.access: nfs}}}}
data: {data}
workloads: [data-read]
"""
SIZES = Sizes(cache_bytes=None, memory_bytes=2**30, cpus=1)
HOST = PlannedArm("host", Machine("local"), Limits((1,)))
GUEST = replace(HOST, label="guest", guest=PlannedGuest(1, 1 << 30, "none", "0123"))
PROGRAMS = (
    "ganesha.nfsd",
    "glusterd",
    "glusterfs",
    "xrootd",
    "xrdcp",
    "mount",
    "sh",
    "cvmfs_config",
    "mkfs.ext4",
)
ABLE = FakeHost({"/proc/filesystems": "nodev\tnfs4\nnodev\t9p\n\text4\n"}, programs=PROGRAMS)
OWN = replace(HOST, data=(("data.access", "local"),))


def scene(data: str = "{size: 5 MiB, files: 2}", folder: Path = Path("/nowhere")) -> Scene:
    return read_scene(TEXT.format(data=data).encode(), file=str(folder / "ways.yaml"))


def by(arm: PlannedArm, way: str) -> PlannedArm:
    return replace(arm, data=(("data.access", way),))


def test_a_scene_without_data_has_none() -> None:
    assert data_set(replace(scene(), data=None), seed=4) is None


def test_a_path_is_relative_to_the_scene_and_may_be_one_file(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "events").write_bytes(b"12345")
    data = data_set(scene("../events", tmp_path / "inner"), seed=4)
    assert data == DataSet((DataFile("events", 5),), path=str(tmp_path / "events"))


def test_files_are_made_of_equal_sizes_with_what_is_left_on_the_first(tmp_path: Path) -> None:
    data = data_set(scene("{size: 1 MiB, files: 3}"), seed=4, home=tmp_path)
    names = ("f0000", "f0001", "f0002")
    sizes = (349526, 349525, 349525)
    assert data == DataSet(tuple(map(DataFile, names, sizes)), seed=4)


def test_as_many_files_as_a_program_can_be_given_and_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data_plan, "MOST_FILES", 2)
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(b"1")
    assert data_set(scene(str(tmp_path)), seed=4)
    (tmp_path / "c").write_bytes(b"1")
    with pytest.raises(AssayError) as refused:
        data_set(scene(str(tmp_path)), seed=4)
    assert refused.value.message == (
        f"cannot use {tmp_path} as data: expected 1 to 2 files, none of them empty, got 3"
    )


def test_a_file_without_content_is_no_data(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"1")
    (tmp_path / "b").touch()
    with pytest.raises(AssayError, match=r"expected 1 to 10,000 files, none of them empty, got 2$"):
        data_set(scene(str(tmp_path)), seed=4)


def test_a_name_that_no_url_carries_is_told_with_what_to_do(tmp_path: Path) -> None:
    for name in ("a?b", "good +,=@~-._name"):
        (tmp_path / name).write_bytes(b"1")
    with pytest.raises(AssayError) as refused:
        data_set(scene(str(tmp_path)), seed=4)
    assert refused.value.message == (
        f"cannot use {tmp_path} as data: the name 'a?b' has letters that cannot be part of a URL"
    )
    assert refused.value.hint == "rename it: letters, digits, spaces and ._+=,@~- only"


def test_readers_of_all_data_are_planned_by_its_size_and_others_stay() -> None:
    data = DataSet((DataFile("a", 150_000_000), DataFile("b", 50_000_000)))
    (reader,) = scene().prepare(SIZES)
    analysis = replace(reader, parser="root-analysis")
    first, second, third = with_sizes([reader, analysis, WORKLOAD], data)
    assert (first.read_bytes, first.seconds, first.time_limit_s) == (200_000_000, 2.0, 640.0)
    assert first.note == "2 files of 200.0 MB together"
    assert (second.read_bytes, second.seconds, second.time_limit_s) == (None, 10.0, 800.0)
    assert third == WORKLOAD
    assert with_sizes([reader], None) == (reader,)


def checked(arm: PlannedArm, on: FakeHost = ABLE, baseline: PlannedArm = OWN, *more: PlannedArm) -> Arms:
    said = replace(scene(), baseline_data=baseline.data)
    return arms_with_data(said, Arms(baseline, arm, SIZES, more=more), on=on)


def refused_with(arm: PlannedArm, on: FakeHost = ABLE) -> tuple[str, str | None]:
    with pytest.raises(AssayError) as refused:
        checked(arm, on)
    return refused.value.message, refused.value.hint


@pytest.mark.parametrize(
    "arm",
    [
        replace(GUEST, machine=Machine("far", Reach.SSH)),
        replace(HOST, label="guest", container=PlannedContainer(Runtime.RUNC)),
        replace(HOST, label="guest", domain=DomainSpec("web")),
    ],
)
def test_ways_are_for_this_machine_and_guests_on_it_and_all_others_read_their_own_copy(
    arm: PlannedArm,
) -> None:
    for way in ("nfs", "9p", "cvmfs"):
        said = f"cannot use data.access={way} for guest: it is for this machine and for guests on it"
        assert refused_with(by(arm, way)) == (said, "data.access: local")
    assert checked(by(arm, "local")).treatment == by(arm, "local")


@pytest.mark.parametrize("way", ["nfs", "9p", "cvmfs"])
def test_the_guests_of_a_layout_come_by_the_data_as_one_guest_does(way: str) -> None:
    several = by(replace(GUEST, guest=PlannedGuest(2, 1 << 30, "none", "0123", layout=Layout(2))), way)
    assert checked(several, ABLE, OWN).treatment == several


@pytest.mark.parametrize(
    ("name", "instead"),
    [("data.filesystem", "disk.host-filesystem"), ("scratch.filesystem", "disk.guest-filesystem")],
)
def test_file_systems_of_its_own_are_for_this_machine_itself(name: str, instead: str) -> None:
    level = ((name, "ext4"),)
    for arm in (
        GUEST,
        replace(HOST, machine=Machine("far", Reach.SSH)),
        replace(HOST, container=PlannedContainer(Runtime.RUNC)),
        replace(HOST, domain=DomainSpec("web")),
    ):
        message = f"cannot use {name} for {arm.label}: it is for this machine itself"
        assert refused_with(replace(arm, data=level)) == (message, f"{instead} is a guest's")
    assert checked(replace(HOST, data=level)).treatment.data == level


def test_jobs_write_by_a_server_where_the_data_may_come_from_one() -> None:
    level = (("scratch.access", "glusterfs"),)
    for arm in (HOST, GUEST):
        assert checked(replace(arm, data=level)).treatment.data == level
    far = replace(HOST, label="far", machine=Machine("far", Reach.SSH), data=level)
    said = "cannot use scratch.access=glusterfs for far: it is for this machine and for guests on it"
    assert refused_with(far) == (said, "scratch.access: local")
    lacking = FakeHost({"/proc/filesystems": "nodev\t9p\n"}, programs=PROGRAMS)
    message = "cannot use scratch.access=nfs for host: this machine's kernel has no client for nfs4"
    hint = "scratch.access: glusterfs, or nfs in a guest"
    assert refused_with(replace(HOST, data=(("scratch.access", "nfs"),)), lacking) == (message, hint)


def test_only_root_serves_and_shares_need_none() -> None:
    user = replace(ABLE, root=False)
    with pytest.raises(MissingError) as refused:
        checked(by(GUEST, "nfs"), user)
    assert refused.value.message == (
        "cannot use data.access=nfs: only root can make the network on which the data are served"
    )
    assert refused.value.hint == "run as root, or data.access: local"
    assert refused.value.exit_code == Exit.MISSING
    assert checked(by(GUEST, "9p"), user)


def test_a_machine_s_own_client_is_looked_for_and_a_guest_s_is_its_image_s() -> None:
    bare = FakeHost(programs=tuple(name for name in PROGRAMS if name not in {"xrdcp", "cvmfs_config"}))
    for way, program, package in (("xrootd", "xrdcp", "xrootd-client"), ("cvmfs", "cvmfs_config", "cvmfs")):
        message = f"cannot use data.access={way} for host: this machine has no {program}"
        assert refused_with(by(HOST, way), bare) == (message, f"apt install {package}")
        assert checked(by(HOST, way)).treatment.data == (("data.access", way),)
        assert checked(by(GUEST, way), bare)


@pytest.mark.parametrize(
    ("way", "why"),
    [
        ("nfs", "this machine's kernel has no client for nfs4"),
        ("virtiofs", "this machine's kernel has no client for virtiofs"),
        ("9p", "a folder of this machine is shared with its guests alone"),
    ],
)
def test_what_a_machine_s_kernel_cannot_mount_is_refused(way: str, why: str) -> None:
    lacking = FakeHost({"/proc/filesystems": "nodev\t9p\n"}, programs=PROGRAMS)
    message = f"cannot use data.access={way} for host: {why}"
    hint = "give the baseline its own: factors: {data.access: local}"
    assert refused_with(by(HOST, way), lacking) == (message, hint)
    assert checked(by(GUEST, way), lacking)


def test_every_arm_is_checked() -> None:
    far = replace(by(GUEST, "nfs"), machine=Machine("far", Reach.SSH))
    with pytest.raises(AssayError, match="for this machine and for guests on it"):
        checked(by(GUEST, "nfs"), ABLE, OWN, by(GUEST, "nfs"), far)
    guest = by(replace(GUEST, machine=Machine("far", Reach.SSH)), "nfs")
    with pytest.raises(AssayError, match="for this machine and for guests on it"):
        checked(by(GUEST, "nfs"), ABLE, guest)


def test_levels_of_the_baseline_are_looked_at_on_this_machine() -> None:
    without = replace(ABLE, programs=("mount",))
    with pytest.raises(MissingError, match=r"cannot use data\.filesystem=ext4: "):
        checked(by(GUEST, "local"), without, replace(HOST, data=(("data.filesystem", "ext4"),)))


def test_a_guest_or_a_container_as_baseline_keeps_what_it_says() -> None:
    for baseline in (by(GUEST, "nfs"), replace(HOST, container=PlannedContainer(Runtime.RUNC))):
        arms = Arms(baseline, by(GUEST, "9p"), SIZES)
        assert arms_with_data(scene(), arms, on=ABLE).baseline == baseline


def test_guests_need_the_clients_of_all_their_ways_and_machines_none_in_an_image() -> None:
    plan = plan_of(
        (),
        baseline=by(HOST, "xrootd"),
        treatment=by(GUEST, "nfs"),
        more=(by(GUEST, "glusterfs"), by(GUEST, "9p")),
    )
    assert guest_programs(plan) == {"mount": "mount", "glusterfs": "glusterfs-client"}
    writes = replace(GUEST, data=(("scratch.access", "glusterfs"),))
    assert guest_programs(plan_of((), treatment=writes)) == {"glusterfs": "glusterfs-client"}
    baseline = plan_of((), baseline=by(GUEST, "xrootd"), treatment=by(HOST, "nfs"))
    assert guest_programs(baseline) == {"xrdcp": "xrootd-client"}


def test_files_that_are_spread_have_no_folder_on_any_arm() -> None:
    spread, whole = (
        replace(HOST, label="two", data=(("data.filesystem", "ext4-spread"),)),
        [command_workload("job", ["ls", "{data}"])],
    )
    for arms in (
        Arms(spread, HOST, SIZES),
        Arms(HOST, spread, SIZES),
        Arms(HOST, HOST, SIZES, more=(spread,)),
    ):
        with pytest.raises(AssayError) as refused:
            check_spread(whole, arms)
        assert refused.value.message == (
            "cannot give job the folder {data} on two: ext4-spread has the files in several"
        )
        assert refused.value.hint == "{data-files} in its command, or another level of data.filesystem"
    check_spread(whole, Arms(HOST, HOST, SIZES))


def test_where_jobs_write_is_no_way_to_the_data() -> None:
    said: Any = (("scratch.filesystem", "ext4"),)
    arms = Arms(HOST, replace(by(HOST, "nfs"), label="two"), SIZES)
    found = arms_with_data(replace(scene(), baseline_data=said), arms, on=ABLE)
    assert found.baseline.data == (("data.access", "nfs"), ("scratch.filesystem", "ext4"))


def test_places_of_the_data_are_looked_at_on_this_machine_before_anything_runs(tmp_path: Path) -> None:
    made = Arms(replace(HOST, data=(("data.place", f"{tmp_path}"),)), GUEST, SIZES)
    with pytest.raises(MissingError, match="it is no mount point here"):
        check_places(made)
    check_places(Arms(HOST, GUEST, SIZES))
