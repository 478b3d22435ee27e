"""Visits of an environment: a guest, a container or a machine opened for one, and what is left of one that
was cut off.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assay.activities import environment as environments
from assay.activities.places import shared
from assay.machines import UnreachableError
from assay.model.activity import PlannedGuest
from assay.model.errors import AssayError, MissingError, NoRoomError
from assay.model.machines.machine import Limits
from assay.model.platforms.container import PlannedContainer, Runtime
from assay.model.platforms.existing import DomainSpec
from assay.model.platforms.layout import GuestShare, Layout
from assay.model.work.page_cache import CacheState
from assay.platforms.host.settings import HeldSettings
from assay.probe import ResultError
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
    WANTED,
    Made,
    World,
    guests,
    opened,
)
from tests.builders import WORKLOAD, plan_of


def test_a_guest_is_booted_for_a_visit_and_gone_after_it(world: World) -> None:
    watcher = Watcher()
    environment = opened(guests(workloads=(NET,)), watcher)
    world.acts.clear()
    with environment.visit(OTHER) as visit:
        host = environment._shared.carrier
        assert (visit.host, visit.cache, visit.server) == (
            host.probe,
            CacheState.WARM,
            NETWORK.server_address,
        )
        assert visit.post is not None
        assert (visit.post.probe, visit.post.directory, visit.post.pid) == (
            "watching probe",
            host.directory,
            77,
        )
        assert visit.held == HeldSettings()
        assert visit.held_facts is None
        assert "destroy booted" not in world.acts
    assert watcher.steps[-1] == "booting the guest of block 4"
    ((_, spec, _),) = world.of("boot")
    assert (spec.name, spec.port, spec.tap, spec.accelerator) == (
        "assay-0123abcd-b4",
        20_001,
        NETWORK.tap,
        TCG,
    )
    assert (spec.address, spec.cpus, spec.image) == ("198.18.0.15/24", (1,), "image aaaa")
    ((_, guest, label, activity, options),) = world.of("inside")
    assert (guest.name, label, activity, options) == (
        "booted",
        "guest",
        "0123abcd",
        {"home": Path("/h"), "through": None},
    )
    assert ("provider", "connection", Path("/h")) in world.acts
    assert world.names()[-3:] == ["leave inside", "destroy booted", "leave settings"]


def test_a_guest_off_the_network_has_no_server(world: World) -> None:
    with opened(guests()).visit(OTHER) as visit:
        assert visit.server is None


def test_a_guest_is_gone_after_a_visit_that_failed(world: World) -> None:
    def fail() -> None:
        with opened(guests()).visit(OTHER):
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        fail()
    assert "destroy booted" in world.acts


def test_a_restored_guest_comes_from_its_state(world: World) -> None:
    watcher = Watcher()
    restored = replace(GUEST, guest=replace(WANTED, restored=True))
    with opened(guests(treatment=restored), watcher).visit(OTHER):
        pass
    ((_, connection, spec, reported, _),) = world.of("restore")
    assert (connection, spec.name, reported) == ("connection", "assay-0123abcd-b4", watcher)
    assert watcher.steps[-1] == "restoring the guest of block 4"
    assert world.of("boot") == []
    assert "destroy restored" in world.acts


def test_several_guests_are_booted_together_each_with_its_part(world: World) -> None:
    watcher = Watcher()
    both = replace(GUEST, guest=replace(WANTED, layout=Layout(2)), limits=Limits((1, 2)))
    environment = opened(guests(treatment=both, workloads=(NET,)), watcher)
    with environment.visit(OTHER) as visit:
        assert visit.machine == "guests"
    ((_, connection, specs, arm, options),) = world.of("several")
    assert (connection, arm) == ("connection", both)
    assert options["host"] is environment._shared.carrier.probe
    assert [(one.name, one.port, one.cpus, one.memory_bytes) for one in specs] == [
        ("assay-0123abcd-b4-0", 20_001, (1,), 1 << 29),
        ("assay-0123abcd-b4-1", 20_002, (2,), 1 << 29),
    ]
    assert watcher.steps[-1] == "booting the 2 guests of block 4"


def test_several_containers_are_made_together_each_with_its_part_and_a_folder(
    world: World,
) -> None:
    wanted = PlannedContainer(Runtime.RUNC, layout=Layout(2))
    limits = Limits((1, 2), memory_bytes=2 << 20)
    both = replace(HOST, label="2 containers, runc", limits=limits, container=wanted)
    with opened(plan_of(TRIALS, treatment=both)).visit(OTHER) as visit:
        assert len(visit.beside) == 1
    made = [(share.cpus, share.memory_bytes, how["name"]) for _, _, share, how in world.of("container")]
    assert made == [((1,), 1 << 20, "assay-0123abcd-b4-0"), ((2,), 1 << 20, "assay-0123abcd-b4-1")]
    assert [act[-1]["own"] for act in world.of("inside")] == ["-0", "-1"]
    assert world.names().count("destroy container") == 2


def test_a_container_is_made_for_a_visit_on_the_machine_s_network(world: World) -> None:
    box = replace(HOST, label="runc", container=PlannedContainer(Runtime.RUNC))
    for workloads, joined, server in (
        ((NET,), NETWORK.client_namespace, NETWORK.server_address),
        ((WORKLOAD,), None, None),
    ):
        world.acts.clear()
        with opened(plan_of(TRIALS, treatment=box, workloads=workloads)).visit(OTHER) as visit:
            assert (visit.machine, visit.server) == ("box", server)
        options = {"name": "assay-0123abcd-b4", "activity": "0123abcd", "home": Path("/h"), "network": joined}
        assert world.of("container") == [("container", box, GuestShare(HOST.limits.cpus, 0), options)]
        assert world.of("inside")[0][2:] == ("runc", "0123abcd", {"home": Path("/h"), "own": ""})
        assert world.names()[-3:] == ["leave inside", "destroy container", "leave settings"]


def test_a_domain_is_read_back_at_each_visit_and_watched_from_its_host(world: World) -> None:
    domain = replace(HOST, label="web", machine=FAR, domain=DomainSpec("web"))
    environment = opened(plan_of(TRIALS, treatment=domain))
    with environment.visit(OTHER) as visit:
        assert visit.platform == cast("Any", "read back")
        assert visit.post is not None
        assert (visit.post.probe, visit.post.pid) == ("watching probe", 99)
    with environment.visit(BASE) as visit:
        assert (visit.platform, visit.post) == (None, None)


def test_settings_of_an_arm_hold_for_its_visit_and_what_is_in_force_goes_with_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = SimpleNamespace(name="host.thp", actual="never", how="sysfs", ok=True)
    monkeypatch.setattr(environments, "verify_host", lambda settings, _host: (one,) if settings else ())
    held = replace(HOST, label="held", host_settings=(("host.thp", "never"),))
    environment = opened(plan_of(TRIALS, treatment=held))
    world.acts.clear()
    with environment.visit(OTHER) as visit:
        assert [(seen.name, seen.level, seen.how) for seen in visit.host_settings] == [
            ("host.thp", "never", "sysfs")
        ]
        assert visit.held_facts == visit.probe.facts()
        ((_, settings, options),) = world.of("settings")
        assert (settings, options["home"], options["activity"]) == (
            {"host.thp": "never"},
            Path("/h"),
            "0123abcd",
        )
    assert world.acts[-1] == "leave settings"
    with environment.visit(BASE) as visit:
        assert (visit.host_settings, visit.held_facts) == ((), None)
    for fresh in (replace(held, guest=WANTED), replace(held, container=PlannedContainer(Runtime.RUNC))):
        with opened(plan_of(TRIALS, treatment=fresh)).visit(OTHER) as visit:
            assert len(visit.host_settings) == 1
            assert visit.held_facts is None, "it was opened under them"


def test_a_guest_that_was_cut_off_is_taken_up_again_and_then_removed(world: World) -> None:
    world.found = Made(world, "found")
    environment = opened(guests())
    with environment.revisit(OTHER, "assay-b4") as visit:
        assert visit is not None
        assert visit.post is not None
        assert visit.post.pid == 77
        assert "destroy found" not in world.acts
    ((_, guest, label, activity, options),) = world.of("inside")
    assert (guest, label, activity, options) == (
        world.found,
        "guest",
        "0123abcd",
        {"home": Path("/h"), "through": None},
    )
    assert world.acts[-1] == "destroy found"


@pytest.mark.parametrize(
    ("error", "goes"),
    [
        (NoRoomError("full"), False),
        (UnreachableError("gone", machine="guest"), True),
        (ResultError("damaged"), True),
        (MissingError("something else"), True),
    ],
)
def test_a_guest_whose_record_has_no_room_here_yet_stays(world: World, error: AssayError, goes: bool) -> None:
    world.found = Made(world, "found")
    environment = opened(guests())
    with pytest.raises(type(error)), environment.revisit(OTHER, "assay-b4"):
        raise error
    assert ("destroy found" in world.acts) is goes


def test_a_guest_that_is_gone_is_no_stage_and_a_container_neither(world: World) -> None:
    environment = opened(guests())
    with environment.revisit(OTHER, "assay-b4") as visit:
        assert visit is None
    box = replace(HOST, container=PlannedContainer(Runtime.RUNC))
    with opened(plan_of(TRIALS, treatment=box)).revisit(OTHER, None) as visit:
        assert visit is None
    assert "container" not in world.names()


def test_a_guest_whose_record_is_home_is_ended(world: World) -> None:
    environment = opened(guests())
    environment.end_guest(OTHER, None)
    environment.end_guest(OTHER, "assay-b4")
    world.found = Made(world, "found")
    environment.end_guest(OTHER, "assay-b4")
    assert world.names().count("destroy found") == 1
    assert len(world.of("libvirt")) == 1, "the connection is made once"


@dataclass
class Site:
    """Another machine's hypervisor."""

    world: World
    door: str = "door there"

    def clear(self) -> None:
        self.world.acts.append("clear")

    def boot(self, wanted: PlannedGuest, share: GuestShare, name: str) -> Made:
        self.world.acts.append(("boot there", wanted, share.cpus, name))
        return Made(self.world, "there")

    def find(self, name: str) -> Made:
        return Made(self.world, name)


