"""A place where trials run: opened with patience, told by its fingerprint, closed whatever happens."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assay.activities.visits import visit as visits
from assay.activities.visits.visit import (
    CONNECT_S,
    GUEST_CONNECT_S,
    Visit,
    facts_with,
    guest_visit,
    look_at,
    machine_visit,
    open_probe,
    visit_behind,
)
from assay.machines import UnreachableError
from assay.model.activity import PlannedArm
from assay.model.machines.machine import Limits, Machine, Reach
from assay.model.platforms.container import PlannedContainer, Runtime
from assay.model.platforms.existing import DomainSpec
from assay.model.platforms.platform import Platform
from assay.model.work.page_cache import CacheState
from assay.platforms.process import this_process
from assay.probe import ProgramMissingError
from tests.activities.doubles import Door, Probe, unreachable, visit_at
from tests.builders import FACTS

LOCAL, FAR = Machine("local"), Machine("far", Reach.SSH, "far.site")
HOST = PlannedArm("host", LOCAL, Limits((1,), 1 << 30), cache=CacheState.COLD)
FOUND = Platform(
    "libvirt",
    "kvm",
    "why",
    "q35",
    "host",
    1,
    1 << 30,
    "qcow2",
    "none",
    None,
    "QEMU",
    "libvirt",
    (2,),
    "<domain/>",
)


@dataclass
class Opened:
    """What was opened: the door, the probe behind it, and how it was asked for."""

    door: Door = field(default_factory=Door)
    probe: Probe = field(default_factory=Probe)
    asked: list[Any] = field(default_factory=list)
    fails: Exception | None = None

    def open(self, machine: Machine, **options: Any) -> Door:
        self.asked.append((machine, options))
        return self.door

    def attach(self, door: Door) -> Probe:
        assert door is self.door
        if self.fails:
            raise self.fails
        return self.probe


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Opened:
    made = Opened()
    monkeypatch.setattr(visits, "open_door", made.open)
    monkeypatch.setattr(visits.Probe, "attach", made.attach)
    return made


def test_a_door_and_its_probe_are_closed_at_the_end(opened: Opened) -> None:
    with open_probe(FAR, Path("/h")) as (probe, door):
        assert (probe, door) == (cast("Any", opened.probe), opened.door)
        assert (opened.probe.closed, opened.door.closed) == (0, 0)
    assert (opened.probe.closed, opened.door.closed) == (1, 1)
    options = {"home": Path("/h"), "connect_timeout_s": CONNECT_S, "through": None}
    assert opened.asked == [(FAR, options)]


def test_a_door_is_closed_where_its_probe_does_not_answer_and_where_a_visit_fails(opened: Opened) -> None:
    def fail() -> None:
        with open_probe(FAR, Path("/h")):
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        fail()
    assert (opened.probe.closed, opened.door.closed) == (1, 1)
    opened.fails = unreachable(FAR)
    with pytest.raises(UnreachableError):
        fail()
    assert (opened.probe.closed, opened.door.closed) == (1, 2)


def test_a_machine_is_a_stage_with_the_limits_and_the_cache_of_its_arm(opened: Opened) -> None:
    opened.probe = Probe(replace(FACTS, boot_id="b00t"), groups={"virtualisation": {"hypervisor": "kvm"}})
    with machine_visit(HOST, "0123abcd", home=Path("/h")) as visit:
        assert (visit.machine, visit.boot, visit.directory) == ("local", "b00t", "/far/0123abcd")
        assert (visit.limits, visit.cache) == (HOST.limits, CacheState.COLD)
        assert (visit.own_clock, visit.here) == (False, True)
        assert (visit.facts.boot_id, visit.below) == ("b00t", "kvm")
        assert visit.probe is cast("Any", opened.probe)
        assert visit.run(("true",), timeout_s=1.0) == b""
        visit.put(Path("/a"), "/b")
    assert (opened.door.ran, opened.door.sent) == ([("true",)], [(Path("/a"), "/b")])
    assert opened.asked[0][0] == LOCAL


@pytest.mark.parametrize(
    ("arm", "own_clock"),
    [
        (replace(HOST, machine=FAR), True),
        (replace(HOST, container=PlannedContainer(Runtime.RUNC)), False),
        (replace(HOST, domain=DomainSpec("web")), False),
    ],
)
def test_only_this_machine_itself_has_the_controller_s_files(arm: PlannedArm, *, own_clock: bool) -> None:
    visit = visit_behind(Door(), cast("Any", Probe()), arm, "0123abcd")
    assert (visit.here, visit.own_clock) == (False, own_clock)
    assert visit.boot == arm.machine.name, "where its kernel does not name the boot"


def test_another_machine_is_looked_at_after_its_programs_were_found(opened: Opened) -> None:
    opened.probe = Probe(programs=("fio", "job"))
    assert look_at(FAR, {"fio": "fio-package", "job": None}, home=Path("/h")) == FACTS
    assert opened.probe.asked == ["fio", "job"]
    assert opened.asked[0] == (FAR, {"home": Path("/h"), "connect_timeout_s": CONNECT_S, "through": None})
    with pytest.raises(ProgramMissingError, match="cannot find the program 'gcc' on far"):
        look_at(FAR, {"gcc": None}, home=Path("/h"))


@pytest.mark.parametrize(
    ("package", "hint"),
    [("fio-package", "on node01: apt install fio-package"), (None, "install its package")],
)
def test_a_program_that_is_missing_is_told_with_the_machine_s_name(package: str | None, hint: str) -> None:
    with pytest.raises(ProgramMissingError) as refused:
        facts_with(cast("Any", Probe()), "node01", {"fio": package})
    assert refused.value.message == "cannot find the program 'fio' on node01"
    assert str(refused.value.hint).startswith(hint)


def test_a_machine_that_has_dnf_is_told_dnf() -> None:
    with pytest.raises(ProgramMissingError) as refused:
        facts_with(cast("Any", Probe(programs=("dnf",))), "node01", {"bonnie++": "bonnie++"})
    assert refused.value.hint == "on node01: dnf install bonnie++; bonnie++ is in EPEL"


def test_the_site_s_own_engine_is_named_where_the_scene_s_is_missing() -> None:
    with pytest.raises(ProgramMissingError) as refused:
        facts_with(cast("Any", Probe(programs=("docker",))), "node01", {"podman": "podman"})
    assert refused.value.hint == "node01 has docker: engine: docker"
    with pytest.raises(ProgramMissingError) as refused:
        facts_with(cast("Any", Probe(programs=("docker",))), "node01", {"fio": None})
    assert "docker" not in str(refused.value.hint)


def test_a_program_is_looked_up_each_time() -> None:
    probe = Probe(programs=("fio",))
    visit = visit_at(Door(), probe)
    assert visit.program("fio") == visit.program("fio")
    assert probe.asked == ["fio", "fio"]


class Carried:
    """A guest that tells what it was asked."""

    name, machine, pid = "assay-b0", FAR, 77
    spec = SimpleNamespace(image=SimpleNamespace(digest="0" * 16), settings=(), console=Path("/nowhere"))
    domain = None

    def __init__(self) -> None:
        self.marks: list[bool] = []

    def hypervisor_cpu(self) -> str:
        return "cpu"

    def weight(self) -> str:
        return "weight"

    def mark_pending(self, pending: bool) -> None:
        self.marks.append(pending)

    def platform(self) -> Platform:
        return FOUND


def test_what_carries_a_guest_is_asked_whoever_made_it() -> None:
    made, found = Carried(), Carried()
    ours, others = visit_at(Door(), guest=made), visit_at(Door(), existing=found)
    for visit, guest in ((ours, made), (others, found)):
        assert visit.carried is cast("Any", guest)
        assert (visit.hypervisor_cpu(), visit.weight()) == ("cpu", "weight")
        visit.mark_pending(pending=True)
        visit.mark_pending(pending=False)
    assert made.marks == [True, False]
    assert found.marks == [], "what others made is not marked"


def test_a_plain_machine_has_nothing_of_a_guest_or_a_container() -> None:
    visit = visit_at(Door())
    reported = (
        visit.carried,
        visit.hypervisor_cpu(),
        visit.weight(),
        visit.container_cpu_s(),
        visit.client_cpu_s(),
    )
    assert reported == (None,) * 5
    assert (visit.clock(), visit.below) == (None, None)
    visit.mark_pending(pending=True)


def test_clocks_containers_and_clients_are_read_where_there_are_any() -> None:
    probe = SimpleNamespace(compare_clock=lambda: "reading")
    box = SimpleNamespace(cpu_s=lambda: 2.5)
    visit = visit_at(Door(), probe, own_clock=True, container=box, clients=(this_process(),))
    assert (visit.clock(), visit.container_cpu_s()) == ("reading", 2.5)
    assert visit.client_cpu_s() is not None, "in whole clock ticks, so that it may be 0"


def test_facts_under_settings_come_before_those_of_the_fingerprint() -> None:
    held = replace(FACTS, thp="never")
    assert visit_at(Door(), held_facts=held).facts == held
    assert visit_at(Door()).facts == FACTS


def test_nothing_is_run_on_a_stage_without_a_way_to() -> None:
    visit = visit_at(Door())
    bare = Visit(**{name: getattr(visit, name) for name in list(vars(visit))[:8]})
    with pytest.raises(ValueError, match="BUG: a visit that nothing can be run on"):
        bare.run(("true",), timeout_s=1.0)
    assert (bare.here, bare.inputs, bare.packs, bare.prepared, bare.beside) == (False, {}, set(), set(), ())
    assert (bare.preparing_s, bare.host_settings, bare.scratch) == (0.0, (), ())


def test_a_guest_is_reached_with_a_guest_s_patience_through_what_carries_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[Any] = []
    door, probe, guest = Door(), Probe(), Carried()

    @contextmanager
    def reached(machine: Machine, home: Path, **options: Any) -> Iterator[Any]:
        asked.append((machine, home, options))
        yield probe, door

    monkeypatch.setattr(visits, "open_probe", reached)
    through = cast("Any", Door())
    with guest_visit(cast("Any", guest), "two", "0123abcd", home=Path("/h"), through=through) as visit:
        assert (visit.machine, visit.boot, visit.directory) == ("two", "assay-b0", "/far/0123abcd")
        assert (visit.limits, visit.own_clock, visit.here) == (Limits(), True, False)
        assert (visit.guest, visit.platform, visit.probe) == (guest, FOUND, probe)
        visit.run(("true",), timeout_s=1.0)
        visit.put(Path("/a"), "/b")
        assert visit.talk(("cat", "-u")) == "channel to cat -u"
    assert (door.ran, door.sent) == ([("true",)], [(Path("/a"), "/b")])
    assert asked == [(FAR, Path("/h"), {"connect_timeout_s": GUEST_CONNECT_S, "through": through})]
    probe.seen = [replace(FACTS, boot_id="b00t")]
    with guest_visit(cast("Any", guest), "two", "0123abcd", home=Path("/h")) as visit:
        assert visit.boot == "b00t"
    assert asked[1][2]["through"] is None
