"""Two results side by side: which of them loses more, and what else differs."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.design import plan_trials
from assay.explain.sanity import severity_of
from assay.model.activity import ActivityPlan
from assay.model.doubt import Severity
from assay.model.goal import Goal
from assay.model.machines.floor import MetricFloor, SiteFloor
from assay.model.machines.machine import Limits
from assay.model.metric import Direction, Measurement, Metric
from assay.model.platforms.existing import DomainSpec
from assay.model.trial import Arm, PlannedTrial, Trial
from assay.model.work.disturbance import Cause
from assay.pages.comparison import ComparedResult, ComparisonPage, ComparisonRow, Name
from assay.pages.context import DoubtCount, Interval
from assay.report.doubts import NEXT
from assay.report.render.compare import text_comparison
from assay.results.comparison.compare import compare_results
from assay.stats.mean import t_quantile
from tests.builders import FACTS, plan_of, record_of
from tests.explain.sanity.test_gain import GUEST
from tests.results.folders import kept

Result = tuple[ActivityPlan, list[Trial]]

TRIALS = plan_trials(("spin",), blocks=2, seed=1)
PLAN = plan_of(TRIALS)
QUIET = {"usage": None}
"""Without totals there is nothing that the checks of a single result could doubt."""


def records(losses: tuple[float, float], **changes: object) -> list[Trial]:
    """Return records in which the treatment's rate falls by a loss in each block."""
    return [
        record_of(p, 100.0 * (1 - losses[p.block] * (p.arm is Arm.TREATMENT)), **{**QUIET, **changes})
        for p in TRIALS
    ]


A, B = records((0.1, 0.2)), records((0.3, 0.4))


def compared(tmp_path: Path, *, plan: ActivityPlan = PLAN, a: Any = A, b: Any = B) -> ComparisonPage:
    """Return the comparison of a plan's result with that of another plan, of another identity."""
    return compare_results(
        kept(tmp_path / "a", PLAN, a), kept(tmp_path / "b", replace(plan, id="4567abcd"), b)
    )


def compared_results(tmp_path: Path, a: Result, b: Result) -> ComparisonPage:
    """Return the comparison of two results; the second gets another identity."""
    return compare_results(kept(tmp_path / "a", *a), kept(tmp_path / "b", replace(b[0], id="4567abcd"), b[1]))


def test_b_loses_more_than_a_by_the_difference_of_their_losses(tmp_path: Path) -> None:
    """By hand: losses of 10 and 20 % against 30 and 40 %, on the log scale, by the ends of the
    two intervals.
    """
    (row,) = compared(tmp_path).rows
    logs = [[-math.log1p(-loss) for loss in losses] for losses in ((0.1, 0.2), (0.3, 0.4))]
    means = [sum(pair) / 2 for pair in logs]
    halves = [t_quantile(0.95, 1) * abs(p[0] - p[1]) / 2 for p in logs]
    losses = [1 - math.exp(-m) for m in means]
    lows = [1 - math.exp(half - m) for m, half in zip(means, halves, strict=True)]
    highs = [1 - math.exp(-half - m) for m, half in zip(means, halves, strict=True)]
    difference = losses[1] - losses[0]
    assert difference == pytest.approx(math.sqrt(0.72) - math.sqrt(0.42))
    assert row.difference == pytest.approx(difference)
    assert row.low == pytest.approx(difference - math.hypot(losses[1] - lows[1], highs[0] - losses[0]))
    assert row.high == pytest.approx(difference + math.hypot(highs[1] - losses[1], losses[0] - lows[0]))


def test_the_difference_is_that_of_what_is_shown(tmp_path: Path) -> None:
    (row,) = compared(tmp_path).rows
    assert row.a is not None
    assert row.b is not None
    assert row.difference == pytest.approx(row.b.loss - row.a.loss)  # type: ignore[operator]


