"""A domain that others made: found, told to be the machine that is reached, and opened without
touching it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from assay.activities.visits import existing
from assay.activities.visits.cpu_allocation import share_cores
from assay.activities.visits.existing import (
    Beside,
    domain_arms,
    existing_visit,
    looked_at_again,
    opened_domain,
)
from assay.activities.visits.visit import CONNECT_S, GUEST_CONNECT_S
from assay.machines.errors import CommandError
from assay.model.activity import PlannedArm
from assay.model.errors import AssayError
from assay.model.machines.machine import Facts, Limits, Machine, Reach
from assay.model.platforms.existing import DomainSpec
from assay.platforms.existing.identity import NotThatDomainError
from assay.probe import ProgramMissingError
from assay.report.doubts import worded
from assay.workloads import Sizes
from tests.activities.doubles import Door, Probe, unreachable, visit_at
from tests.builders import FACTS

UUID = "b29aec3b-be36-567d-a280-ce42d25fc7e2"
XML = """\
<domain type='{kind}'><memory unit='GiB'>{gib}</memory><vcpu>2</vcpu><os><type machine='q35'>hvm</type></os>
<devices><disk device='disk'><driver name='qemu' type='qcow2' cache='none'/><source file='/d.qcow2'/></disk>
<interface type='bridge'><mac address='52:54:00:AA:00:01'/></interface></devices></domain>
"""
WEB, LOCAL, FAR = DomainSpec("web"), Machine("local"), Machine("far", Reach.SSH, "far.site")
HERE = replace(FACTS, cpus=(0, 1, 2, 3), cache_bytes=4 << 20)
ID, MACS = "cat /sys/class/dmi/id/product_uuid", "sh -c cat /sys/class/net/*/address"
GIB = 1 << 30


@dataclass
class Domain:
    """A domain of two vCPUs that run on processors 2 and 3 of its host."""

    kind: str = "kvm"
    gib: int = 1
    pins: tuple[tuple[bool, ...], ...] = ((False, False, True, True),) * 2

    def UUIDString(self) -> str:
        return UUID

    def XMLDesc(self, _flags: int) -> str:
        return XML.format(kind=self.kind, gib=self.gib)

    def vcpuPinInfo(self, _flags: int) -> Any:
        return self.pins

    def connect(self) -> Any:
        return SimpleNamespace(getVersion=lambda: 7002000, getLibVersion=lambda: 9000000)


@dataclass
class Place:
    """A hypervisor with one domain, and the machine that it is behind a door."""

    domain: Domain
    door: Door
    probe: Probe
    asked: list[Any]


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Place:
    made = Place(Domain(), Door({ID: f"{UUID}\n"}), Probe(), [])

    @contextmanager
    def reading(uri: str) -> Iterator[str]:
        yield f"connection to {uri}"

    def found(connection: str, wanted: DomainSpec) -> Domain:
        made.asked.append((connection, wanted))
        return made.domain

    @contextmanager
    def opened(machine: Machine, home: Path, *, connect_timeout_s: float) -> Iterator[tuple[Probe, Door]]:
        made.asked.append((machine, home, connect_timeout_s))
        yield made.probe, made.door

    monkeypatch.setattr(existing, "reading", reading)
    monkeypatch.setattr(existing, "existing_domain", found)
    monkeypatch.setattr(existing, "open_probe", opened)
    return made


@pytest.mark.parametrize(("kind", "patience_s"), [("kvm", CONNECT_S), ("qemu", GUEST_CONNECT_S)])
def test_a_domain_is_looked_up_and_its_machine_reached_with_the_patience_that_it_needs(
    place: Place, kind: str, patience_s: float
) -> None:
    place.domain.kind = kind
    with opened_domain(WEB, FAR, home=Path("/h")) as found:
        assert (found.door, found.probe) == (place.door, place.probe)
        assert (found.guest.name, found.guest.machine, found.guest.uuid) == ("web", FAR, UUID)
        assert found.guest.pins() == (2, 3)
    assert place.asked == [
        ("connection to qemu:///system", WEB),
        (FAR, Path("/h"), patience_s),
    ]


def opened(place: Place) -> None:
    with opened_domain(WEB, FAR, home=Path("/h")):
        pass


def test_a_machine_with_another_uuid_is_not_the_domain(place: Place) -> None:
    place.door.answers[ID] = UUID.replace("b29", "a29")
    with pytest.raises(NotThatDomainError, match="machine far is not domain web: its UUID is a29"):
        opened(place)


@pytest.mark.parametrize("hidden", ["\n", CommandError("far", ["cat"], exit_code=1, stderr="denied")])
def test_where_the_uuid_is_hidden_a_hardware_address_tells(place: Place, hidden: Any) -> None:
    place.door.answers = {ID: hidden, MACS: "00:00:00:00:00:00\n52:54:00:AA:00:01\n"}
    opened(place)
    place.door.answers[MACS] = b"\xff\n52:54:00:aa:00:01\n"
    opened(place)
    place.door.answers[MACS] = "00:00:00:00:00:00\n"
    with pytest.raises(
        NotThatDomainError, match=r"addresses are 00:00:00:00:00:00, the domain's 52:54:00:aa"
    ):
        opened(place)
    place.door.answers[MACS] = CommandError("far", ["sh"], exit_code=1, stderr="no")
    with pytest.raises(NotThatDomainError, match=r"addresses are none, the domain's 52:54"):
        opened(place)


def test_a_machine_that_is_lost_meanwhile_is_no_other_machine(place: Place) -> None:
    place.door.answers[ID] = unreachable(FAR)
    with pytest.raises(AssayError, match="cannot reach far"):
        opened(place)


def arms(
    place: Place, there: Facts, *, wanted: DomainSpec = WEB, here: Facts = HERE, **programs: str | None
) -> Any:
    place.probe.seen = [there]
    beside = Beside(LOCAL, here, lambda count: share_cores(here, count))
    return domain_arms(wanted, FAR, beside, home=Path("/h"), programs=programs)


def test_the_baseline_runs_where_the_domain_may_with_as_much_memory(place: Place) -> None:
    there = replace(FACTS, cpus=(0, 1), memory_bytes=GIB - 9, cache_bytes=16 << 20)
    baseline, treatment, sizes, doubts = arms(place, there)
    assert baseline == PlannedArm("host", LOCAL, Limits((2, 3), GIB))
    assert treatment == PlannedArm("far, domain web", FAR, Limits(), domain=WEB)
    assert sizes == Sizes(16 << 20, GIB - 9, 2)
    assert [doubt.code for doubt in doubts] == ["domain-as-found", "domain-disk"]
    assert "lies in /d.qcow2 (qcow2, cache mode none)" in worded(doubts[1]).sentence


def test_a_domain_of_more_memory_leaves_the_baseline_without_a_limit(place: Place) -> None:
    place.domain.gib = 8
    baseline, _, sizes, _ = arms(place, replace(HERE, memory_bytes=16 * GIB))
    assert baseline.limits.memory_bytes is None
    assert sizes.memory_bytes == 8 * GIB
    place.domain.gib = 16
    doubts = arms(place, HERE)[3]
    assert "domain-memory" in [doubt.code for doubt in doubts]


def test_a_domain_of_more_processors_than_its_baseline_can_have_works_on_as_many(place: Place) -> None:
    two = replace(HERE, cpus=(0, 1))
    baseline, treatment, sizes, doubts = arms(place, replace(HERE, cpus=(0, 1, 2)), here=two)
    assert (baseline.limits.cpus, treatment.limits) == ((1,), Limits((0,)))
    assert sizes.cpus == 1
    assert "domain-processors" in [doubt.code for doubt in doubts]


def test_caches_that_are_not_known_have_no_part_in_the_sizes(place: Place) -> None:
    assert arms(place, replace(HERE, cache_bytes=None))[2].cache_bytes == 4 << 20
    unknown = replace(HERE, cache_bytes=None)
    assert arms(place, unknown, here=unknown)[2].cache_bytes is None


def test_pins_of_another_hypervisor_are_no_processors_of_this_one(place: Place) -> None:
    far = DomainSpec("web", "qemu+ssh://node/system")
    baseline = arms(place, HERE, wanted=far)[0]
    assert baseline.limits.cpus == (1, 2)


def test_a_domain_without_a_program_is_refused_by_its_machine_s_name(place: Place) -> None:
    with pytest.raises(ProgramMissingError) as refused:
        arms(place, HERE, fio="fio-package")
    assert refused.value.message == "cannot find the program 'fio' on far"
    assert "apt install fio-package" in str(refused.value.hint)


def test_a_domain_is_a_stage_and_is_read_back_at_each_visit(place: Place) -> None:
    arm = PlannedArm("far, domain web", FAR, Limits((0,)), domain=WEB)
    with existing_visit(arm, "0123abcd", home=Path("/h")) as visit:
        assert visit.existing is not None
        assert (visit.machine, visit.directory, visit.limits) == ("far", "/far/0123abcd", Limits((0,)))
        assert (visit.own_clock, visit.here) == (True, False)
        assert looked_at_again(visit) is visit
        assert visit.platform == visit.existing.platform()
        place.domain.gib = 3
        again = looked_at_again(visit).platform
        assert again is not None
        assert again.memory_bytes == 3 * GIB


def test_a_machine_that_is_no_domain_is_none_and_is_not_read_back() -> None:
    with (
        pytest.raises(TypeError, match="BUG: host is no DomainSpec"),
        existing_visit(PlannedArm("host", LOCAL, Limits()), "0123abcd", home=Path("/h")),
    ):
        pass
    plain = visit_at(Door())
    assert looked_at_again(plain) is plain
    assert plain.platform is None
