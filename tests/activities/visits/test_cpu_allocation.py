"""Who gets which processor."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.activities.visits.cpu_allocation import (
    check_memory,
    check_names,
    machine_limits,
    share_cores,
    threads_per_core,
)
from assay.model.activity import PlannedArm
from assay.model.errors import AssayError, MissingError
from assay.model.machines.machine import Facts, Limits, Machine
from assay.model.machines.processors import ALL, ALL_CORES, Controller, CoreThreads, ProcessorsSpec
from tests.builders import FACTS

SMT = ((0, 4), (1, 5), (2, 6), (3, 7))
SHARED, ELSEWHERE = Controller.SHARED, Controller.ELSEWHERE


def of(cpus: int, siblings: tuple[tuple[int, ...], ...] = ()) -> Facts:
    return replace(FACTS, cpus=tuple(range(cpus)), siblings=siblings)


@pytest.mark.parametrize("cpus", [2, 3, 5, 64, 256])
def test_one_core_is_left_to_the_controller_and_all_others_are_measured(cpus: int) -> None:
    cores = share_cores(of(cpus))
    assert (cores.measured, cores.kept) == (tuple(range(1, cpus)), (0,))


def test_an_only_core_is_shared() -> None:
    cores = share_cores(of(1))
    assert (cores.measured, cores.kept) == ((0,), ())
    assert share_cores(of(1), 1) == cores


def test_two_threads_of_one_core_are_one_core() -> None:
    cores = share_cores(of(4, ((0, 2), (1, 3))))
    assert (cores.measured, cores.kept) == ((1,), (0, 2))
    assert share_cores(of(2, ((0, 1),))).measured == (1,), "the controller has the other"


@pytest.mark.parametrize(
    ("spec", "controller", "measured"),
    [
        (ProcessorsSpec(ALL), SHARED, (0, 4, 1, 5, 2, 6, 3, 7)),
        (ProcessorsSpec(ALL), ELSEWHERE, (0, 4, 1, 5, 2, 6, 3, 7)),
        (ProcessorsSpec(ALL), Controller.OWN_CORE, (1, 5, 2, 6, 3, 7)),
        (ProcessorsSpec(ALL, CoreThreads.ONE_PER_CORE), SHARED, (0, 1, 2, 3)),
        (ProcessorsSpec(ALL_CORES), SHARED, (0, 1, 2, 3)),
        (ProcessorsSpec(ALL_CORES, CoreThreads.ALL), SHARED, (0, 4, 1, 5, 2, 6, 3, 7)),
        (ProcessorsSpec(3), SHARED, (0, 1, 2)),
        (ProcessorsSpec(3), Controller.OWN_CORE, (1, 2, 3)),
        (ProcessorsSpec(4, CoreThreads.ALL), SHARED, (0, 4, 1, 5)),
        (ProcessorsSpec((7, 0)), SHARED, (7, 0)),
        (ProcessorsSpec((0, 5)), Controller.OWN_CORE, (0, 5)),
    ],
)
def test_processors_are_those_that_are_asked_for(
    spec: ProcessorsSpec, controller: Controller, measured: tuple[int, ...]
) -> None:
    facts = of(8, SMT)
    assert share_cores(facts, spec=spec, controller=controller).measured == measured
    assert share_cores(facts, 2, spec=spec, controller=controller).measured == measured[:2]


def test_the_controller_s_core_is_the_first_that_nobody_asks_for() -> None:
    facts = of(8, SMT)
    assert share_cores(facts, spec=ProcessorsSpec((0, 5))).kept == (2, 6)
    assert share_cores(facts, spec=ProcessorsSpec((0, 5)), controller=SHARED).kept == ()
    with pytest.raises(MissingError, match="processors of every core are named") as refused:
        share_cores(facts, spec=ProcessorsSpec((0, 1, 2, 3)))
    assert refused.value.hint == "controller: shared, or fewer processors"


def test_a_processor_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(MissingError, match=r"cannot use processor 8 of node: expected some of 0-7"):
        share_cores(of(8), spec=ProcessorsSpec((1, 9, 8)))


def test_more_than_there_are_is_told_with_what_fits() -> None:
    beside = "; controller: shared keeps none back"
    for cpus, count, message, hint in (
        (2, 4, "4 vCPUs: node has 2 cores, one is the controller's", f"1, or to auto{beside}"),
        (5, 5, "5 vCPUs: node has 5 cores, one is the controller's", f"4, or to auto{beside}"),
        (1, 2, "2 vCPUs: node has 1 core", "1, or to auto"),
    ):
        with pytest.raises(MissingError) as caught:
            share_cores(of(cpus), count)
        assert caught.value.message == f"cannot give a guest {message}"
        assert caught.value.hint == f"set cpu.vcpus to at most {hint}"
    with pytest.raises(MissingError) as caught:
        share_cores(of(8, SMT), spec=ProcessorsSpec(5), controller=SHARED)
    assert caught.value.message == "cannot give an arm 5 processors: node has 4 cores of 8 processors"
    assert caught.value.hint == "ask for at most 4"


def test_the_processors_of_a_core_that_work_are_counted() -> None:
    facts = of(8, SMT)
    assert threads_per_core(facts, (0, 1, 2)) == 1
    assert threads_per_core(facts, (0, 1, 5)) == 2
    assert threads_per_core(of(8), (0, 1)) == 1


def test_more_memory_than_there_is_is_refused() -> None:
    check_memory(FACTS, 8 << 30)
    with pytest.raises(MissingError) as caught:
        check_memory(FACTS, (8 << 30) + 1)
    assert caught.value.message.endswith("of memory: node has 8 GiB")
    assert caught.value.hint == "ask for at most 8 GiB"


def test_two_machines_get_as_many_processors_and_the_smaller_memory() -> None:
    small = replace(of(4), memory_bytes=4 << 30)
    here, there = machine_limits(of(8), small, share_cores(of(8)), share_cores(small))
    assert here.cpus == there.cpus == (1, 2, 3)
    assert (here.memory_bytes, there.memory_bytes) == (4 << 30, None)


def test_machines_of_equal_memory_need_no_limit() -> None:
    here, there = machine_limits(of(8), of(3), share_cores(of(8)), share_cores(of(3)))
    assert here == there == Limits((1, 2))


def test_arms_of_one_name_are_refused() -> None:
    arms = [PlannedArm(label, Machine("local"), Limits()) for label in ("host", "one", "two", "one")]
    check_names(arms[:3])
    with pytest.raises(AssayError) as caught:
        check_names(arms)
    assert caught.value.message == (
        "cannot tell the arms apart: expected a name of its own for each arm, got 'one' twice"
    )
    assert caught.value.hint == "choose levels that differ in their first four digits"
