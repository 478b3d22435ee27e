"""A guest on another hypervisor, against that machine: killed in its trial, resumed, and nothing left there.

The hypervisor is a libvirt of its own behind a real sshd (``tests.hypervisor``); only its image is laid there
by hand, since a copy by SSH takes longer than the rest, and is compared as any other.
"""

from __future__ import annotations

import signal
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.hosts import SshHost
from tests.hypervisor import processes, there
from tests.live.bench import HOME, Call, bench, caller
from tests.live.parts import Activity, Done, activities, newest, seed_of, started

pytestmark = [pytest.mark.live, pytest.mark.long]

SCENE = """\
scene: remote-guest
title: A guest on another machine against that machine
baseline: {machine: bench}
treatment: {platform: guest, factors: {memory.size: 512 MiB, disk.cache: writeback, memory.nosharepages: 'on'}}
workloads: [{use: sysbench-cpu, parameters: {runtime: 1 s}}]
"""  # noqa: E501
IN_GUEST = 1
"""Trial that is cut off."""
STARTS_S = 0.7
"""From the mark to the job's start, which takes a second or more."""
LETS_GO_S = 60
VIRSH = ("virsh", "-c", "qemu:///system")


@dataclass(frozen=True)
class Story:
    """All that happened, in its order."""

    activity: Activity
    trial: Any
    cleaned: Any
    end: Done
    left: str


@pytest.fixture(scope="module")
def host(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshHost]:
    assert home.exists()  # the machine is looked at before the hypervisor starts and after it has ended
    with bench(tmp_path_factory.mktemp("hypervisor")) as made:
        yield made


@pytest.fixture(scope="module")
def call(host: SshHost, home: Path) -> Call:
    return caller(host, home)


@pytest.fixture(scope="module")
def story(host: SshHost, call: Call, home: Path, tmp_path_factory: pytest.TempPathFactory) -> Story:
    """Kill an evaluation in its guest's trial, clean up, resume it."""
    scratch = tmp_path_factory.mktemp("story")
    file = scratch / "remote-guest.yaml"
    file.write_text(SCENE)
    command = ("evaluate", str(file), "--seed", str(seed_of("bt")))
    variables = {"HOME": str(host.home)}
    with started(*command, home=home, scratch=scratch, wrap=host.inside, variables=variables) as running:
        running.wait_for(lambda: newest(home), "the activity is there")
        activity = newest(home)
        assert activity is not None
        running.wait_for(lambda: activity.runs(IN_GUEST) and _is_marked(host), "the guest holds a record")
        time.sleep(STARTS_S)
        trial = activity.under_way
        running.send(signal.SIGKILL)
        assert running.end().code == -signal.SIGKILL
    cleaned = _cleaned(call)
    end = call("activity", "resume", activity.id, "--json")
    return Story(activity, trial, cleaned, end, there(host, "find", HOME, "-type", "f"))


def _cleaned(call: Call) -> Any:
    """Clean up there; the claim of the one killed lives until sshd there finds its connection closed."""
    until = time.monotonic() + LETS_GO_S
    while not (cleaned := call("platform", "clean", "--on", "bench", "--json").page["leftovers"]):
        assert time.monotonic() < until, "the guest is listed once nobody holds it"
    return cleaned


def _is_marked(host: SshHost) -> bool:
    """Tell whether a guest there is marked as one that holds a record."""
    names = there(host, *VIRSH, "list", "--name").split()
    return any('pending="yes"' in there(host, *VIRSH, "dumpxml", name) for name in names)


def test_the_evaluation_is_complete(story: Story) -> None:
    assert story.end.code == 0, story.end.err
    assert story.end.page["result"]["state"] == "complete"
    assert story.end.page["estimates"][0]["blocks"] == 3


def test_cleaning_up_there_spares_the_guest_that_holds_a_record(story: Story) -> None:
    (guest,) = story.cleaned
    assert (guest["kind"], guest["name"], guest["removed"]) == ("guest", story.trial["guest"], False)
    assert f"assay activity resume {story.activity.id}" in guest["why"]


def test_the_trial_that_was_cut_off_is_collected_from_its_guest(story: Story) -> None:
    record = story.activity.records[IN_GUEST]
    assert (record["started_ns"], record["boot"]) == (story.trial["started_ns"], story.trial["boot"])
    assert record["state"] == "ended"


def test_the_baseline_ran_on_the_machine_that_carried_the_guests(story: Story) -> None:
    sides = {record["planned"]["arm"]: record for record in story.activity.records}
    assert (sides["baseline"]["machine"], sides["treatment"]["machine"]) == ("bench", "guest")
    assert sides["baseline"]["clock"] is not None
    assert sides["treatment"]["clock"] is not None


