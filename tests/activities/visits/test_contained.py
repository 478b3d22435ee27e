"""A container as a side of a comparison: its label, its limits, what its CPU count is worth."""

from __future__ import annotations

import pytest

from assay.activities.visits.contained import contained, container_doubts, label_of
from assay.model.activity import PlannedArm
from assay.model.errors import MissingError
from assay.model.machines.machine import Limits, Machine
from assay.model.platforms.container import Container, PlannedContainer, Runtime
from assay.model.trial import Usage
from assay.report.doubts import worded
from tests.builders import FACTS

SIDE = PlannedArm("host", Machine("local"), Limits((1,)))
GVISOR = Container(Runtime.RUNSC, "runsc", "gVisor", "ptrace", (), (1,), None, None, "a", None, 9.4)
USAGE = Usage(40.0, 14.0, 0.7, 1 << 20, None, 0)


def test_a_label_says_what_is_not_as_it_is_by_default() -> None:
    assert label_of(PlannedContainer(Runtime.RUNC)) == "runc"
    assert label_of(PlannedContainer(Runtime.UML, 1 << 30)) == "uml"
    wanted = PlannedContainer(Runtime.RUNSC, 1 << 30, 0.5, "kvm")
    assert label_of(wanted) == "runsc kvm at 50% CPU, 1 GiB memory"


def test_a_container_has_the_sides_processors_and_its_own_limits() -> None:
    arm = contained(SIDE, PlannedContainer(Runtime.RUNC, 1 << 30, 0.5), FACTS)
    assert arm.limits == Limits((1,), 1 << 30, 0.5)
    assert arm.container == PlannedContainer(Runtime.RUNC, 1 << 30, 0.5)


def test_a_container_that_stands_against_a_guest_has_the_guests_memory() -> None:
    arm = contained(
        PlannedArm("host", Machine("local"), Limits((1,), 2 << 30)), PlannedContainer(Runtime.RUNC), FACTS
    )
    assert arm.container == PlannedContainer(Runtime.RUNC, 2 << 30)
    assert arm.label == "runc"


def test_more_memory_than_the_machine_can_spare_is_refused() -> None:
    with pytest.raises(MissingError, match="9 GiB"):
        contained(SIDE, PlannedContainer(Runtime.UML, 9 << 30), FACTS)


def test_a_job_that_was_told_more_cpu_than_its_container_had_is_doubted() -> None:
    (doubt,) = container_doubts(GVISOR, USAGE)
    assert doubt.code == "container-cpu-count"
    assert (
        "told 14.7 s of CPU time, and the machine gave all of the container 9.4 s" in worded(doubt).sentence
    )


@pytest.mark.parametrize(
    "seen", [None, Container(Runtime.RUNC, "", "host", None, (), (1,), None, None, None, ())]
)
def test_without_a_count_of_the_container_nothing_is_doubted(seen: Container | None) -> None:
    assert not list(container_doubts(seen, USAGE))
