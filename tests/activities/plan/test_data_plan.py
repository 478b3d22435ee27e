"""By which way each arm comes by the data, and what is refused of it before anything runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assay.activities.plan.arms import Arms
from assay.activities.plan.data_plan import arms_with_data, check_spread, data_set, guest_programs, with_sizes
from assay.activities.plan.packs import with_packs
from assay.model.activity import PlannedArm, PlannedGuest
from assay.model.errors import AssayError, MissingError
from assay.model.machines.machine import Limits, Machine, Reach
from assay.model.platforms.container import PlannedContainer, Runtime
from assay.platforms import packs
from assay.platforms.packs import make_pack
from assay.scenes import Scene, read_scene
from assay.workloads import Sizes, command_workload
from tests.builders import plan_of
from tests.factors.parts import FakeHost

SCENE = """\
scene: ways
title: Ways to data
baseline: {{machine: local{baseline}}}
treatment: {{platform: guest, factors: {{data.access: {access}}}}}
data: {data}
workloads: [data-read]
"""
SIZES = Sizes(cache_bytes=None, memory_bytes=2**30, cpus=1)
HERE = Machine("local", Reach.LOCAL)
KNOWS_NFS = {"/proc/filesystems": "nodev\tnfs4\n"}


def scene(access: str = "nfs", *, baseline: str = "", data: str = "{size: 5 MiB, files: 2}") -> Scene:
    return read_scene(SCENE.format(access=access, baseline=baseline, data=data).encode(), file="ways.yaml")


def arms(access: str = "nfs") -> Arms:
    guest = PlannedGuest(1, 1 << 30, "none", "0123")
    treatment = PlannedArm("guest", HERE, Limits((1,)), guest, data=(("data.access", access),))
    return Arms(PlannedArm("host", HERE, Limits((1,))), treatment, SIZES)


def host(**files: str) -> FakeHost:
    return FakeHost(
        programs=("ganesha.nfsd", "glusterd", "glusterfs", "xrootd", "xrdcp", "mount"), files=files
    )


def test_made_data_have_their_size_and_number_of_files() -> None:
    data = data_set(scene(data="{size: 1 MiB, files: 3}"), seed=4)
    assert data is not None
    assert [file.bytes for file in data.files] == [349526, 349525, 349525]
    assert (data.seed, data.bytes) == (4, 1 << 20)


def test_data_of_a_folder_are_its_files_by_name(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "b").write_bytes(b"12")
    (tmp_path / "sub/a").write_bytes(b"123")
    data = data_set(scene(data=str(tmp_path)), seed=4)
    assert data is not None
    assert [(file.name, file.bytes) for file in data.files] == [("b", 2), ("sub/a", 3)]


def test_an_empty_folder_is_no_data(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match="none of them empty, got 0"):
        data_set(scene(data=str(tmp_path)), seed=4)


def test_names_that_a_url_cannot_carry_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a?b").write_bytes(b"1")
    with pytest.raises(AssayError, match="cannot be part of a URL"):
        data_set(scene(data=str(tmp_path)), seed=4)


def test_a_reader_of_all_data_knows_how_much_it_reads() -> None:
    asked = scene()
    (workload,) = with_sizes(asked.prepare(SIZES), data_set(asked, seed=4))
    assert workload.read_bytes == 5 << 20
    assert workload.needs_data


def test_the_baseline_comes_by_the_data_as_the_treatment_does() -> None:
    found = arms_with_data(scene("glusterfs"), arms("glusterfs"), on=host())
    assert found.baseline.data == (("data.access", "glusterfs"),)


def test_the_baseline_may_say_its_own_way() -> None:
    own = ", factors: {data.access: local}"
    assert arms_with_data(scene(baseline=own), arms(), on=host()).baseline.data == (("data.access", "local"),)


def test_a_machine_without_a_client_is_refused_with_the_reason_and_the_way_out() -> None:
    with pytest.raises(MissingError, match="this machine's kernel has no client for nfs4") as refused:
        arms_with_data(scene(), arms(), on=host(**{"/proc/filesystems": "ext4\n"}))
    assert refused.value.hint == "give the baseline its own: factors: {data.access: local}"
    assert arms_with_data(scene(), arms(), on=host(**KNOWS_NFS)).baseline.data


def test_a_machine_without_the_program_is_refused_with_its_package() -> None:
    with pytest.raises(MissingError, match="this machine has no xrdcp") as refused:
        arms_with_data(scene("xrootd"), arms("xrootd"), on=FakeHost(programs=("xrootd",)))
    assert refused.value.hint == "apt install xrootd-client"


def test_a_container_and_another_machine_read_their_own_disks() -> None:
    box = replace(arms("xrootd").treatment, guest=None, container=PlannedContainer(Runtime.RUNC))
    far = replace(arms("xrootd").treatment, guest=None, machine=Machine("far", Reach.SSH))
    for arm in (box, far):
        with pytest.raises(AssayError, match="for this machine and for guests on it"):
            arms_with_data(scene("xrootd"), replace(arms(), treatment=arm), on=host())


def test_a_guest_needs_the_client_in_its_image() -> None:
    made = arms("glusterfs")
    plan = replace(plan_of(()), baseline=made.baseline, treatment=made.treatment)
    assert guest_programs(plan) == {"glusterfs": "glusterfs-client"}


def root_scene(data: str = "{size: 8 MiB, files: 2, content: root}") -> Scene:
    text = SCENE.format(access="local", baseline="", data=data).replace("data-read", "root-analysis")
    return read_scene(text.encode(), file="ways.yaml")


def test_made_root_files_come_from_the_pack_that_is_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packs, "_install", lambda *_: None)  # the libraries are not looked at
    with pytest.raises(MissingError, match="cannot find the pack root"):
        data_set(root_scene(), seed=4, home=tmp_path)
    pack = make_pack("root", tmp_path).folder
    data = data_set(root_scene(), seed=4, home=tmp_path)
    assert data is not None
    assert (data.pack, [file.name for file in data.files]) == (str(pack), ["f0000.root", "f0001.root"])
    (workload,) = with_packs(with_sizes(root_scene().prepare(SIZES), data), arms("local"), home=tmp_path)
    assert (workload.pack, workload.read_bytes) == (str(pack), None)
    assert workload.note == "2 files of 8.4 MB together"


def test_an_analysis_reads_by_xrootd_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packs, "_install", lambda *_: None)  # the libraries are not looked at
    pack = make_pack("root", tmp_path).folder
    (workload,) = with_packs(root_scene().prepare(SIZES), arms("xrootd"), home=tmp_path)
    assert workload.pack == str(pack)


def test_a_file_system_of_the_data_is_for_this_machine_alone() -> None:
    own = (("data.filesystem", "btrfs-raid5"),)
    guest = replace(arms("local").treatment, data=own)
    with pytest.raises(
        AssayError, match=r"cannot use data\.filesystem for guest: it is for this machine itself"
    ):
        arms_with_data(scene("local"), replace(arms("local"), treatment=guest), on=host())
    machine = PlannedArm("host", HERE, Limits((1,)), data=own)
    on = FakeHost(programs=("mkfs.btrfs",))
    both = arms_with_data(scene("local"), replace(arms("local"), treatment=machine), on=on)
    assert both.baseline.data == own, "the baseline's are the treatment's"


def test_files_on_several_file_systems_have_no_folder_to_be_named() -> None:
    spread, raid = (
        replace(
            arms("local"),
            treatment=PlannedArm("host", HERE, Limits((1,)), data=(("data.filesystem", level),)),
        )
        for level in ("ext4-spread", "btrfs-raid5")
    )
    whole = command_workload("job", ["ls", "{data}/sub"])
    made = replace(command_workload("made", ["ls"]), prepare=(("cp", "-r", "{data}", "."),))
    for workload in (whole, made):
        with pytest.raises(
            AssayError, match=rf"cannot give {workload.name} the folder {{data}} on host: ext4-spread"
        ):
            check_spread([workload], spread)
        check_spread([workload], raid)
    check_spread([command_workload("each", ["cat", "{data-files}"])], spread)


def test_where_its_jobs_write_is_each_arms_own_word() -> None:
    writes = ("scratch.filesystem", "xfs")
    here = PlannedArm("host", HERE, Limits((1,)))
    text = (
        "scene: s\ntitle: S\nbaseline: {machine: local%s}\n"
        "treatment: {machine: local, factors: {scratch.filesystem: xfs}}\nworkloads: [flops]\n"
    )
    both = Arms(here, replace(here, data=(writes,)), SIZES)
    quiet = read_scene((text % "").encode(), file="s.yaml")
    assert arms_with_data(quiet, both, on=host()).baseline.data == ()
    own = read_scene((text % ", factors: {scratch.filesystem: ext4}").encode(), file="s.yaml")
    on = FakeHost(programs=("mkfs.ext4",))
    assert arms_with_data(own, both, on=on).baseline.data == (("scratch.filesystem", "ext4"),)
    box = replace(arms().treatment, data=(writes,))
    with pytest.raises(AssayError, match=r"cannot use scratch\.filesystem for guest"):
        arms_with_data(quiet, replace(both, treatment=box), on=host())
