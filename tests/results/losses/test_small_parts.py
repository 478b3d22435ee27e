"""Disks, event loops, moments, next commands and other small parts of a result, by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from assay.design.barred import difference
from assay.explain.sanity import LoopSampled, Sampled
from assay.model.machines.clock import Instant
from assay.model.machines.floor import MetricFloor, SiteFloor
from assay.model.trial import Arm, PlannedTrial, Trial
from assay.model.work.observation import ProbeCost
from assay.model.work.phase import PhaseTime
from assay.pages.context import Badge, BadgeMetric
from assay.pages.track import PhaseSpan, ProbeUse
from assay.report.doubts import worded
from assay.report.method.method import result_sentences
from assay.results.analysis.arms import AnalysisError, _named, check_machines, choose_baseline
from assay.results.losses.badge import badge_of
from assay.results.losses.next_steps import next_commands
from assay.results.losses.same_result import result_doubts, same_results
from assay.results.losses.spans import Since, phase_spans, probe_use, since_release
from assay.results.series.disks import busiest_disk
from assay.results.series.loop_window import LoopWindow, loop_span_s, loop_window, with_core
from tests.builders import WORKLOAD, clock_check, plan_of, record_of
from tests.measured_runs import columns

SECOND = 10**9
PLANNED = PlannedTrial(0, 0, 0, Arm.BASELINE, 0, "spin")


def stay(
    name: str,
    start: float,
    end: float,
    *,
    copy: int = 0,
    events: int | None = 7,
    io_wait_s: float | None = None,
) -> PhaseTime:
    """Return a copy's stay in a phase."""
    begun, ended = (Instant(round(at * SECOND), 0) for at in (start, end))
    return PhaseTime(copy, name, begun, ended, end - start, 1.0, 0.5, events, io_wait_s=io_wait_s)


def with_phases(*phases: PhaseTime) -> Trial:
    """Return a trial with these phases."""
    return replace(record_of(PLANNED, 1.0), phases=phases)


LOOP = (stay("loop", 2.0, 8.0, io_wait_s=3.0), stay("loop", 3.0, 7.0, copy=1, io_wait_s=1.0))


@pytest.mark.parametrize(
    ("phases", "span"),
    [
        (LOOP, (2.0, 8.0)),
        ((stay("init", 0.0, 2.0, events=None), *LOOP), (2.0, 8.0)),
        ((stay("init", 0.0, 2.0, events=1), *LOOP), (2.0, 8.0)),  # told of late: no more than a tenth of 14
        ((stay("init", 0.0, 2.0, events=2), *LOOP), None),
        ((*LOOP, stay("loop", 9.0, 10.0)), None),  # a copy was there twice
        ((stay("init", 0.0, 2.0, events=None),), None),
        ((), None),
    ],
)
def test_an_event_loop_is_the_one_phase_with_the_events(
    phases: tuple[PhaseTime, ...], span: tuple[float, float] | None
) -> None:
    assert loop_span_s(with_phases(*phases)) == span


FURTHER = LoopSampled(0.5, 0.25, 3.0, 4.0)


def sampled(count: int = 11, loop: LoopSampled = FURTHER, **changes: Any) -> Sampled:
    """Return samples of ten seconds: 2 s of CPU time a second, 1 MB read and 2 MB written, 0.5 s in the
    kernel.
    """
    seconds = np.linspace(0.0, 10.0, count)
    core = {
        "mono_ns": 1e9 * seconds, "job_user_s": 1.5 * seconds, "job_system_s": 0.5 * seconds,
        "job_read_bytes": 1e6 * seconds, "job_write_bytes": 2e6 * seconds, **changes,
    }  # fmt: skip
    told = {name: values for name, values in core.items() if values is not None}
    span = loop_span_s(with_phases(*LOOP))
    assert span is not None
    return Sampled(loop=with_core(loop, told, span))


def test_what_was_used_in_an_event_loop_is_what_grew_meanwhile() -> None:
    """Six seconds; the copies' processors waited for I/O half and a quarter of their loops: 0.375 of six
    seconds.
    """
    assert loop_window(with_phases(*LOOP), sampled()) == LoopWindow(
        6.0, 12.0, 6e6, 12e6, 3.0, 0.5, 0.25, 3.0, 4.0, 2.25
    )
    part = np.where(np.arange(11) == 5, np.nan, 1.0)
    bare = sampled(loop=LoopSampled(), job_read_bytes=None, job_write_bytes=part)
    untold = (LOOP[0], replace(LOOP[1], io_wait_s=None))
    assert loop_window(with_phases(*untold), bare) == LoopWindow(6.0, 12.0, None, None, 3.0)