def test_each_guest_was_read_back_from_its_own_machine(story: Story) -> None:
    guests = [record for record in story.activity.records if record["planned"]["arm"] == "treatment"]
    late = guests[0]
    for guest in guests:
        platform = guest["platform"]
        assert (platform["memory_bytes"], platform["disk_cache"]) == (512 * 2**20, "writeback")
        seen = {one["name"]: one["level"] for one in platform["factors"]}
        assert seen["memory.nosharepages"] == "on"
        assert f"{HOME}/guests/" in story.activity.domain(guest)
        assert guest["weight"]["beside_bytes"] > 0
        assert guest is late or guest["hypervisor_cpu"]["vcpu_s"] > 0


def test_only_the_image_is_left_there(host: SshHost, story: Story) -> None:
    assert {Path(path).parts[5] for path in story.left.split()} == {"images"}
    assert there(host, *VIRSH, "list", "--all", "--name").split() == []
    assert not any(name.startswith("qemu-system") for name in processes(host).values())


def test_what_cannot_be_had_there_is_refused_before_anything_runs(call: Call, tmp_path: Path) -> None:
    file = tmp_path / "refused.yaml"
    file.write_text(SCENE.replace("memory.nosharepages: 'on'", "host.thp: never"))
    done = call("evaluate", str(file))
    assert done.code == 4
    assert "cannot use host.thp for guests on bench: only this machine's settings are changed" in done.err


def test_the_guests_of_a_layout_are_made_there_and_work_together(
    host: SshHost, call: Call, home: Path, tmp_path: Path, story: Story
) -> None:
    file = tmp_path / "layout.yaml"
    words = SCENE.replace("platform: guest,", "platform: guest, layout: {guests: 2},")
    file.write_text(words.replace("runtime: 1 s}", "runtime: 1 s}, placement: {copies: 2}"))
    done = call("evaluate", str(file), "--seed", "1", "--json")
    assert done.code == 0, done.err
    activity = newest(home, [story.activity])
    assert activity is not None
    several = [record for record in activity.records if record["members"]]
    assert len(several) == 3
    for record in several:
        assert record["state"] == "ended"
        assert [member["name"] for member in record["members"]] == ["guest-0", "guest-1"]
        assert all(abs(member["started_s"]) < 0.5 for member in record["members"])
        assert {member["memory_bytes"] for member in record["members"]} == {256 << 20}
    assert there(host, *VIRSH, "list", "--all", "--name").split() == []


OVER_ITS_HOST = """\
scene: kinds-of-hardware
title: A guest on another machine against that machine, beside this one
baseline: {machine: local}
treatments:
  - {platform: guest, machine: bench, factors: {memory.size: 512 MiB}}
  - {machine: bench}
workloads: [{use: sysbench-cpu, parameters: {runtime: 1 s}}]
"""


def test_a_guest_there_is_measured_over_that_machine_where_the_baseline_is_here(
    host: SshHost, call: Call, home: Path, tmp_path: Path, story: Story
) -> None:
    file = tmp_path / "kinds.yaml"
    file.write_text(OVER_ITS_HOST)
    before = activities(home)
    done = call("evaluate", str(file), "--seed", "1", "--json")
    assert done.code == 0, done.err
    activity = newest(home, before)
    assert activity is not None
    machines = Counter(record["machine"] for record in activity.records)
    assert machines == {"local": 6, "bench": 6, "guest on bench": 3}
    rows = {row["treatment"]: row for row in done.page["estimates"] if row["metric"] == "events_per_s"}
    assert {label: row["against"] for label, row in rows.items()} == {
        "guest on bench": "bench",
        "bench": None,
    }
    by_arm = {
        (record["planned"]["block"], record["planned"]["replicate"]): value
        for record in activity.records
        for value in [
            one["value"] for one in record["measurements"] if one["metric"]["name"] == "events_per_s"
        ]
        if record["machine"] == "bench"
    }
    for block in rows["guest on bench"]["blocks_data"]:
        assert block["baseline"] == [by_arm[block["block"], 0], by_arm[block["block"], 1]]
    assert rows["guest on bench"]["loss"] > 0.3
    explained = call("explain", activity.id, "--json")
    assert {budget["against"] for budget in explained.page["budgets"] if budget["treatment"] != "bench"} == {
        "bench"
    }
    assert there(host, *VIRSH, "list", "--all", "--name").split() == []


def test_a_hypervisor_without_its_daemon_is_one_line(
    host: SshHost, call: Call, tmp_path: Path, story: Story
) -> None:
    assert story.end.code == 0  # all else is over
    file = tmp_path / "remote-guest.yaml"
    file.write_text(SCENE)
    host_daemon = next(pid for pid, name in processes(host).items() if name == "libvirtd")
    there(host, "kill", str(host_daemon))
    there(host, "rm", "-f", "/run/libvirt/libvirt-sock")
    done = call("evaluate", str(file))
    assert done.code == 4
    assert done.err.startswith("error: cannot use libvirt on bench: qemu+ssh://root@")
    assert "libvirtd does not run there" in done.err
    host.kill()
    gone = call("evaluate", str(file))
    assert gone.code == 7
    assert "cannot reach bench" in gone.err
