"""The way to the data on real servers, on this machine alone: GlusterFS against XRootD, and a controller that
dies.
"""

from __future__ import annotations

import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.platforms.bench_network.daemons import namespace_pids
from assay.platforms.bench_network.network import network_token
from assay.platforms.mounts import mounts_below, read_mounts
from tests.live.parts import activities, assert_same_world, fits, newest, run, started, world

pytestmark = [pytest.mark.live, pytest.mark.long]

SCENE = """\
scene: ways
title: GlusterFS against XRootD
baseline: {machine: local, factors: {data.access: glusterfs}}
treatment: {machine: local, factors: {data.access: xrootd}}
data: {size: 8 MiB, files: 2}
workloads: [data-read]
design: {blocks: 3, seed: 7}
"""
WRITES = """\
scene: writes
title: A job that writes by GlusterFS
baseline: {machine: local}
treatment: {machine: local, factors: {scratch.access: glusterfs}}
workloads: [{name: write, command: dd if=/dev/zero of=out bs=1M count=8 conv=fsync}]
design: {blocks: 3, seed: 7}
"""


@pytest.fixture
def home() -> Iterator[Path]:
    """Yield a home that user nobody can enter, as XRootD's server must; nothing is left at its end."""
    made = Path(tempfile.mkdtemp(prefix="assay-data-", dir="/var/tmp"))
    made.chmod(0o755)
    before = world(made)
    try:
        yield made
        assert_same_world(made, before)
    finally:
        shutil.rmtree(made)


def scene_in(folder: Path, text: str = SCENE) -> str:
    file = folder / "ways.yaml"
    file.write_text(text)
    return str(file)


def reported(record: Any) -> dict[str, str]:
    return {one["name"]: one["how"] for one in record["data"]}


def nothing_is_left(home: Path, activity: str) -> bool:
    servers = list(namespace_pids(f"{network_token(activity)}-server"))
    return not servers and not mounts_below(home, read_mounts()) and not list((home / "data").glob("*"))


def test_each_arm_reads_by_its_own_way_which_is_seen_in_it_and_nothing_is_left(
    home: Path, tmp_path: Path
) -> None:
    done = run("evaluate", scene_in(tmp_path), "--json", home=home)
    assert done.code == 0, done.err
    activity = newest(home)
    assert activity is not None
    for record in activity.records:
        fits(record, "record")
        assert record["state"] == "ended"
        rate = record["measurements"][0]
        assert (rate["metric"]["name"], rate["metric"]["unit"]) == ("data_rate", "MB/s")
        assert rate["value"] > 0
        baseline = record["planned"]["arm"] == "baseline"
        seen = "fuse.glusterfs from 198.18.0.2" if baseline else "root://198.18.0.2:1094"
        assert seen in reported(record)["data.access"]
        assert "2 files of 8,388,608 bytes" in reported(record)["data.access"]
        assert record["cache"]["host"]["resident_bytes"] == 0, "the server's files are cold, too"
    assert nothing_is_left(home, activity.id)


def test_a_job_writes_by_a_server_and_nothing_is_left(home: Path, tmp_path: Path) -> None:
    done = run("evaluate", scene_in(tmp_path, WRITES), "--json", home=home)
    assert done.code == 0, done.err
    activity = newest(home)
    assert activity is not None
    for record in activity.records:
        fits(record, "record")
        assert record["state"] == "ended"
        seen = reported(record)
        if record["planned"]["arm"] == "baseline":
            assert not seen
        else:
            assert "fuse.glusterfs from 198.18.0.2" in seen["scratch.access"]
    assert nothing_is_left(home, activity.id)


def test_a_trial_that_was_cut_off_while_it_wrote_by_a_server_is_run_again(home: Path, tmp_path: Path) -> None:
    text = WRITES.replace("dd if=/dev/zero of=out bs=1M count=8 conv=fsync", "sh -c 'echo 1 >out; sleep 2'")
    with started("evaluate", scene_in(tmp_path, text), home=home, scratch=tmp_path) as running:
        running.wait_for(lambda: list((home / "work").glob("*/scratch/host/*/*")), "a job writes")
        running.send(signal.SIGKILL)
        running.end()
    (activity,) = activities(home)
    resumed = run("activity", "resume", activity.id, home=home)
    assert resumed.code == 0, resumed.err
    assert nothing_is_left(home, activity.id)


def test_what_a_killed_controller_leaves_is_cleaned_up(home: Path, tmp_path: Path) -> None:
    with started("evaluate", scene_in(tmp_path), home=home, scratch=tmp_path) as running:
        running.wait_for(lambda: list((home / "data").glob("*/served.json")), "the servers run")
        running.send(signal.SIGKILL)
        running.end()
    (activity,) = activities(home)
    assert list(namespace_pids(f"{network_token(activity.id)}-server"))
    cleaned = run("platform", "clean", home=home)
    assert cleaned.code == 0, cleaned.err
    assert nothing_is_left(home, activity.id)
