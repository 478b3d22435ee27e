"""A machine that is a guest of another of the inventory: reached by it, and never measured beside it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.command import Done
from tests.fleet_hosts import Fleet, fleet_hosts
from tests.live.parts import Activity, World, assert_same_world, run, started

SCENE = """\
scene: itself
title: Each machine against itself
baseline: {machine: local}
treatment: {machine: local}
workloads: [{name: nap, command: "sleep 0.3"}]
design: {blocks: 3}
"""
CARRIER, GUEST, _ = range(3)

Call = Callable[..., Done]

pytestmark = [pytest.mark.live, pytest.mark.long]


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """Yield three machines, of which the second cannot be reached from here."""
    with fleet_hosts(tmp_path_factory.mktemp("fleet"), 3) as made:
        bar = ["ip", "route", "add", "blackhole", f"{made.hosts[GUEST].address}/32"]
        subprocess.run(made.inside(bar), check=True)
        yield made


@pytest.fixture(scope="module")
def call(fleet: Fleet, home: Path) -> Call:
    def call(*arguments: str) -> Done:
        return run(*arguments, home=home, wrap=fleet.inside, variables={"HOME": str(fleet.home)})

    carrier, guest, other = fleet.hosts
    added = [
        ("add", carrier.name, "--ssh", f"root@{carrier.address}"),
        ("add", guest.name, "--ssh", f"root@{guest.address}", "--guest-of", carrier.name),
        ("add", other.name, "--ssh", f"root@{other.address}"),
    ]
    for words in added:
        done = call("machine", *words)
        assert done.code == 0, done.err
    return call


def test_a_guest_is_reached_by_the_machine_that_carries_it(fleet: Fleet, call: Call) -> None:
    carrier, guest, _ = fleet.hosts
    checked = call("machine", "check", guest.name, "--json")
    assert checked.code == 0, checked.err
    assert f"root@{guest.address}, a guest of {carrier.name}" in call("machine", "list").out
    carrier.kill()
    try:
        lost = call("machine", "check", guest.name)
        assert lost.code == 7
        assert f"cannot reach {carrier.name} (root@{carrier.address})" in lost.out + lost.err
    finally:
        carrier.start()


def test_a_key_of_a_guest_that_is_not_known_is_accepted_by_the_same_way(fleet: Fleet, call: Call) -> None:
    carrier, guest, _ = fleet.hosts
    known = fleet.home / ".ssh/known_hosts"
    whole = known.read_text()
    known.write_text(
        "".join(line for line in whole.splitlines(keepends=True) if not line.startswith(guest.address))
    )
    try:
        refused = call("machine", "check", guest.name)
        assert f"ssh -J root@{carrier.address} root@{guest.address} true" in refused.out + refused.err
    finally:
        known.write_text(whole)


def test_the_inventory_keeps_to_machines_that_are_there(fleet: Fleet, call: Call, tmp_path: Path) -> None:
    carrier, guest, other = fleet.hosts
    refused = call("machine", "remove", carrier.name)
    assert refused.code == 3
    assert f"'{guest.name}' is a guest of it" in refused.err
    nested = call("machine", "add", "deep", "--ssh", "root@10.0.0.9", "--guest-of", guest.name)
    assert nested.code == 3
    assert "which is a guest itself" in nested.err
    unknown = call("machine", "add", "lone", "--ssh", "root@10.0.0.9", "--guest-of", f"{other.name}x")
    assert unknown.code == 3
    assert f"nearest: '{other.name}'" in unknown.err
    (tmp_path / "hosts.yaml").write_text(call("machine", "export").out)
    again = call("machine", "import", str(tmp_path / "hosts.yaml"), "--json")
    assert (again.page["machines"], again.page["unchanged"]) == ([], 3)


def test_it_is_never_measured_beside_the_machine_that_carries_it(
    fleet: Fleet, call: Call, home: Path, tmp_path: Path
) -> None:
    (tmp_path / "itself.yaml").write_text(SCENE)
    names = ",".join(host.name for host in fleet.hosts)
    done = call("evaluate", str(tmp_path / "itself.yaml"), "--on", names, "--wait-quiet", "0 s", "--json")
    assert done.code == 0, done.err
    (folder,) = (home / "activities").glob("*")
    lanes = {
        lane["machine"]: Activity(folder / "lanes" / lane["activity"])
        for lane in json.loads((folder / "fleet.json").read_text())["lanes"]
    }
    times = {
        name: [(one["started_ns"], one["ended_ns"]) for one in lane.records] for name, lane in lanes.items()
    }
    planned = lanes[fleet.hosts[GUEST].name].plan["baseline"]["machine"]
    assert planned["carrier"]["name"] == fleet.hosts[CARRIER].name
    carrier, guest, other = (times[host.name] for host in fleet.hosts)
    assert len(carrier) == len(guest) == len(other) == 9
    first, second = sorted((carrier, guest))
    assert max(end for _, end in first) < min(start for start, _ in second)
    assert min(start for start, _ in other) < max(end for _, end in first)
    waits = f"waits for another on {fleet.hosts[CARRIER].name}"
    assert sum(waits in line for line in done.err.splitlines()) == 1


def test_a_guest_waits_for_who_measures_the_machine_that_carries_it(
    fleet: Fleet, call: Call, home: Path, tmp_path: Path
) -> None:
    scene = tmp_path / "itself.yaml"
    scene.write_text(SCENE.replace("0.3", "1"))
    words = ("evaluate", str(scene), "--wait-quiet", "0 s", "--json", "--on")
    carrier, guest, _ = (host.name for host in fleet.hosts)
    variables = {"HOME": str(fleet.home)}
    with started(
        *words, carrier, home=home, scratch=tmp_path, wrap=fleet.inside, variables=variables
    ) as first:
        first.wait_for(lambda: first.said("[1/9"), "its first record")
        waited = call(*words, guest, "--wait")
        assert waited.code == 0, waited.err
        assert first.end().code == 0
    assert f"cannot start: {carrier} is measured by activity" in waited.err


def test_nothing_is_left_behind(home: Path, before: World, call: Call) -> None:
    assert call("machine", "list").code == 0
    assert_same_world(home, before)
