"""Trials of a visit run on the file system that their arm asks for, and the next visit finds its
own again.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from assay.activities.data.scratch import scratch_on, wants_scratch
from assay.activities.visits.visit import machine_visit
from assay.model.activity import PlannedArm
from assay.model.machines.machine import Limits, Machine, Reach
from assay.platforms.data_servers.serve import data_folder, end_data
from assay.platforms.mounts import filesystem_of, loops_below, mounts_below, read_mounts
from tests.builders import plan_of

ACTIVITY = "0123abcd"
HERE = PlannedArm("host", Machine("local", Reach.LOCAL), Limits())
ON_EXT4 = PlannedArm("host", HERE.machine, Limits(), data=(("scratch.filesystem", "ext4"),))
ON_MEMORY = PlannedArm("host", HERE.machine, Limits(), data=(("scratch.filesystem", "tmpfs"),))


@pytest.mark.live
def test_each_visit_writes_where_its_arm_says_and_the_record_tells_of_it(tmp_path: Path) -> None:
    folder = data_folder(tmp_path, ACTIVITY)
    with machine_visit(ON_EXT4, ACTIVITY, home=tmp_path) as visit:
        usual = visit.directory
        try:
            for arm, kind in ((ON_EXT4, "ext4"), (ON_MEMORY, "tmpfs"), (ON_EXT4, "ext4")):
                with scratch_on(visit, arm, folder, 4 << 30):
                    trial = f"{visit.directory}/trial.work"
                    visit.probe.make(trial)
                    assert Path(trial).is_dir()
                    assert filesystem_of(Path(trial), read_mounts()) == kind
                    visit.probe.remove(trial)
                    assert not Path(trial).exists()
                    assert [(one.name, one.level) for one in visit.scratch] == [("scratch.filesystem", kind)]
                assert (visit.directory, visit.scratch) == (usual, ())
                there = {mount.point.parent.name for mount in mounts_below(folder, read_mounts())}
                assert there == {"disks-scratch-ext4"}, "one in memory goes with its visit"
        finally:
            assert end_data(folder)
    assert not loops_below(folder)


def test_an_arm_of_which_nothing_is_said_writes_where_it_always_does(tmp_path: Path) -> None:
    with machine_visit(HERE, ACTIVITY, home=tmp_path) as visit:
        usual = visit.directory
        with scratch_on(visit, HERE, data_folder(tmp_path, ACTIVITY), 4 << 30):
            assert visit.directory == usual
    assert not (tmp_path / "data").exists()


@pytest.mark.live
def test_what_is_mounted_in_the_activity_s_work_folder_goes_before_its_server(tmp_path: Path) -> None:
    folder, mounted = data_folder(tmp_path, ACTIVITY), tmp_path / "work" / ACTIVITY / "scratch"
    mounted.mkdir(parents=True)
    subprocess.run(["mount", "-t", "tmpfs", "none", str(mounted)], check=True)
    assert end_data(folder, home=tmp_path)
    assert not mounts_below(tmp_path, read_mounts())


def test_one_arm_that_asks_is_enough_for_a_plan_to_want_it() -> None:
    plan = plan_of(())
    assert not wants_scratch(plan)
    assert wants_scratch(plan_of((), more=(ON_EXT4,)))
