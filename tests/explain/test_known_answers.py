"""Formulas of budgets, of waits and of shares against answers by hand."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest

from assay.explain.budget import Part, TimeShare, budget
from assay.explain.cpu import CpuFactors, Work, cpu_factors, log_mean
from assay.explain.evidence import Seen, grown, within_tolerance
from assay.explain.others import free_s, others_s
from assay.explain.split import Category, Use, overdrawn, split
from assay.explain.waterfall import Step, baseline_share, waterfall
from assay.model.machines.machine import Limits
from assay.model.trial import Arm, PlannedTrial, Trial, Usage
from assay.model.work.disturbance import HostOver
from tests.builders import record_of
from tests.explain.cases import made

USER, IO, IDLE = Category.USER, Category.IO, Category.IDLE


def exactly(value: float, half: float) -> TimeShare:
    """Return a share with its interval."""
    return TimeShare(pytest.approx(value), pytest.approx(value - half), pytest.approx(value + half))


def test_a_budget_of_two_blocks_by_hand() -> None:
    """User time 4 s becomes 5 and 8 s of 10 and 16 s: contributions 0.1 and 0.25; t is tan(0.475 pi) with one
    degree.
    """
    here = {("loop", USER): 4.0, ("loop", IDLE): 4.0}
    found = budget(
        [
            (here, {("loop", USER): 5.0, ("loop", IDLE): 5.0}),
            (here, {("loop", USER): 8.0, ("loop", IDLE): 8.0}),
        ]
    )
    t = math.tan(0.475 * math.pi)
    half = t * 0.075  # the standard error of 0.1 and 0.25
    assert found.parts == (
        Part("loop", USER, 4.0, 6.5, exactly(0.175, half)),
        Part("loop", IDLE, 4.0, 6.5, exactly(0.175, half)),
    )
    assert found.loss == exactly(0.35, 2 * half)
    assert (found.baseline_s, found.treatment_s, found.confidence) == (8.0, 13.0, 0.95)
    assert found.sum_of(lambda key: key[1] is IDLE) == exactly(0.175, half)
    assert found.sum_of(lambda key: False) == TimeShare(0.0, 0.0, 0.0)
    assert found.residual < 1e-9


def test_the_parts_of_a_budget_stand_in_the_order_of_phases_and_categories() -> None:
    base = {("b", IDLE): 1.0, ("a", IO): 1.0}
    found = budget([(base, {("b", USER): 1.0, ("c", IDLE): 2.0, ("a", USER): 1.0})])
    assert [(part.phase, part.category) for part in found.parts] == [
        ("b", USER), ("b", IDLE), ("a", USER), ("a", IO), ("c", IDLE),
    ]  # fmt: skip


def test_a_budget_without_times_says_which_it_got() -> None:
    message = r"^a budget needs times above zero on both arms, got \[\(0\.0, 1\.0\)\]$"
    with pytest.raises(ValueError, match=message):
        budget([({("a", USER): 0.0}, {("a", USER): 1.0})])
    for wrong in (math.inf, math.nan, -1.0):
        with pytest.raises(ValueError, match="times above zero"):
            budget([({("a", USER): 1.0}, {("a", USER): wrong})])


def test_a_waterfall_by_hand() -> None:
    """8 s become 16: user time takes 6 s more, I/O 1.9 s more and the queue 0.1 s, which is drawn apart from
    the rest.
    """
    base = {USER: 5.0, IO: 1.0, Category.QUEUE: 1.0, IDLE: 1.0}
    found = waterfall(made((base, {USER: 11.0, IO: 2.9, Category.QUEUE: 1.1, IDLE: 1.0})))
    assert found == (
        Step("total", USER, 0.5, 0.875, TimeShare(0.375, None, None)),
        Step("total", IO, 0.875, pytest.approx(0.99375), TimeShare(pytest.approx(0.11875), None, None)),
        Step(None, None, pytest.approx(0.99375), 1.0, TimeShare(pytest.approx(0.00625), None, None), 2),
    )


@pytest.mark.parametrize(("io_s", "steps"), [(0.99, 2), (1.0, 2), (1.01, 2), (0.9999, 2)])
def test_a_waterfall_ends_at_the_treatments_time(io_s: float, steps: int) -> None:
    found = waterfall(made(({USER: 50.0, IO: 1.0}, {USER: 100.0, IO: 1.0 + io_s})))
    assert len(found) == steps
    assert found[-1].end == pytest.approx(1.0)
    assert (found[-1].phase is None) is (io_s < 1.0)  # 2 % of the largest part


def test_a_part_that_shrank_counts_by_its_size() -> None:
    found = waterfall(made(({USER: 50.0, IO: 30.0}, {USER: 100.0, IO: 20.0})))
    assert [step.category for step in found] == [USER, IO]
    assert found[1].end < found[1].start


def test_where_nothing_changed_all_parts_are_drawn_together() -> None:
    found = waterfall(made(({USER: 5.0, IO: 1.0}, {USER: 5.0, IO: 1.0})))
    assert found == (Step(None, None, 1.0, 1.0, TimeShare(0.0, None, None), 2),)


def test_the_baselines_share_is_what_the_loss_leaves_block_by_block() -> None:
    base = {USER: 8.0}
    share = baseline_share(made((base, {USER: 10.0}), (base, {USER: 16.0})))
    assert share == exactly(0.65, math.tan(0.475 * math.pi) * 0.15)


def test_stays_in_one_phase_are_added_up() -> None:
    times = split([Use("loop", 4.0, 2.0, 1.0), Use("loop", 6.0, 2.0, 1.0, 2.0, 3.0)], 2)
    assert {category: times["loop", category] for category in Category} == {
        Category.USER: 2.0, Category.SYSTEM: 1.0, Category.IO: 1.0, Category.QUEUE: 1.5, Category.IDLE: 4.5,
    }  # fmt: skip


def test_times_are_overdrawn_by_the_idle_time_below_zero_over_all_phases() -> None:
    times = {("a", USER): 12.0, ("a", IDLE): -3.0, ("b", IDLE): 1.0}
    assert overdrawn(times) == pytest.approx(0.2)
    assert overdrawn({("a", USER): 0.5, ("a", IDLE): -0.25}) == pytest.approx(1.0)
    assert overdrawn({("a", USER): 0.0}) == 0.0
    assert overdrawn({("a", USER): 3.0, ("a", IDLE): -3.0}) == 0.0
    assert overdrawn({}) == 0.0


USAGE = Usage(10.0, 5.0, 1.0, 1 << 20, None, 0, idle_s=3.0, io_wait_s=1.0)


def _trial(usage: Usage | None, host: HostOver | None = None, cpus: tuple[int, ...] = (0, 1)) -> Trial:
    planned = PlannedTrial(0, 0, 0, Arm.BASELINE, 0, "spin")
    return record_of(planned, 1.0, usage=usage, host=host, limits=Limits(cpus))


def _host(foreign_s: float | None, steal_s: float | None) -> HostOver:
    return HostOver(10.0, (0, 1), foreign_s, steal_s, 0, None, 0, 0.0)


@pytest.mark.parametrize(
    ("trial", "seconds"),
    [
        (_trial(USAGE), 10.0),  # 10 s of two processors without 6 s of the job and 4 s of nothing
        (_trial(USAGE, cpus=(1,)), 0.0),
        (_trial(USAGE, cpus=()), 10.0),  # the machine has two
        (_trial(replace(USAGE, io_wait_s=None)), 11.0),
        (_trial(replace(USAGE, idle_s=None)), None),
        (_trial(None), None),
        (_trial(USAGE, _host(12.0, 1.0)), 13.0),
        (_trial(USAGE, _host(7.0, 1.0)), 10.0),
        (_trial(None, _host(7.0, None)), 7.0),
        (_trial(None, _host(None, 3.0)), None),
    ],
)
def test_others_had_what_the_job_and_nothing_to_do_leave_or_what_the_host_saw(
    trial: Trial, seconds: float | None
) -> None:
    assert others_s(trial) == seconds


def test_free_time_holds_waits_for_io() -> None:
    assert free_s(USAGE) == 4.0
    assert free_s(replace(USAGE, io_wait_s=None)) == 3.0
    assert free_s(replace(USAGE, idle_s=None)) is None


@pytest.mark.parametrize(
    ("here", "there", "by", "least", "expected"),
    [
        (10.0, 11.0, 0.1, 0.5, True),
        (10.0, 10.9, 0.1, 0.5, False),
        (10.0, 12.0, 0.1, 2.0, True),
        (10.0, 11.9, 0.1, 2.0, False),
        (11.0, 10.0, 0.1, 0.5, False),
        (None, 10.0, 0.1, 0.0, False),
        (10.0, None, 0.1, 0.0, False),
    ],
)
def test_a_figure_grew_by_both_its_share_and_its_least(
    here: float | None, there: float | None, by: float, least: float, expected: bool
) -> None:
    assert grown(here, there, by=by, least=least) is expected


@pytest.mark.parametrize(
    ("here", "there", "expected"),
    [(90.0, 100.0, True), (100.0, 90.0, True), (89.9, 100.0, False), (None, 1.0, False), (1.0, None, False)],
)
def test_figures_are_alike_within_a_share_of_the_larger(
    here: float | None, there: float | None, expected: bool
) -> None:
    assert within_tolerance(here, there, within=0.1) is expected


def test_bytes_of_storage_need_both_ways() -> None:
    assert Seen("host", 1.0, read_bytes=3.0, write_bytes=4.0).storage_bytes == 7.0
    assert Seen("host", 1.0, read_bytes=3.0).storage_bytes is None
    assert Seen("host", 1.0, write_bytes=3.0).storage_bytes is None


def test_a_lower_frequency_alone_takes_all_of_the_longer_cpu_time() -> None:
    assert cpu_factors(Work(1e9, 1e9, 1.0), Work(1e9, 1e9, 2.0)) == CpuFactors(
        pytest.approx(0.0), pytest.approx(0.0), pytest.approx(1.0)
    )


def test_counts_that_cannot_be_divided_are_told() -> None:
    message = r"^CPU time is divided by counts above zero, got \[1\.0, 1\.0, 1\.0, 1\.0, inf, 1\.0\]$"
    with pytest.raises(ValueError, match=message):
        cpu_factors(Work(1.0, 1.0, 1.0), Work(1.0, math.inf, 1.0))
    for wrong in (Work(-1.0, 1.0, 1.0), Work(1.0, 0.0, 1.0), Work(1.0, 1.0, 0.0)):
        with pytest.raises(ValueError, match="above zero"):
            cpu_factors(wrong, Work(1.0, 1.0, 1.0))


def test_the_logarithmic_mean_of_close_numbers_keeps_twelve_digits() -> None:
    draw = random.Random(4)
    for ratio in (*(draw.uniform(-9e-7, 9e-7) for _ in range(20)), 1.001e-6, -1.001e-6):
        exact = 1 + ratio / 2 - ratio**2 / 12 + ratio**3 / 24
        assert log_mean(1 + ratio, 1.0) == pytest.approx(exact, rel=1e-9 if abs(ratio) > 1e-6 else 1e-13)
    assert log_mean(math.e, 1.0) == pytest.approx(math.e - 1)
