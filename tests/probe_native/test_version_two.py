"""Control groups of version 2 as today's machines have them: in a guest of ours, whose kernel mounts all
controllers.

Times are compared within one run: a busy machine makes all of them longer, and none of them wrong.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from assay.activities.visits.visit import GUEST_CONNECT_S, open_probe
from assay.model.machines.machine import Limits
from assay.platforms.daemon.daemon import libvirt_connection
from assay.platforms.guests.guest import start_guest
from assay.probe import Door, Probe, Spec
from tests.platforms.guest_parts import PROBE, fresh_home, real_image, spec_of
from tests.probe_native.driver import conforms

pytestmark = pytest.mark.live

MIB = 1 << 20
NUMBERS = count()
BURN = "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done"
"""Half a second of CPU time or more under emulation."""


@dataclass(frozen=True)
class Ran:
    """A job that has ended in the guest."""

    folder: Path

    @property
    def record(self) -> Any:
        return json.loads((self.folder / "probe.json").read_text())

    @property
    def usage(self) -> Any:
        return self.record["usage"]

    @property
    def cpu_s(self) -> float:
        return float(self.usage["user_s"] + self.usage["system_s"])

    def rows(self, name: str) -> list[dict[str, str]]:
        with (self.folder / name).open() as lines:
            return list(csv.DictReader(lines))

    def figures(self, name: str, column: str) -> list[float]:
        return [float(row[column]) for row in self.rows(name) if row[column]]


class Inside:
    """The probe in the guest."""

    def __init__(self, probe: Probe, door: Door, here: Path) -> None:
        self._probe, self._door, self._here = probe, door, here

    def run(self, script: str, **fields: Any) -> Ran:
        name = f"two-{next(NUMBERS)}"
        into = f"{self._door.folder}/{name}"
        spec = Spec(command=("sh", "-c", script), directory=f"{into}-work", **fields)
        self._probe.start(spec, into)
        self._probe.wait(into, limit_s=300)
        self._door.get(into, self._here / name)
        ran = Ran(self._here / name)
        conforms(ran.record, "record")
        return ran

    def read(self, *argv: str) -> str:
        return self._door.run(argv, timeout_s=60).decode()


@pytest.fixture(scope="module")
def inside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Inside]:
    here = tmp_path_factory.mktemp("version-two")
    with fresh_home() as home, libvirt_connection(home, subreaper=PROBE) as connection:
        guest = start_guest(connection, spec_of(home, real_image(), activity="test-version-two"))
        with open_probe(guest.machine, home, connect_timeout_s=GUEST_CONNECT_S) as (probe, door):
            yield Inside(probe, door, here)
        guest.destroy()


@pytest.fixture(scope="module")
def halved(inside: Inside) -> Ran:
    """A job that wants all of the time and gets a half of it."""
    return inside.run(BURN, limits=Limits(cpu_quota=0.5), watch=("pressure",), interval_s=0.1)


def test_the_hierarchy_carries_the_controllers_and_the_probe_uses_it(inside: Inside) -> None:
    offered = inside.read("cat", "/sys/fs/cgroup/cgroup.controllers").split()
    assert {"cpu", "cpuset", "io", "memory"} <= set(offered)
    record = inside.run("cat /proc/self/cgroup").record
    assert (record["scope"], record["limits"]["by"]) == ("cgroup-v2", "cgroup-v2")
    assert record["doubts"] == []


def test_cpu_time_is_the_kernels_own_account(inside: Inside) -> None:
    ran = inside.run(f"{BURN}; times")
    minutes = [word.rstrip("s").split("m") for word in (ran.folder / "stdout").read_text().split()]
    told_s = sum(60 * float(minute) + float(second) for minute, second in minutes)
    copy = ran.record["copies"][0]
    assert told_s > 0.1
    assert ran.cpu_s == pytest.approx(copy["user_s"] + copy["system_s"], rel=0.1)
    assert told_s - 0.02 <= ran.cpu_s <= 1.25 * told_s + 0.05
    assert ran.usage["throttled_s"] == 0


def test_a_quota_of_half_the_time_holds(halved: Ran) -> None:
    assert halved.record["limits"]["cpu_quota"] == 0.5
    assert halved.record["doubts"] == []
    # A period of 0.1 s may have begun at either end.
    assert halved.cpu_s <= 0.5 * halved.usage["wall_s"] + 0.1


def test_a_quota_held_a_job_up_for_the_time_that_it_did_not_run(halved: Ran) -> None:
    stood_s = halved.usage["wall_s"] - halved.cpu_s
    assert 0.5 * stood_s <= halved.usage["throttled_s"] <= stood_s + 0.1


def test_pressure_of_the_job_is_told_in_seconds(halved: Ran) -> None:
    reported = [row for row in halved.rows("pressure.csv") if row["scope"] == "job"]
    assert {row["resource"] for row in reported} == {"cpu", "io", "memory"}
    cpu = [float(row["some_s"]) for row in reported if row["resource"] == "cpu"]
    assert cpu == sorted(cpu)
    assert cpu[-1] <= halved.usage["wall_s"] + 0.1


def test_memory_is_counted_in_bytes_while_it_is_held(inside: Inside) -> None:
    script = "dd if=/dev/zero of=/dev/null bs=48M count=30 2>/dev/null"
    ran = inside.run(script, watch=("memory",), interval_s=0.02)
    for figures in (ran.figures("samples.csv", "job_rss_bytes"), ran.figures("memory.csv", "anon_bytes")):
        assert 48 * MIB <= max(figures) < 56 * MIB
    assert {row["source"] for row in ran.rows("memory.csv")} == {"cgroup-v2"}
    assert 48 * MIB <= ran.usage["rss_bytes"] < 56 * MIB


def test_a_memory_limit_holds_and_its_victim_is_reported(inside: Inside) -> None:
    ran = inside.run(
        "exec dd if=/dev/zero of=/dev/null bs=200M count=1", limits=Limits(memory_bytes=64 * MIB)
    )
    record = ran.record
    assert record["limits"]["memory_bytes"] == 64 * MIB
    assert (record["cause_kind"], record["oom_killed"], record["signal"]) == ("oom-kill", True, 9)
    assert ran.usage["memory_limit_hits"] > 0
    assert ran.usage["rss_bytes"] <= 72 * MIB


def test_a_job_within_its_memory_meets_no_limit(inside: Inside) -> None:
    ran = inside.run("true", limits=Limits(memory_bytes=64 * MIB))
    assert (ran.record["oom_killed"], ran.usage["memory_limit_hits"]) == (False, 0)


def test_direct_writes_are_held_to_their_rate(inside: Inside) -> None:
    script = "dd if=/dev/zero of=out bs=64k count=32 oflag=direct 2>/dev/null"
    ran = inside.run(script, limits=Limits(write_bytes_per_s=2_000_000))
    assert ran.record["limits"]["write_bytes_per_s"] == 2_000_000
    assert ran.record["doubts"] == []
    assert ran.usage["wall_s"] > 0.8 * 2 * MIB / 2_000_000
    assert 2 * MIB <= ran.usage["write_bytes"] < 3 * MIB


@pytest.mark.long
def test_a_job_stands_still_for_a_share_of_its_time_and_goes_on(inside: Inside) -> None:
    ran = inside.run(BURN, limits=Limits(pause=0.5))
    assert ran.record["state"] == "ended"
    share = ran.record["limits"]["pause"]
    assert 0 < share < 1
    # Whoever stands still uses nothing.
    assert ran.cpu_s <= (1 - share) * ran.usage["wall_s"] + 0.05


@pytest.mark.parametrize("limits", [Limits(), Limits(pause=0.9)], ids=["as it runs", "as it stands still"])
def test_all_of_a_job_is_killed_and_its_group_is_gone(inside: Inside, limits: Limits) -> None:
    before = inside.read("cat", "/sys/fs/cgroup/cgroup.subtree_control")
    script = "trap '' TERM; for i in 1 2 3; do sleep 600 & done; wait"
    ran = inside.run(script, limits=limits, time_limit_s=1, grace_s=0.2)
    # One that hardly ran may not have come to its `trap` yet.
    assert ran.record["cause_kind"] == "time-limit"
    assert ran.record["signal"] in ({9} if limits.pause is None else {9, 15})
    assert "assay" not in inside.read("ls", "/sys/fs/cgroup").split()
    assert inside.read("cat", "/sys/fs/cgroup/cgroup.subtree_control") == before


def test_what_a_job_leaves_behind_is_killed_and_counted(inside: Inside) -> None:
    ran = inside.run("sleep 600 & sleep 600 & exit 0")
    assert (ran.record["state"], ran.record["leftover_processes"]) == ("ended", 2)
