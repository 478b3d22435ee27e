"""What an activity needs around its trials: made in order, shared by all visits, gone when the environment is
closed.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from assay.activities.trials.inflight import is_collected
from assay.model.files.marker import make_marked, mark
from assay.model.platforms.data import DataFile, DataSet
from assay.model.trial import Arm
from assay.platforms.data_servers.serve import data_folder
from assay.platforms.host.this_host import ThisHost
from assay.workloads import SERVERS
from tests.activities.doubles import Watcher
from tests.activities.environment_world import (
    BASE,
    FAR,
    GUEST,
    HOST,
    NET,
    NETWORK,
    OTHER,
    TCG,
    TRIALS,
    World,
    environment_of,
    guests,
    opened,
)
from tests.builders import WORKLOAD, plan_of

IPERF3 = SERVERS["iperf3"]


def test_machines_are_opened_before_the_controller_is_confined_and_released_at_the_end(world: World) -> None:
    environment = opened(plan_of(TRIALS))
    assert world.of("end guests") == [
        ("end guests", Path("/h"), "0123abcd", {"subreaper": Path("/probe"), "collected": is_collected})
    ]
    assert world.of("end containers") == [("end containers", Path("/h"), "0123abcd", {})]
    put_back = ["settings", "leave settings"]
    ((_, none, options), _) = world.of("settings")
    assert (none, options["home"], options["activity"]) == ({}, Path("/h"), "0123abcd")
    assert isinstance(options["host"], ThisHost)
    assert world.names() == [
        "end guests", "end containers", *put_back, "open host", *put_back, "open other", "confine",
    ]  # fmt: skip
    assert world.acts[-1] == ("confine", {5})
    world.acts.clear()
    environment.close()
    assert world.acts == [("confine", os.sched_getaffinity(0)), "close other", "close host"]


def test_a_guest_has_its_host_opened_a_watcher_there_and_an_accelerator_that_is_told(world: World) -> None:
    watcher = Watcher()
    opened(guests(), watcher)
    assert [name for name in world.names() if name.startswith("open")] == ["open host"]
    assert world.of("watching") == [("watching", HOST.machine, Path("/h"), {})]
    assert world.of("libvirt") == [("libvirt", Path("/h"), {"subreaper": Path("/probe")})]
    choice = ("accelerator", "connection", "image aaaa", {"folder": Path("/h/guests")})
    assert world.of("accelerator") == [choice]
    assert world.names().index("confine") < world.names().index("watching")
    assert watcher.steps == ["reaching the hypervisor", TCG.why]
    assert "network" not in world.names()


def test_limits_of_a_user_s_own_hypervisor_are_told(world: World) -> None:
    watcher, world.reported = Watcher(), "guests are made by qemu:///session"
    opened(guests(), watcher)
    assert watcher.steps == ["reaching the hypervisor", world.reported, TCG.why]


def test_a_guest_as_baseline_still_has_its_host_opened(world: World) -> None:
    opened(guests(baseline=GUEST))
    assert [name for name in world.names() if name.startswith("open")] == ["open guest"]


def test_a_network_is_made_where_a_workload_needs_it_and_machines_here_join_it(world: World) -> None:
    watcher = Watcher()
    far = replace(HOST, label="far", machine=FAR)
    environment = opened(plan_of(TRIALS, treatment=far, workloads=(NET,)), watcher)
    options = {
        "name": "0123abcd",
        "cpus": (5,),
        "loopback": False,
        "guests": 1,
        "mtu": 1500,
        "servers": (IPERF3,),
    }
    assert world.of("network") == [("network", options)]
    assert watcher.steps == ["making the benches' network"]
    here = environment._shared.carrier
    there = environment._shared.machine(environment._plan.treatment)
    assert (here.network, here.server) == (NETWORK.client_namespace, NETWORK.server_address)
    assert (there.network, there.server) == (None, None)


def test_servers_of_the_workloads_stand_beside_the_network_s_own(world: World) -> None:
    netperf = replace(NET, command=("netperf", "-H", "{server}"))
    opened(plan_of(TRIALS, workloads=(WORKLOAD, netperf)))
    ((_, options),) = world.of("network")
    assert options["servers"] == (IPERF3, SERVERS["netserver"])


def test_what_a_former_process_left_is_ended_where_there_may_be_any(world: World) -> None:
    scratch = replace(HOST, data=(("scratch.filesystem", "xfs"),))
    data = DataSet((DataFile("f", 1),))
    for plan, ended in (
        (plan_of(TRIALS), False),
        (plan_of(TRIALS, workloads=(NET,)), True),
        (plan_of(TRIALS, data=data), True),
        (plan_of(TRIALS, treatment=scratch), True),
    ):
        world.acts.clear()
        environment_of(plan).end_left()
        assert world.names() == ["settings", "leave settings", *(["end data"] if ended else [])]
        assert world.of("end data") == ([("end data", Path("/h"), "0123abcd", {})] if ended else [])


def test_what_a_former_process_left_of_guests_and_on_machines_is_ended(world: World, tmp_path: Path) -> None:
    environment_of(guests()).end_left()
    assert world.of("end own guests") == [
        ("end own guests", Path("/h"), "0123abcd", {"subreaper": Path("/probe")})
    ]
    make_marked(tmp_path / "work" / "0123abcd" / "deep")
    mark(tmp_path / "work" / "0123abcd")
    far = replace(HOST, label="far", machine=FAR)
    environment_of(plan_of(TRIALS, treatment=far), home=tmp_path).end_left()
    assert not (tmp_path / "work" / "0123abcd").exists()
    assert world.probes["far"].removed == ["/far/0123abcd"]


def test_each_machine_is_claimed_for_the_activity(world: World) -> None:
    opened(plan_of(TRIALS))
    assert [[by["activity"] for by in probe.claims] for probe in world.probes.values()] == [["0123abcd"]] * 2


def test_folders_of_the_activity_go_from_all_machines_when_all_is_home(world: World) -> None:
    opened(plan_of(TRIALS)).tidy()
    assert {name: probe.removed for name, probe in world.probes.items()} == {
        "host": ["/far/0123abcd"],
        "other": ["/far/0123abcd"],
    }


def test_folders_of_guests_that_a_kill_spared_go_when_all_is_home(tmp_path: Path) -> None:
    half, whole, another = (
        tmp_path / "guests" / f"assay-{name}-b0" for name in ("0123abcd", "0123abcd-x", "1123abcd")
    )
    half.mkdir(parents=True)
    make_marked(whole)
    make_marked(another)
    environment_of(plan_of(TRIALS), home=tmp_path).tidy()
    assert [path.name for path in (tmp_path / "guests").iterdir()] == [another.name]


def test_a_machine_is_opened_once(world: World) -> None:
    environment = opened(plan_of(TRIALS))
    for trial in (BASE, OTHER, BASE):
        with environment.visit(trial) as visit:
            assert visit.machine == {Arm.BASELINE: "host", Arm.TREATMENT: "other"}[trial.arm]
    assert world.names().count("open host") == world.names().count("open other") == 1


def test_data_are_there_while_the_environment_is_open(world: World, tmp_path: Path) -> None:
    watcher = Watcher()
    plan = plan_of(TRIALS, data=DataSet((DataFile("f", 8),)))
    environment = environment_of(plan, watcher, home=tmp_path)
    environment.open()
    file = data_folder(tmp_path, plan.id) / "files/f"
    assert file.stat().st_size == 8
    assert watcher.steps == ["laying out the data"]
    with environment.visit(OTHER) as visit:
        assert visit.data is not None
        assert visit.data.files == (str(file),)
    assert visit.data is None
    environment.close()
    assert not file.exists()
