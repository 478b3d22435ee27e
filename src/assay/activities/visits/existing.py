"""A guest that somebody else made as treatment: checked to be what it is said to be, and left as it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from assay.activities.visits.cpu_allocation import Cores
from assay.activities.visits.domain_doubts import alike_doubts
from assay.activities.visits.visit import (
    CONNECT_S,
    GUEST_CONNECT_S,
    Visit,
    facts_with,
    open_probe,
    visit_behind,
)
from assay.model.activity import PlannedArm
from assay.model.doubt import Raised
from assay.model.errors import AssayError, Exit
from assay.model.machines.machine import Facts, Limits, Machine
from assay.model.platforms.existing import DomainSpec
from assay.platforms.existing.connect import reading
from assay.platforms.existing.find import existing_domain
from assay.platforms.existing.guest import ExistingGuest
from assay.platforms.existing.identity import Inside, check_identity
from assay.probe import Door, Probe
from assay.workloads import Sizes

_UUID = ("cat", "/sys/class/dmi/id/product_uuid")
_MACS = ("sh", "-c", "cat /sys/class/net/*/address")
_READ_S = 15.0


@dataclass(frozen=True)
class OpenedDomain:
    """A domain that was found, checked and opened."""

    guest: ExistingGuest
    door: Door
    probe: Probe


@contextmanager
def opened_domain(wanted: DomainSpec, machine: Machine, *, home: Path) -> Iterator[OpenedDomain]:
    """Find a running domain, reach the machine that it is said to be, and make sure that they are one.

    Raises:
        HypervisorError: libvirt cannot be reached.
        AssayError: There is no such domain, it does not run, it is ours, or the machine is another one.
        UnreachableError: The machine cannot be reached.
    """
    with reading(wanted.hypervisor) as connection:
        guest = ExistingGuest(existing_domain(connection, wanted), wanted, machine)
        reported = guest.described()
        connect_s = GUEST_CONNECT_S if reported.accelerator == "tcg" else CONNECT_S
        with open_probe(machine, home, connect_timeout_s=connect_s) as (probe, door):
            check_identity(
                _inside(door),
                machine=machine.name,
                domain=wanted.name,
                domain_uuid=guest.uuid,
                macs=reported.macs,
            )
            yield OpenedDomain(guest, door, probe)


@dataclass(frozen=True)
class Beside:
    """The machine that a domain is compared with.

    Attributes:
        machine: How it is reached.
        facts: Facts of it.
        share: Tells how so many of its processors are shared out; ``None`` is all that an arm may have.
    """

    machine: Machine
    facts: Facts
    share: Callable[[int | None], Cores]


def domain_arms(
    wanted: DomainSpec, other: Machine, beside: Beside, *, home: Path, programs: Mapping[str, str | None]
) -> tuple[PlannedArm, PlannedArm, Sizes, tuple[Raised, ...]]:
    """Return this machine and a domain as the two arms, made as alike as they can be without touching the
    domain.

    Args:
        wanted: The domain.
        other: The machine that the domain is.
        beside: The baseline's machine.
        home: Folder of all state.
        programs: What both arms must have.

    Raises:
        AssayError: As ``opened_domain``, or a program is missing in it.
    """
    here = beside.facts
    with opened_domain(wanted, other, home=home) as opened:
        there = facts_with(opened.probe, other.name, programs)
        platform, disk = opened.guest.platform(), opened.guest.described().disk
        pins = opened.guest.pins() if wanted.local else ()
    base = _baseline_cpus(beside, platform.vcpus, pins)
    memory = platform.memory_bytes if platform.memory_bytes < here.memory_bytes else None
    theirs = Limits() if len(base) >= len(there.cpus) else Limits(there.cpus[: len(base)])
    sizes = Sizes(
        max(filter(None, (here.cache_bytes, there.cache_bytes)), default=None),
        min(here.memory_bytes, there.memory_bytes),
        min(len(base), len(there.cpus)),
    )
    baseline = PlannedArm("host", beside.machine, Limits(base, memory))
    treatment = PlannedArm(f"{other.name}, domain {wanted.name}", other, theirs, domain=wanted)
    return baseline, treatment, sizes, tuple(alike_doubts(wanted, platform, baseline, here, disk))


@contextmanager
def existing_visit(arm: PlannedArm, activity: str, *, home: Path) -> Iterator[Visit]:
    """Open a domain that is there already for a visit; raises as ``opened_domain``."""
    with opened_domain(arm.place_as(DomainSpec), arm.machine, home=home) as opened:
        visit = visit_behind(opened.door, opened.probe, arm, activity)
        visit.existing = opened.guest
        yield visit


def looked_at_again(visit: Visit) -> Visit:
    """Return a machine's visit; a domain is read back at each visit, since others may change it meanwhile."""
    if visit.existing is not None:
        visit.platform = visit.existing.platform()
    return visit


def _baseline_cpus(beside: Beside, vcpus: int, confined: tuple[int, ...]) -> tuple[int, ...]:
    """Return as many processors as the domain has, those that it is confined to where these are as many."""
    most = len(beside.share(None).measured)
    if len(confined) == vcpus <= most and set(confined) <= set(beside.facts.cpus):
        return confined
    return beside.share(min(vcpus, most)).measured


def _inside(door: Door) -> Inside:
    return Inside(_read(door, _UUID), tuple((_read(door, _MACS) or "").lower().split()))


def _read(door: Door, command: tuple[str, ...]) -> str | None:
    """Return what a command prints; ``None`` where it is not there or not for us."""
    try:
        return door.run(command, timeout_s=_READ_S).decode(errors="replace").strip() or None
    except AssayError as error:
        if error.exit_code is Exit.UNREACHABLE:
            raise
        return None