@pytest.mark.parametrize(
    ("series", "is_told"),
    [
        (sampled(6), True),  # every 2 s: three samples in six seconds
        (sampled(5), False),
        (sampled(1), False),
        (sampled(job_system_s=None), False),
        (sampled(job_user_s=np.full(11, np.nan)), False),
        (sampled(mono_ns=None), False),
        (Sampled(), False),
        (None, False),
    ],
)
def test_an_event_loop_of_fewer_than_three_intervals_is_not_told(
    series: Sampled | None, is_told: bool
) -> None:
    assert (loop_window(with_phases(*LOOP), series) is not None) is is_told


def disk(at: float, device: str, *totals: float) -> dict[str, str]:
    """Return a line of ``disks.csv``: reads and their seconds, writes and theirs, seconds busy."""
    names = ("reads_count", "read_s", "writes_count", "write_s", "busy_s")
    figures = {name: str(total) for name, total in zip(names, totals, strict=True)}
    return {"mono_ns": str(round(at * SECOND)), "device": device, **figures}


ROWS = [
    disk(10, "sda", 100, 1.0, 50, 2.0, 1.0), disk(10, "sdb", 0, 0, 0, 0, 5.0),
    disk(20, "sda", 140, 1.5, 70, 3.0, 5.0), disk(20, "sdb", 0, 0, 0, 0, 6.0),
]  # fmt: skip


def test_the_busiest_disk_is_told_with_the_mean_time_of_a_request() -> None:
    """Four of ten seconds; 40 reads of 0.5 s and 20 writes of 1 s together."""
    assert busiest_disk(ROWS) == pytest.approx((0.4, 1.5 / 60))
    assert busiest_disk(ROWS, (12.5, 17.5)) == pytest.approx((0.4, 1.5 / 60))
    assert busiest_disk(ROWS, (0.0, 15.0)) == pytest.approx((0.4, 1.5 / 60))
    assert busiest_disk(ROWS[1::2]) == (0.1, None)


@pytest.mark.parametrize("span", [(25.0, 30.0), (0.0, 10.0), (15.0, 15.0)])
def test_outside_of_the_samples_no_disk_is_told(span: tuple[float, float]) -> None:
    assert busiest_disk(ROWS, span) == (None, None)


def test_one_sample_tells_no_disk_and_an_empty_cell_is_none() -> None:
    assert busiest_disk([]) == (None, None)
    assert busiest_disk(ROWS[:2]) == (None, None)
    untold = [{**row, "read_s": ""} for row in ROWS]
    assert busiest_disk(untold) == pytest.approx((0.4, 1.0 / 60))


def test_moments_are_seconds_of_the_controllers_clock_since_the_release() -> None:
    assert Since(5 * SECOND, 1.25).seconds(10 * SECOND) == 4.0
    trial = record_of(PLANNED, 1.0)
    assert since_release(trial, 7) == Since(7, 1.0)
    assert since_release(replace(trial, clock=clock_check(1.005)), 7) == Since(7, 1.005)
    assert since_release(replace(trial, clock=clock_check(1.5)), 7) == Since(7, 1.5)  # the best there is


def test_phases_are_told_from_the_first_ones_start_on() -> None:
    trial = replace(
        with_phases(stay("init", 3.0, 5.0, events=None), stay("loop", 5.0, 6.0)), clock=clock_check(1.005)
    )
    init, loop = phase_spans(trial)
    assert init == PhaseSpan(0, "init", 0.0, pytest.approx(2 / 1.005), 0.5, 1 / 1.005, 0.5 / 1.005, None)
    assert loop == PhaseSpan(
        0, "loop", pytest.approx(2 / 1.005), pytest.approx(3 / 1.005), 0.25, 1 / 1.005, 0.5 / 1.005, 7
    )
    assert phase_spans(replace(trial, usage=None)) == ()
    untold = replace(trial.phases[0], user_s=None, system_s=None)
    assert phase_spans(replace(trial, phases=(untold,)))[0].user_s is None


def test_the_probes_share_is_of_the_trials_wall_time() -> None:
    cost = ProbeCost(0.02, 1 << 20, 5, 1.5)
    assert probe_use(cost, 4.0) == ProbeUse(0.005, 1 << 20, 5, 1.5, cost.wake_ups)
    assert probe_use(cost, None) == probe_use(cost, 0.0) == ProbeUse(None, 1 << 20, 5, 1.5, cost.wake_ups)
    assert probe_use(None, 4.0) is None


PLAN = plan_of((PLANNED,))
LAST = ("assay report 0123abcd --format html --output report.html", "assay result list")
TRY = "assay evaluate --command './my-job --events 100'"


