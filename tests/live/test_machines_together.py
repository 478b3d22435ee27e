"""One analysis on two machines for real: sshd in namespaces, ROOT files by the pack, XRootD on the first
machine; users by weights, bytes by link, and a controller that is killed.
"""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.command import Done
from tests.fleet_hosts import Fleet, fleet_hosts
from tests.live.parts import Activity, activities, fits, newest, run, started

pytestmark = [pytest.mark.live, pytest.mark.long]

SCENE = """\
scene: together
title: One analysis on two machines
baseline: {machine: n01, with: [n02], factors: {data.access: local}}
treatment: {machine: n01, with: [n02], factors: {data.access: xrootd}}
data: {size: 12 MiB, files: 4, content: root}
workloads:
  - {use: root-analysis, parameters: {users: {alice: 2, bob: 1}}, placement: {copies: 6}}
design: {blocks: 3, shape: pairs, seed: 5}
"""
PART_BYTES = 12 * 2**20 / 2
Call = Callable[..., Done]


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    with fleet_hosts(tmp_path_factory.mktemp("together"), 2) as made:
        yield made


@pytest.fixture(scope="module")
def call(fleet: Fleet, home: Path) -> Call:
    """Return what runs the command where the machines are reached, once they and the pack are there."""
    (fleet.folder / "hosts.yaml").write_text(fleet.inventory())
    (fleet.folder / "together.yaml").write_text(SCENE)

    def call(*arguments: str) -> Done:
        return run(*arguments, home=home, wrap=fleet.inside, variables={"HOME": str(fleet.home)})

    made = run("workload", "pack", "root", home=home)
    assert made.code == 0, made.err
    assert call("machine", "import", str(fleet.folder / "hosts.yaml")).code == 0
    return call


def servers() -> list[str]:
    """Return the XRootD servers of ours that run on this machine, in whatever namespace."""
    found = subprocess.run(
        ["pgrep", "-a", "-f", "xrootd .*-c /tmp/own/xrootd.cf"], capture_output=True, check=False
    )
    return found.stdout.decode().splitlines()


@pytest.fixture(scope="module")
def done(fleet: Fleet, call: Call, home: Path) -> Activity:
    ended = call("evaluate", str(fleet.folder / "together.yaml"), "--json")
    assert ended.code == 0, ended.err
    fits(ended.page, "report")
    activity = newest(home)
    assert activity is not None
    return activity


def received(record: dict[str, Any], number: int) -> int:
    (link,) = [one for one in record["members"][number]["links"] if one["interface"] == "eth0"]
    return int(link["received_bytes"])


def test_what_is_read_from_the_first_machine_passes_its_link_and_nothing_else_does(done: Activity) -> None:
    assert len(done.records) == 6
    for record in done.records:
        fits(record, "record")
        assert record["state"] == "ended", record["cause"]
        assert [one["name"] for one in record["members"]] == ["machine-0", "machine-1"]
        assert [one["guest"] for one in record["members"]] == ["n01", "n02"]
        remote = record["planned"]["arm"] == "treatment"
        assert {one["name"]: one["level"] for one in record["data"]} == {
            "data.access": "xrootd" if remote else "local"
        }
        if remote:  # each of two users reads the second machine's part
            assert 1.8 * PART_BYTES < received(record, 1) < 3 * PART_BYTES
        else:
            assert received(record, 1) < PART_BYTES / 10
        assert received(record, 0) < PART_BYTES / 5, "SSH, and requests"


def test_each_user_has_a_rate_and_that_of_all_is_of_the_time_of_all(done: Activity) -> None:
    for record in done.records:
        figures = {one["metric"]["name"]: one["value"] for one in record["measurements"]}
        rate, alice, bob = (figures[f"events_per_s{user}"] for user in ("", "_alice", "_bob"))
        assert alice > 0
        assert bob > 0
        assert alice + bob >= 0.99 * rate
        loops = [one for one in record["phases"] if one["phase"] == "event-loop"]
        events = sum(one["events"] for one in loops)
        seconds = max(one["ended"]["mono_ns"] for one in loops) - min(
            one["started"]["mono_ns"] for one in loops
        )
        assert rate == pytest.approx(events / (seconds / 1e9), rel=0.1)


def test_the_report_tells_each_machine_and_its_links(done: Activity, call: Call) -> None:
    shown = call("report", done.id, "--json")
    assert shown.code == 0, shown.err
    parts = shown.page["machines"]
    assert [(one["label"], one["machine"]) for one in parts] == [
        *(("n01+n02", "n01"), ("n01+n02", "n02")),
        *(("n01+n02, data.access xrootd", "n01"), ("n01+n02, data.access xrootd", "n02")),
    ]
    assert all(one["workers"] == 3 and one["events_per_s"] > 0 for one in parts)
    rows = {(one["metric"]) for one in shown.page["estimates"]}
    assert {"events_per_s", "events_per_s_alice", "events_per_s_bob"} <= rows
    text = call("report", done.id).out
    assert "Machines that worked together" in text
    assert "2 machines did each trial together" in text


def test_nothing_is_left_on_the_machines(done: Activity, fleet: Fleet) -> None:
    assert servers() == []
    for host in fleet.hosts:
        host.inside("sh", "-c", f"! test -e /var/tmp/assay-root/{done.id}")


def test_a_controller_that_is_killed_leaves_no_server_and_every_trial_runs_in_the_end(
    fleet: Fleet, call: Call, home: Path, tmp_path: Path
) -> None:
    before = activities(home)
    words, variables = ("evaluate", str(fleet.folder / "together.yaml")), {"HOME": str(fleet.home)}
    with started(*words, home=home, scratch=tmp_path, wrap=fleet.inside, variables=variables) as running:
        running.wait_for(servers, "a trial that reads remotely")
        running.send(signal.SIGKILL)
        running.end()
    until = time.monotonic() + 20
    while servers() and time.monotonic() < until:
        time.sleep(0.2)
    assert servers() == []
    resumed = call("activity", "resume", "last")
    assert resumed.code == 0, resumed.err
    activity = newest(home, before)
    assert activity is not None
    assert len(activity.records) == 6
    assert all(one["state"] == "ended" for one in activity.records)
    assert servers() == []


def test_a_dry_run_names_the_machines_of_each_arm(fleet: Fleet, call: Call) -> None:
    dry = call("evaluate", str(fleet.folder / "together.yaml"), "--dry-run")
    assert dry.code == 0, dry.err
    assert "n01+n02: each trial on all of n01 (" in dry.out
    assert "together" in dry.out
