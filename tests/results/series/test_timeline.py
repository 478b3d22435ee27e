"""From what the probe wrote to a trial over time; the series are of a real job of three phases and 120
events.
"""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from assay.model.machines.clock import ClockCheck, ClockReading, Instant
from assay.model.trial import Arm, CopyUsage, PlannedTrial, State, Trial
from assay.model.work.phase import PhaseTime
from assay.pages.track import Track
from assay.probe import parse_phase_events, parse_series
from assay.results.losses.spans import phase_spans
from assay.results.series.timeline import timelines, track
from tests.builders import plan_of, record_of

SERIES = Path(__file__).parents[1] / "series"
SAMPLES, TOLD = (SERIES / "samples.csv").read_bytes(), (SERIES / "phases.csv").read_bytes()
ZERO_NS = int(parse_series(SAMPLES)["mono_ns"][0])
HOST = PlannedTrial(0, 0, 0, Arm.BASELINE, 0, "spin")


def _trial(rate: float = 1.0) -> Trial:
    before = ClockReading(1_000_000_000, ZERO_NS - 500_000_000, 0.0, 0.0002)
    after = replace(before, here_ns=before.here_ns + 9_000_000_000)
    clock = None if rate == 1.0 else ClockCheck(before, after, rate, 0.0001)
    copy = CopyUsage(
        0, (1,), (), Instant(ZERO_NS, 0), Instant(ZERO_NS + 5_564_000_000, 0), 0, None, 5.564, 5.0, 0.5, 1
    )
    usage = replace(record_of(HOST, 1.0).usage, wall_s=5.564)  # type: ignore[type-var]
    phases = tuple(
        PhaseTime(
            0, name, Instant(ZERO_NS + start, 0), Instant(ZERO_NS + end, 0), (end - start) / 1e9, 1.0, 0.5, 7
        )
        for name, start, end in (("init", 0, 1_391_000_000), ("event-loop", 1_391_000_000, 5_564_000_000))
    )
    return record_of(HOST, 1.0, clock=clock, usage=usage, copies=(copy,), phases=phases)


def _sum(made: Track, quantity: str) -> float:
    (line,) = [line for line in made.lines if line.quantity == quantity]
    steps = zip(line.values, made.bounds_s, made.bounds_s[1:], strict=False)
    return sum((value or 0) * (end - begin) for value, begin, end in steps)


def test_the_steps_of_cpu_time_add_up_to_the_last_sample() -> None:
    made = track(_trial(), "host", samples=parse_series(SAMPLES), reported=parse_phase_events(TOLD))
    series = parse_series(SAMPLES)
    assert _sum(made, "job_user") == pytest.approx(series["job_user_s"][-1] - series["job_user_s"][0])
    assert made.bounds_s[0] == 0.0
    assert made.uncertainty_s is None


def test_all_events_are_found_in_the_steps() -> None:
    assert _sum(
        track(_trial(), "host", samples=parse_series(SAMPLES), reported=parse_phase_events(TOLD)), "events"
    ) == pytest.approx(120)


def test_moments_of_a_clock_that_runs_fast_are_brought_to_the_controllers() -> None:
    right, fast = (track(_trial(rate), "guest", samples=parse_series(SAMPLES)) for rate in (1.0, 1.005))
    assert fast.bounds_s[-1] == pytest.approx(right.bounds_s[-1] / 1.005)
    assert fast.wall_s == pytest.approx(5.564 / 1.005)
    assert fast.uncertainty_s == pytest.approx(0.0001 * fast.wall_s)
    # both the seconds used and the seconds passed are of that clock: the cores used stay the same
    assert _sum(fast, "job_user") / fast.bounds_s[-1] == pytest.approx(
        _sum(right, "job_user") / right.bounds_s[-1]
    )
    # bytes are not seconds: all of them came in less time
    assert _sum(fast, "write") == pytest.approx(_sum(right, "write"))


def test_a_trials_phases_follow_its_release_and_share_its_time() -> None:
    init, loop = phase_spans(_trial())
    assert (init.started_s, init.ended_s) == (0.0, 1.391)
    assert (init.share, loop.share) == (pytest.approx(0.25), pytest.approx(0.75))