def figures(losses: list[list[float]], *, goal: Goal | None = None) -> Result:
    """Return a result of own metrics ``m0``, ``m1``, ... whose losses in each block are given."""
    trials = plan_trials(("spin",), blocks=len(losses[0]), seed=1)
    metrics = [Metric(f"m{at}", "s", Direction.LOWER) for at in range(len(losses))]

    def measured(planned: PlannedTrial) -> Trial:
        treated = planned.arm is Arm.TREATMENT
        base = 5.0 * (1 + planned.block / 1024)  # blocks differ, and no slowdown with them
        values = (base / (1 - of[planned.block]) if treated else base for of in losses)
        reported = tuple(Measurement(metric, value) for metric, value in zip(metrics, values, strict=True))
        return replace(record_of(planned, 1.0, usage=None), measurements=reported)

    plan = plan_of(trials) if goal is None else replace(plan_of(trials), goal=goal)
    (workload,) = plan.workloads
    plan = replace(plan, workloads=(replace(workload, metrics=tuple(metrics)),))
    return plan, [measured(planned) for planned in trials]


def scattered(losses: int, blocks: int, *, seed: int) -> list[list[float]]:
    """Return losses with outliers, so that their mean is not their typical one."""
    draw = random.Random(seed)
    return [[0.05 + 0.03 * draw.random() ** 3 for _ in range(blocks)] for _ in range(losses)]


def assert_as_shown(page: ComparisonPage, rows: int) -> None:
    """Check that each difference is that of the two losses beside it."""
    reported = [row for row in page.rows if row.difference is not None]
    assert len(reported) == rows
    for row in reported:
        assert row.a is not None
        assert row.b is not None
        assert row.difference == pytest.approx(row.b.loss - row.a.loss, abs=1e-12)  # type: ignore[operator]


def test_the_difference_is_that_of_what_is_shown_beside_rows_without_scatter(tmp_path: Path) -> None:
    """Eight blocks: ranks have an interval for five rows, not for the seven that each result judges."""
    a, b = (
        figures([*[[loss] * 8] * 2, *scattered(5, 8, seed=seed)]) for seed, loss in ((1, 0.03), (2, 0.05))
    )
    page = compared_results(tmp_path, a, b)
    assert_as_shown(page, 7)
    assert [row.reason for row in page.rows] == ["no scatter", "no scatter", *[None] * 5]


def test_the_difference_is_that_of_what_is_shown_where_one_result_has_more_metrics(tmp_path: Path) -> None:
    """Six blocks: the typical loss of the only metric of B, the mean of each of seven of A."""
    a, b = figures(scattered(7, 6, seed=1)), figures(scattered(1, 6, seed=2))
    page = compared_results(tmp_path, a, b)
    assert_as_shown(page, 1)
    assert page.rows[0].low is not None


def test_a_loss_that_its_own_result_does_not_judge_yet_has_no_difference_with_an_interval(
    tmp_path: Path,
) -> None:
    """Six blocks looked at after each: the sequence of one metric is finite, that of each of seven is not."""
    goal = Goal(adaptive=True, minimum_blocks=5)
    a, b = (figures(scattered(count, 6, seed=count), goal=goal) for count in (7, 1))
    page = compared_results(tmp_path, a, b)
    assert_as_shown(page, 1)
    assert (page.rows[0].low, page.rows[0].reason) == (None, "too few blocks")


def test_rows_are_compared_together(tmp_path: Path) -> None:
    """Ten more metrics that did not change make the interval of each difference wider."""
    more = [Metric(f"m{at}", "s", Direction.LOWER) for at in range(10)]

    def with_more(found: list[Trial]) -> list[Trial]:
        figures = [tuple(Measurement(metric, 5.0 + 0.01 * r.planned.index) for metric in more) for r in found]
        return [replace(r, measurements=(*r.measurements, *f)) for r, f in zip(found, figures, strict=True)]

    (alone,) = compared(tmp_path / "alone").rows
    many = compared(tmp_path / "many", a=with_more(A), b=with_more(B)).rows
    row = next(row for row in many if row.metric == "events")
    assert len(many) == 11
    assert row.difference == alone.difference
    assert row.low < alone.low  # type: ignore[operator]