def _more(blocks: int | None) -> Any:
    from assay.results.outcome import build_page

    (row,) = build_page(PLAN, [record_of(PLANNED, 1.0)]).estimates
    return [replace(row, blocks_more=blocks), replace(row, blocks_more=None)]


@pytest.mark.parametrize(
    ("plan", "more", "left", "commands"),
    [
        (PLAN, None, False, (*LAST, TRY)),
        (PLAN, None, True, ("assay activity resume 0123abcd", *LAST, TRY)),
        (PLAN, 200, False, ("assay activity extend 0123abcd --blocks 200", *LAST, TRY)),
        (PLAN, 201, False, (*LAST, TRY)),
        (PLAN, 5, True, ("assay activity resume 0123abcd", *LAST, TRY)),
        (replace(PLAN, command="./job"), 5, False, ("assay activity extend 0123abcd --blocks 5", *LAST)),
        (replace(PLAN, command="./job"), None, False, LAST),
        (replace(PLAN, proof_of="89abcdef"), 5, False, (*LAST, TRY)),
        (replace(PLAN, proof_of="89abcdef"), 5, True, ("assay activity resume 0123abcd", *LAST, TRY)),
    ],
)
def test_what_to_type_next(plan: Any, more: int | None, left: bool, commands: tuple[str, ...]) -> None:
    assert next_commands(plan, _more(more), left=left) == commands


def test_the_sites_history_is_shown_of_the_metrics_that_were_measured() -> None:
    one = MetricFloor(WORKLOAD.work, "old-name", "events", 3, 24, 0.01, 0.02)
    floor = SiteFloor(
        "node", 1_700_000_000 * SECOND, 40, 1, (one, replace(one, metric="other"), replace(one, work="x"))
    )
    badge = badge_of(replace(PLAN, floor=floor), [record_of(PLANNED, 1.0)])
    assert isinstance(badge, Badge)
    assert badge.metrics == (BadgeMetric("old-name", "events", 3, 24, 0.01, 0.02),)
    assert (badge.machine, badge.taken, badge.campaigns, badge.false_verdicts) == (
        "node", "2023-11-14T22:13:20+00:00", 40, 1,
    )  # fmt: skip
    p = badge.most_false
    assert (1 - p) ** 40 + 40 * p * (1 - p) ** 39 == pytest.approx(
        0.05
    )  # one of 40 or none: Clopper and Pearson
    assert badge_of(PLAN, [record_of(PLANNED, 1.0)]) is None


def _told(*digests: str | None, name: str = "spin") -> list[Trial]:
    planned = (PlannedTrial(at, at, 0, Arm.BASELINE, 0, name) for at in range(len(digests)))
    return [record_of(p, 1.0, result_digest=d) for p, d in zip(planned, digests, strict=True)]


def test_which_trials_came_to_different_results_is_told() -> None:
    found = _told(None, "a", "a", "b", "c")
    sentence = (
        "The trials of spin did not come to the same result, so they are not compared: "
        "0001-b1-baseline-spin on local told a, 0003-b3-baseline-spin on local told b."
    )
    assert difference(found[::-1], "spin") == sentence
    assert difference(found, "other") is None
    assert difference(_told("a", None, "a"), "spin") is None
    (doubt,) = result_doubts([*found, *_told("a", "a", name="other")])
    assert (doubt.code, worded(doubt).sentence) == ("result-differs", sentence)
    same = [
        *_told("a", "a"),
        *_told("c", "b", name="x"),
        *_told("d", None, name="also"),
        *_told(None, name="y"),
    ]
    assert list(result_sentences(same_results(same))) == [
        "The same result in every trial, on all arms, by its digest: also (d), spin (a)."
    ]


def test_an_arm_is_the_baseline_by_its_name_the_surest_first() -> None:
    assert choose_baseline(["host", "Bare Metal", "guest"], None, "t.csv") == (
        "host",
        ("the baseline is 'host', by its name",),
    )
    assert choose_baseline(["a", "b"], "b", "t.csv") == ("b", ())
    with pytest.raises(AnalysisError) as none:
        choose_baseline(["a", "b"], None, "t.csv")
    assert none.value.message == "cannot analyse t.csv: expected a baseline, got the arms a, b"
    assert none.value.hint == "name it: --baseline 'a'"
    with pytest.raises(AnalysisError) as alone:
        choose_baseline(["host"], None, "t.csv")
    assert alone.value.message == "cannot analyse t.csv: expected two arms or more, got 'host' alone"
    assert alone.value.hint == "a loss is that of one arm over another"


def test_four_machines_are_told_as_three_and_more() -> None:
    assert _named({"c", "a", "b"}) == "a, b, c"
    assert _named({"c", "a", "b", "d"}) == "a, b, c, …"
    assert check_machines(columns([]), "host", []) is None  # type: ignore[func-returns-value]