def test_a_damaged_series_is_read_as_far_as_it_is_whole() -> None:
    cut = parse_series(SAMPLES[:-20])
    assert len(cut["mono_ns"]) == len(parse_series(SAMPLES)["mono_ns"]) - 1
    assert parse_series(b"") == {}
    assert math.isnan(parse_series(b"a,b\n1,\n")["b"][0])
    assert parse_phase_events(b"mono_ns,real_ns,copy,phase,events\n1,1,x,,\n") == ()
    assert track(_trial(), "host", samples={}).bounds_s == ()


def test_the_first_block_with_both_arms_is_shown_unless_another_is_asked_for(tmp_path: Path) -> None:
    planned = [
        PlannedTrial(0, 0, 0, Arm.BASELINE, 0, "spin"), PlannedTrial(1, 0, 1, Arm.TREATMENT, 0, "spin"),
        PlannedTrial(2, 1, 0, Arm.TREATMENT, 0, "spin"), PlannedTrial(3, 1, 1, Arm.BASELINE, 0, "spin"),
        PlannedTrial(4, 1, 2, Arm.BASELINE, 1, "spin"),
    ]  # fmt: skip
    records = [record_of(p, 1.0) for p in planned]
    records[1] = replace(records[1], state=State.FAILED)
    for record in records:
        place = tmp_path / "trials" / record.planned.name
        place.mkdir(parents=True)
        (place / "samples.csv").write_bytes(SAMPLES)
    (shown,) = timelines(plan_of(tuple(planned)), records, tmp_path)
    assert (shown.block, [t.trial for t in shown.tracks]) == (
        1,
        ["0003-b1-baseline-spin", "0002-b1-treatment-spin"],
    )
    (asked,) = timelines(plan_of(tuple(planned)), records, tmp_path, block=0)
    assert [t.trial for t in asked.tracks] == ["0000-b0-baseline-spin"]
    assert timelines(plan_of(tuple(planned)), records, tmp_path / "nowhere") == ()


def long_series() -> dict[str, np.ndarray]:
    """Return an hour at 10 Hz: a core and a megabyte, a spike of both in one sample, one missing, a gap."""
    moments = ZERO_NS + 1e8 * np.arange(36_001)
    moments[30_000:] += 60e9
    cpu = 0.1 * np.arange(36_001)
    cpu[20_000:] += 0.7  # one sample of eight cores
    cpu[10_000] = math.nan
    held = np.full(36_001, 1e6)
    held[12_345], held[0], held[-1], held[5_000] = 9e6, 2e6, 3e6, 0.0
    return {"mono_ns": moments, "job_user_s": cpu, "job_rss_bytes": held}


def test_a_spike_of_one_sample_survives_the_joining_of_samples() -> None:
    made = track(_trial(), "host", samples=long_series())
    user, held = made.lines
    assert (len(made.bounds_s), len(user.values), len(user.least), len(user.most)) == (241, 240, 240, 240)
    (at,) = [at for at, most in enumerate(user.most) if most is not None and most > 1.5]
    assert user.most[at] == pytest.approx(8.0)
    assert made.bounds_s[at] < 2000.0 <= made.bounds_s[at + 1]
    assert user.values[at] == pytest.approx(1.0, abs=0.05)
    assert max(value or 0 for value in held.most) == 9e6
    assert min(value or 0 for value in held.least) == 0.0


def test_first_last_gaps_and_missing_values_stay_where_samples_are_joined() -> None:
    made = track(_trial(), "host", samples=long_series())
    user, held = made.lines
    assert (made.bounds_s[0], made.bounds_s[-1]) == (0.0, pytest.approx(3660.0))
    assert (held.most[0], held.most[-1]) == (2e6, 3e6)
    # 150 samples a step: the 10,000th lies within one, whose other samples are known
    assert None not in user.values
    assert user.least[66] == pytest.approx(1.0)
    # the minute without samples is one interval of its step
    assert user.least[199] == pytest.approx(0.1 / 60.1, rel=1e-3)
    bare = long_series() | {"job_user_s": np.full(36_001, math.nan)}
    untold = track(_trial(), "host", samples=bare).lines[0]
    assert {*untold.values, *untold.least, *untold.most} == {None}


def test_samples_that_are_not_joined_have_no_range() -> None:
    made = track(_trial(), "host", samples=parse_series(SAMPLES))
    assert all(line.least == line.most == () for line in made.lines)
