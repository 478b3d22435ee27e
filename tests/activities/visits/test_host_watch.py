"""A guest's host watched over a trial: by a real probe here, of processes that bear a hypervisor's name."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from assay.activities.visits.host_watch import HostPost, begin_watch, drop_watch, end_watch
from assay.activities.visits.visit import open_probe
from assay.model.machines.machine import Machine
from assay.model.trial import Arm, PlannedTrial
from assay.model.work.host_watch import GROUPS
from assay.probe import JobState, parse_cells
from assay.report.doubts import worded

TRIAL = PlannedTrial(3, 1, 0, Arm.TREATMENT, 0, "spin")


@contextmanager
def hypervisor() -> Iterator[int]:
    """Yield the number of a process that is called like QEMU and sleeps."""
    process = subprocess.Popen(["qemu-system-x86_64", "60"], executable="/bin/sleep")
    try:
        yield process.pid
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def post(tmp_path: Path) -> Iterator[HostPost]:
    with hypervisor() as pid, open_probe(Machine("here"), tmp_path) as (probe, door):
        yield HostPost(probe, f"{door.folder}/a1", pid)


def _state(post: HostPost) -> JobState:
    return post.probe.status(f"{post.directory}/{TRIAL.name}.host").state


def wait_until(met: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not met() and time.monotonic() < deadline:
        time.sleep(0.02)


def test_the_rows_of_one_guest_alone_come_home_with_what_watching_cost(
    post: HostPost, tmp_path: Path
) -> None:
    here = tmp_path / "host"
    with hypervisor():
        assert begin_watch(post, TRIAL, interval_s=0.05, limit_s=60.0) is None
        rows = Path(post.directory, f"{TRIAL.name}.host", "guests.csv")
        wait_until(lambda: rows.exists() and rows.read_bytes().count(b"\n") > 12)
        found = end_watch(post, TRIAL, here, unwatched=None)
    assert found.doubts == ()
    assert found.watch is not None
    assert (found.watch.pid, found.watch.interval_s) == (post.pid, 0.05)
    assert found.watch.cpus == tuple(sorted(os.sched_getaffinity(0)))
    assert [one.group for one in found.watch.series] == list(GROUPS)
    assert found.watch.cost is not None
    assert found.watch.cost.samples >= 2
    assert {row["pid"] for row in parse_cells((here / "guests.csv").read_bytes())} == {str(post.pid)}
    assert {file.name for file in here.iterdir()} >= {"probe.json", "samples.csv", "vmstat.csv", "disks.csv"}
    assert not (here / "stdout").exists()
    assert _state(post) is JobState.ABSENT


def test_a_guest_that_is_not_there_is_doubted_and_nothing_fails(post: HostPost, tmp_path: Path) -> None:
    here = HostPost(post.probe, post.directory, os.getpid())
    assert begin_watch(here, TRIAL, interval_s=1.0, limit_s=60.0) is None
    found = end_watch(here, TRIAL, tmp_path / "host", unwatched=None)
    assert found.watch is not None
    assert [doubt.code for doubt in found.doubts] == ["guest-not-watched"]


def test_a_host_that_cannot_be_watched_is_doubted_with_the_reason(post: HostPost, tmp_path: Path) -> None:
    elsewhere = begin_watch(None, TRIAL, interval_s=1.0, limit_s=60.0)
    (doubt,) = end_watch(None, TRIAL, tmp_path / "host", unwatched=elsewhere).doubts
    assert (doubt.code, worded(doubt).sentence) == (
        "host-not-watched",
        "The guest's host was not watched: no QEMU process of it is seen on the controller's machine.",
    )
    refused = begin_watch(post, TRIAL, interval_s=1e6, limit_s=60.0)
    assert refused is not None
    found = end_watch(post, TRIAL, tmp_path / "host", unwatched=refused)
    assert found.watch is None
    assert refused in worded(found.doubts[0]).sentence


def test_a_watch_that_was_lost_is_doubted_and_leaves_no_files(post: HostPost, tmp_path: Path) -> None:
    (doubt,) = end_watch(post, TRIAL, tmp_path / "host", unwatched=None).doubts
    assert doubt.code == "host-not-watched"
    assert not (tmp_path / "host").exists()


def test_a_watch_is_begun_anew_in_the_place_of_one_that_was_cut_off_and_may_be_dropped(
    post: HostPost,
) -> None:
    for _ in range(2):
        assert begin_watch(post, TRIAL, interval_s=1.0, limit_s=60.0) is None
        assert _state(post) is JobState.RUNNING
    drop_watch(post, TRIAL)
    assert _state(post) is JobState.ABSENT
    drop_watch(None, TRIAL)


def test_a_watch_that_nobody_ends_ends_with_its_guest(tmp_path: Path) -> None:
    with open_probe(Machine("here"), tmp_path) as (probe, door):
        with hypervisor() as pid:
            post = HostPost(probe, f"{door.folder}/a1", pid)
            assert begin_watch(post, TRIAL, interval_s=1.0, limit_s=60.0) is None
        probe.wait(f"{post.directory}/{TRIAL.name}.host", limit_s=20.0)
        drop_watch(post, TRIAL)