def test_the_site_s_floor_is_in_the_difference(tmp_path: Path) -> None:
    work = PLAN.workloads[0].work
    known = MetricFloor(work, "spin", "events", 20, 200, 0.5, 0.01)
    floored = replace(PLAN, floor=SiteFloor("node", 0, 1, 0, (known,)))
    (bare,) = compared(tmp_path / "bare").rows
    (wide,) = compare_results(
        kept(tmp_path / "a", floored, A), kept(tmp_path / "b", replace(floored, id="4567abcd"), B)
    ).rows
    assert wide.low < bare.low  # type: ignore[operator]


def test_each_side_has_its_own_loss_and_the_row_its_metric(tmp_path: Path) -> None:
    (row,) = compared(tmp_path).rows
    assert isinstance(row, ComparisonRow)
    assert (row.workload, row.metric, row.unit, row.direction) == (
        "spin",
        "events",
        "events/s",
        Direction.HIGHER,
    )
    assert isinstance(row.a, Interval)
    assert isinstance(row.b, Interval)
    assert row.a.loss == pytest.approx(1 - math.sqrt(0.9 * 0.8))
    assert row.b.loss == pytest.approx(1 - math.sqrt(0.7 * 0.6))
    assert (row.a.blocks, row.b.blocks) == (2, 2)
    assert row.a.low is not None
    assert row.a.high is not None
    assert row.a.low < row.a.loss < row.a.high


def test_the_sides_are_those_of_the_results(tmp_path: Path) -> None:
    other = replace(
        PLAN, scene="full", title="Another title", treatment=replace(PLAN.treatment, label="guest")
    )
    page = compared(tmp_path, plan=other, b=records((0.3, 0.4), platform=GUEST))
    started = "2023-11-14T22:13:20+00:00"
    assert page.a == ComparedResult(
        "0123abcd", "quick", "A title", "complete", started, "host", "other", None
    )
    assert page.b == ComparedResult(
        "4567abcd", "full", "Another title", "complete", started, "host", "guest", "kvm"
    )
    assert page.confidence == 0.95


def test_the_intervals_have_the_confidence_of_the_first_result(tmp_path: Path) -> None:
    at_90 = replace(PLAN, confidence=0.9)
    page = compare_results(
        kept(tmp_path / "a", at_90, A), kept(tmp_path / "b", replace(PLAN, id="4567abcd"), B)
    )
    (row,) = page.rows
    wide = compared(tmp_path / "wide").rows[0]
    assert page.confidence == 0.9
    assert row.low is not None
    assert wide.low is not None
    assert row.low > wide.low
    assert _codes(page) == ["confidence-differs"]


def test_metrics_that_one_result_alone_has_are_named(tmp_path: Path) -> None:
    more, less = (Metric(name, "s", Direction.LOWER) for name in ("more", "less"))

    def with_metric(found: list[Trial], metric: Metric) -> list[Trial]:
        return [
            replace(r, measurements=(*r.measurements, Measurement(metric, 1.0 + r.planned.index)))
            for r in found
        ]

    page = compared(tmp_path, a=with_metric(A, less), b=with_metric(B, more))
    assert [row.metric for row in page.rows] == ["events"]
    assert page.only_a == (Name("spin", "less"),)
    assert page.only_b == (Name("spin", "more"),)


def test_what_was_not_measured_is_not_compared(tmp_path: Path) -> None:
    (row,) = compared(tmp_path, b=records((1.0, 1.0))).rows
    assert row.a is not None
    assert (row.b, row.difference, row.low, row.high) == (None, None, None, None)