def test_guests_on_another_machine_are_made_there_and_reached_through_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared, "remote_site", world.inside("site", Site(world)))
    plan = guests(baseline=replace(HOST, machine=FAR), treatment=replace(GUEST, machine=FAR))
    watcher = Watcher()
    environment = opened(plan, watcher)
    assert world.of("site") == [("site", plan, FAR, Path("/h"), watcher, {})]
    assert not {"end guests", "watching", "libvirt", "accelerator"} & set(world.names())
    assert world.names()[-2:] == ["site", "clear"]
    with environment.visit(OTHER) as visit:
        assert visit.post is None, "its clock is another, and its processes are not here"
        assert visit.host is environment._shared.carrier.probe
    assert world.of("boot there") == [("boot there", WANTED, GUEST.limits.cpus, "assay-0123abcd-b4")]
    assert world.of("inside")[0][-1] == {"home": Path("/h"), "through": "door there"}
    with environment.revisit(OTHER, "assay-b4") as visit:
        assert visit is not None
    assert world.of("inside")[1][-1] == {"home": Path("/h"), "through": "door there"}
    environment.end_guest(OTHER, "assay-b5")
    assert world.names().count("destroy assay-b5") == 1
    environment.close()
    assert "leave site" in world.names()


def test_a_guest_on_another_machine_than_the_baseline_s_is_measured_with_that_machine(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared, "remote_site", world.inside("site", Site(world)))
    plan = guests(
        treatment=replace(GUEST, machine=FAR, over=1), more=(replace(HOST, label="far", machine=FAR),)
    )
    environment = opened(plan)
    assert "end guests" in world.names(), "the baseline is this machine"
    with environment.visit(OTHER) as visit:
        assert visit.post is None, "its processes are not here"
        assert visit.host is environment._shared.machine(plan.more[0]).probe
        assert visit.host is not environment._shared.carrier.probe
    environment.close()
    assert "leave site" in world.names()
