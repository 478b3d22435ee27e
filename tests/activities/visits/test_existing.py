"""A guest that others made beside its baseline: as many processors as it has, and what is not
alike is said.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assay.activities.visits.cpu_allocation import share_cores
from assay.activities.visits.domain_doubts import alike_doubts
from assay.activities.visits.existing import Beside, _baseline_cpus
from assay.model.activity import PlannedArm
from assay.model.machines.machine import Facts, Limits, Machine
from assay.model.machines.processors import Controller
from assay.model.platforms.existing import DomainSpec
from assay.model.platforms.platform import Platform
from assay.report.doubts import worded
from tests.builders import FACTS

HERE = replace(FACTS, cpus=(0, 1, 2, 3), siblings=((0,), (1,), (2,), (3,)))
FOUND = Platform(
    "libvirt", "kvm", "it was found so", "q35", "host", 2, 1 << 30, "qcow2", None, None, "QEMU 7.2.0",
    "libvirt 9.0.0",
    (2, 3), "<domain/>",
)  # fmt: skip
LOCAL = DomainSpec("web")


def beside(facts: Facts, controller: Controller = Controller.OWN_CORE) -> Beside:
    return Beside(Machine("local"), facts, lambda count: share_cores(facts, count, controller=controller))


@pytest.mark.parametrize(
    ("vcpus", "pins", "cpus"),
    [
        (2, (2, 3), (2, 3)),
        (2, (0, 1, 2, 3), (1, 2)),
        (1, (), (1,)),
        (3, (1, 2, 3), (1, 2, 3)),
        (8, (0, 1, 2, 3), (1, 2, 3)),
        (2, (7, 8), (1, 2)),
    ],
)
def test_the_baseline_gets_as_many_processors_as_the_domain_and_its_own_where_it_is_pinned(
    vcpus: int, pins: tuple[int, ...], cpus: tuple[int, ...]
) -> None:
    assert _baseline_cpus(beside(HERE), vcpus, pins) == cpus


def test_on_one_core_the_controller_shares_it() -> None:
    alone = replace(FACTS, cpus=(0,), siblings=((0,),))
    assert _baseline_cpus(beside(alone), 1, (0,)) == (0,)
    assert _baseline_cpus(beside(alone), 2, (0,)) == (0,)


def test_a_domain_of_all_processors_has_a_baseline_of_all_where_the_controller_shares_them() -> None:
    shared = Controller.SHARED
    assert _baseline_cpus(beside(HERE, shared), 4, (0, 1, 2, 3)) == (0, 1, 2, 3)
    assert _baseline_cpus(beside(HERE, shared), 4, ()) == (0, 1, 2, 3)


def codes(platform: Platform, cpus: tuple[int, ...], wanted: DomainSpec = LOCAL) -> set[str]:
    arm = PlannedArm("host", Machine("local"), Limits(cpus))
    return {doubt.code for doubt in alike_doubts(wanted, platform, arm, HERE, Path("/d.qcow2"))}


def test_a_domain_that_is_confined_like_its_baseline_has_but_the_doubts_of_every_domain() -> None:
    assert codes(FOUND, (2, 3)) == {"domain-as-found", "domain-disk"}


def test_what_is_not_alike_is_a_doubt() -> None:
    assert codes(FOUND, (1, 2)) >= {"domain-not-confined"}
    assert codes(replace(FOUND, vcpus=8), (2, 3)) >= {"domain-processors"}
    assert codes(replace(FOUND, memory_bytes=1 << 40), (2, 3)) >= {"domain-memory"}
    elsewhere = codes(FOUND, (1, 2), DomainSpec("web", "qemu+ssh://node01/system"))
    assert "domain-elsewhere" in elsewhere
    assert "domain-not-confined" not in elsewhere


def test_what_is_not_told_of_its_disk_is_said_so() -> None:
    arm = PlannedArm("host", Machine("local"), Limits((2, 3)))
    (disk,) = [d for d in alike_doubts(LOCAL, FOUND, arm, HERE, None) if d.code == "domain-disk"]
    assert "is no file that is told (qcow2, cache mode not told)" in worded(disk).sentence