def test_one_block_gives_a_difference_without_an_interval(tmp_path: Path) -> None:
    plan = replace(PLAN, blocks=1, trials=tuple(t for t in TRIALS if t.block == 0))
    (row,) = compared(tmp_path, plan=plan, b=[r for r in B if r.planned.block == 0]).rows
    assert row.difference == pytest.approx(math.sqrt(0.9 * 0.8) - 0.7)
    assert (row.low, row.high, row.reason) == (None, None, "too few blocks")


def _codes(page: ComparisonPage) -> list[str]:
    return [doubt.code for doubt in page.doubts if doubt.code.endswith(("differ", "differs", "same-result"))]


def test_results_of_one_setting_have_no_doubt(tmp_path: Path) -> None:
    assert _codes(compared(tmp_path)) == []


@pytest.mark.parametrize(
    ("plan", "code", "what"),
    [
        (replace(PLAN, scene_digest="e"), "scenes-differ", "scenes or commands"),
        (replace(PLAN, command="./my-job"), "scenes-differ", "scenes or commands"),
        (
            replace(PLAN, baseline=replace(PLAN.baseline, limits=Limits((1, 2)))),
            "limits-differ",
            "cores or memory of the baseline",
        ),
        (replace(PLAN, treatment=replace(PLAN.treatment, label="guest")), "treatments-differ", "treatments"),
        (
            replace(PLAN, treatment=replace(PLAN.treatment, limits=Limits((1,), 1 << 30))),
            "treatments-differ",
            "treatments",
        ),
        *(
            (replace(PLAN, treatment=replace(PLAN.treatment, **changes)), "treatments-differ", "treatments")
            for changes in (
                {"host_settings": (("host.thp", "never"),)},
                {"data": (("data.access", "nfs"),)},
                {"domain": DomainSpec("web")},
            )
        ),
        (replace(PLAN, confidence=0.9), "confidence-differs", "levels of confidence"),
    ],
)
def test_what_else_differs_is_said(tmp_path: Path, plan: ActivityPlan, code: str, what: str) -> None:
    page = compared(tmp_path, plan=plan)
    (doubt,) = (doubt for doubt in page.doubts if doubt.code == code)
    reported = f"The {what} differ: the losses answer different questions."
    assert doubt == DoubtCount(code, reported, 1, NEXT[code], severity=severity_of(code))
    assert _codes(page) == [code]


@pytest.mark.parametrize("changes", [{"hostname": "n2"}, {"cpu_model": "B CPU"}, {"kernel": "6.2"}])
def test_another_baseline_machine_is_said(tmp_path: Path, changes: dict[str, Any]) -> None:
    facts = replace(FACTS, **changes)
    there = [replace(r, facts=facts) if r.planned.arm is Arm.BASELINE else r for r in B]
    doubts = compared(tmp_path, b=there).doubts
    reported = "The baseline machines differ: the losses answer different questions."
    assert DoubtCount("hosts-differ", reported, 1, NEXT["hosts-differ"]) in doubts
    elsewhere = [replace(r, facts=facts) if r.planned.arm is Arm.TREATMENT else r for r in B]
    assert "hosts-differ" not in _codes(compared(tmp_path / "more", b=elsewhere))


def test_other_accelerators_are_said(tmp_path: Path) -> None:
    emulated = replace(GUEST, accelerator="tcg")
    page = compared(tmp_path, a=records((0.1, 0.2), platform=GUEST), b=records((0.3, 0.4), platform=emulated))
    reported = "The accelerators differ: kvm and tcg."
    assert DoubtCount("accelerators-differ", reported, 1, NEXT["accelerators-differ"]) in page.doubts


def test_a_result_beside_itself_is_said(tmp_path: Path) -> None:
    folder = kept(tmp_path / "a", PLAN, A)
    page = compare_results(folder, folder)
    reported = "A and B are the same result: they cannot differ."
    step = "Name two different results."
    assert page.doubts == (DoubtCount("same-result", reported, 1, step, severity=Severity.INVALIDATES),)
    assert page.rows[0].difference == 0.0


