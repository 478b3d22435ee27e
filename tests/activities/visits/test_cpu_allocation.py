"""Who gets which processor."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.activities.visits.cpu_allocation import check_memory, check_names, machine_limits, share_cores
from assay.model.activity import PlannedArm
from assay.model.errors import AssayError, MissingError
from assay.model.machines.machine import Facts, Limits, Machine
from assay.report.doubts import worded
from tests.builders import FACTS


def of(cpus: int, siblings: tuple[tuple[int, ...], ...] = ()) -> Facts:
    return replace(FACTS, cpus=tuple(range(cpus)), siblings=siblings)


@pytest.mark.parametrize(
    ("cpus", "measured"), [(2, (1,)), (3, (1, 2)), (5, (1, 2, 3, 4)), (64, (1, 2, 3, 4))]
)
def test_one_core_is_left_to_the_controller_and_at_most_four_are_measured(
    cpus: int, measured: tuple[int, ...]
) -> None:
    cores = share_cores(of(cpus))
    assert (cores.measured, cores.controller, cores.doubts) == (measured, (0,), ())


def test_an_only_core_is_shared_and_that_is_a_doubt() -> None:
    cores = share_cores(of(1))
    assert cores.measured == cores.controller == (0,)
    assert [doubt.code for doubt in cores.doubts] == ["controller-shares-cores"]


def test_two_threads_of_one_core_are_one_core() -> None:
    cores = share_cores(of(4, ((0, 2), (1, 3))))
    assert (cores.measured, cores.controller) == ((1,), (0, 2))
    alone = share_cores(of(2, ((0, 1),)))
    assert alone.measured == (1,)
    assert alone.doubts


def test_more_vcpus_than_cores_are_refused_with_what_fits() -> None:
    with pytest.raises(MissingError, match="4 vCPUs: node has 2 cores") as caught:
        share_cores(of(2), 4)
    assert caught.value.hint == "set cpu.vcpus to at most 1, or to auto"


def test_a_guest_leaves_the_host_a_quarter_of_its_memory() -> None:
    check_memory(FACTS, 6 << 30)
    with pytest.raises(MissingError, match="7 GiB of memory: node has 8 GiB"):
        check_memory(FACTS, 7 << 30)


def test_two_machines_get_as_many_cores_and_the_smaller_memory() -> None:
    here, there = machine_limits(of(8), replace(of(4), memory_bytes=4 << 30), 3)
    assert here.cpus == there.cpus == (1, 2, 3)
    assert (here.memory_bytes, there.memory_bytes) == (4 << 30, None)


def test_what_a_machine_has_too_little_of_is_told_with_what_fits() -> None:
    for cpus, count, message, most in (
        (2, 4, "cannot give a guest 4 vCPUs: node has 2 cores, one is the controller's", 1),
        (5, 5, "cannot give a guest 5 vCPUs: node has 5 cores, one is the controller's", 4),
        (1, 2, "cannot give a guest 2 vCPUs: node has 1 core, which is the controller's too", 1),
    ):
        with pytest.raises(MissingError) as caught:
            share_cores(of(cpus), count)
        assert caught.value.message == message
        assert caught.value.hint == f"set cpu.vcpus to at most {most}, or to auto"
    assert share_cores(of(1), 1).shared
    assert share_cores(of(8), 7).measured == (1, 2, 3, 4, 5, 6, 7)
    (doubt,) = share_cores(of(1)).doubts
    assert (
        worded(doubt).sentence == "The controller shares its only core with the workloads, which it disturbs."
    )


def test_memory_that_is_too_much_is_told_with_what_fits() -> None:
    with pytest.raises(MissingError) as caught:
        check_memory(FACTS, (6 << 30) + 1)
    assert caught.value.message.endswith("of memory: node has 8 GiB")
    assert caught.value.hint == "ask for at most 6 GiB"


def test_arms_of_one_name_are_refused() -> None:
    arms = [PlannedArm(label, Machine("local"), Limits()) for label in ("host", "one", "two", "one")]
    check_names(arms[:3])
    with pytest.raises(AssayError) as caught:
        check_names(arms)
    assert caught.value.message == (
        "cannot tell the arms apart: expected a name of its own for each arm, got 'one' twice"
    )
    assert caught.value.hint == "choose levels that differ in their first four digits"


def test_machines_of_equal_memory_need_no_limit() -> None:
    here, there = machine_limits(of(8), of(4), 2)
    assert here == there == Limits((1, 2))