def test_files_of_other_sizes_are_not_compared(tmp_path: Path) -> None:
    """Bonnie++ takes a file of twice the memory: of two machines the same workload has two sizes."""
    (workload,) = PLAN.workloads
    plans = [
        replace(PLAN, id=name, workloads=(replace(workload, file_bytes=gib << 30),))
        for name, gib in (("0123abcd", 4), ("4567abcd", 8), ("89ababcd", 4))
    ]
    folders = [kept(tmp_path / plan.id, plan, A) for plan in plans]
    other, same = (compare_results(folders[0], folder) for folder in folders[1:])
    (row,) = other.rows
    assert (row.difference, row.low, row.high) == (None, None, None)
    assert row.a is not None
    assert row.reason is not None
    assert row.reason.startswith("its files were 4 GiB on A and 8 GiB on B: ")
    (doubt,) = (doubt for doubt in other.doubts if doubt.code == "sizes-differ")
    assert (doubt.sentence, doubt.severity) == (f"spin: {row.reason}.", Severity.INVALIDATES)
    assert other.doubts[0] == doubt
    assert "not comparable" in text_comparison(other)
    assert (same.rows[0].reason, same.rows[0].difference) == (None, 0.0)


def test_the_doubts_of_each_result_are_carried_over_with_its_letter(tmp_path: Path) -> None:
    plan = replace(PLAN, id="4567abcd", doubts=(("overcommitted", "Four guests on two cores."),))
    goal = replace(PLAN, goal=Goal(rerun=(Cause.SWAP,)))
    lost = [r for r in A if r.planned.arm is Arm.BASELINE] * 12
    again = [replace(r, planned=replace(r.planned, index=50 + at)) for at, r in enumerate(lost)]
    page = compare_results(kept(tmp_path / "a", goal, A, rejected=again), kept(tmp_path / "b", plan, B))
    unequal, reported = page.doubts
    assert (unequal.code, unequal.count) == ("rejection-unequal", 1)
    assert unequal.sentence.startswith(
        "A: The arms were not rejected equally often: 48 of 52 runs of the baseline"
    )
    assert reported == DoubtCount(
        "overcommitted",
        "B: Four guests on two cores.",
        1,
        "Set 'cpu.vcpus' to a multiple of the guests, or take it as what overcommitment costs.",
    )


def test_a_result_that_is_judged_by_a_sequence_is_compared_by_it(tmp_path: Path) -> None:
    """Of eight blocks each; the sequence of one that may end at every look is wider than the interval of a
    declared number.
    """
    trials = plan_trials(("spin",), blocks=8, seed=1)
    fixed = plan_of(trials)
    adaptive = replace(fixed, id="4567abcd", goal=Goal(adaptive=True, minimum_blocks=5))

    def reported(shift: float) -> list[Trial]:
        lost = [shift + 0.01 * (block % 3) for block in range(8)]
        return [
            record_of(p, (100.0 + 1e-6 * p.block) * (1 - lost[p.block] * (p.arm is Arm.TREATMENT)), **QUIET)  # type: ignore[arg-type]
            for p in trials
        ]

    a = kept(tmp_path / "a", fixed, reported(0.1))
    rows = [
        compare_results(a, kept(tmp_path / str(at), plan, reported(0.3))).rows[0]
        for at, plan in enumerate((replace(fixed, id="4567abcd"), adaptive))
    ]
    once, every = rows
    assert once.high is not None
    assert every.high is not None
    assert every.b is not None
    assert every.difference == pytest.approx(every.b.loss - every.a.loss)  # type: ignore[operator, union-attr]
    assert every.high - every.low > 1.2 * (once.high - once.low)  # type: ignore[operator]
