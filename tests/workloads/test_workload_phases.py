"""Phases as figures, and the figures of copies together."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.model.machines.clock import Instant
from assay.model.metric import Direction, Measurement, Metric, OfCopies
from assay.model.trial import Usage
from assay.model.work.phase import Mark, PhaseRules, PhaseTime
from assay.model.work.placement import PlacementSpec
from assay.workloads import Sizes, command_workload, measure, phase_metrics, tells_usage, with_parameters
from assay.workloads.copies import one_after_another, together
from assay.workloads.parameters import Parameters
from assay.workloads.phases import measure_phases

RULES = PhaseRules((Mark("event-loop", "^Begin"), Mark("end", "^End")), events="event")
RATE = Metric("rate", "MB/s", Direction.HIGHER)
TIME = Metric("time", "s", Direction.LOWER)
USAGE = Usage(wall_s=9.0, user_s=1.0, system_s=0.5, rss_bytes=1, read_bytes=None, write_bytes=None)


def stay(phase: str, wall_s: float, *, copy: int = 0, events: int | None = None) -> PhaseTime:
    return PhaseTime(copy, phase, Instant(0, 0), Instant(0, 0), wall_s, None, None, events)


def values(rules: PhaseRules | None, *reported: PhaseTime, copies: int = 1) -> dict[str, float | None]:
    return {m.metric.name: m.value for m in measure_phases(rules, reported, copies=copies)}


def test_initialization_and_event_loop_are_figures_of_their_own() -> None:
    reported = (stay("init", 2.0, events=0), stay("event-loop", 5.0, events=100), stay("end", 0.5, events=1))
    expected = {"init_time": 2.0, "event_loop_time": 5.0, "end_time": 0.5, "events_per_s": 20.0}
    assert values(RULES, *reported) == expected
    assert tuple(expected) == tuple(metric.name for metric in phase_metrics(RULES))


def test_what_was_promised_and_not_told_is_not_measured() -> None:
    found = values(RULES, stay("init", 2.0), stay("event-loop", 5.0))
    assert found == {"init_time": 2.0, "event_loop_time": 5.0, "end_time": None, "events_per_s": None}
    assert set(values(RULES).values()) == {None}


def test_a_phase_that_comes_again_counts_together() -> None:
    assert values(RULES, stay("init", 1.0), stay("event-loop", 2.0), stay("init", 0.5))["init_time"] == 1.5


def test_a_program_that_tells_phases_itself_may_tell_any() -> None:
    reported = (stay("init", 1.0), stay("merge", 3.0))
    assert values(PhaseRules(announce=True), *reported) == {"init_time": 1.0, "merge_time": 3.0}
    assert phase_metrics(PhaseRules(announce=True)) == ()
    assert values(None, *reported) == {}


def test_the_times_of_copies_are_averaged_and_their_events_add_up() -> None:
    reported = (
        stay("init", 1.0, copy=0, events=0),
        stay("event-loop", 4.0, copy=0, events=100),
        stay("init", 3.0, copy=1, events=0),
        stay("event-loop", 5.0, copy=1, events=100),
    )
    found = values(RULES, *reported, copies=2)
    assert (found["init_time"], found["event_loop_time"], found["events_per_s"]) == (2.0, 4.5, 45.0)


def test_a_phase_that_one_copy_did_not_tell_of_is_not_measured() -> None:
    reported = (stay("init", 1.0, copy=0), stay("event-loop", 4.0, copy=0), stay("init", 3.0, copy=1))
    assert values(RULES, *reported, copies=2)["event_loop_time"] is None


def test_rates_of_copies_are_summed_and_times_averaged() -> None:
    first = (Measurement(RATE, 10.0), Measurement(TIME, 2.0))
    second = (Measurement(RATE, 30.0), Measurement(TIME, 4.0))
    assert together([first, second]) == (Measurement(RATE, 40.0), Measurement(TIME, 3.0))
    assert together([first]) == first


def test_rates_of_copies_that_ran_one_after_another_are_work_over_the_whole_time() -> None:
    first = (Measurement(RATE, 10.0), Measurement(TIME, 2.0))
    second = (Measurement(RATE, 30.0), Measurement(TIME, 4.0))
    found = one_after_another([first, second], [0.5, 0.25])
    assert found == (Measurement(RATE, 12.5), Measurement(TIME, 3.0))


def test_scores_by_cpu_time_know_no_stagger_and_are_summed_or_averaged_as_they_say() -> None:
    total, each, least = (replace(RATE, name=of, of_copies=of) for of in OfCopies)
    counted = replace(RATE, name="counted", timed=False)
    copies = [
        tuple(Measurement(metric, value) for metric in (total, each, least, counted))
        for value in (20.0, 40.0)
    ]
    expected = tuple(
        Measurement(metric, value)
        for metric, value in ((total, 60.0), (each, 30.0), (least, 20.0), (counted, 60.0))
    )
    assert together(copies) == expected
    assert one_after_another(copies, [0.5, 0.5]) == expected


@pytest.mark.parametrize("name", ["data-read", "root-analysis", "chain-detsim"])
def test_times_of_the_whole_job_are_the_jobs_own_whatever_its_guests_say(name: str) -> None:
    assert tells_usage(with_parameters(name, Parameters(), sizes=Sizes(None, 1 << 30, 1)))


def test_a_sum_without_one_copy_is_no_sum() -> None:
    assert together([(Measurement(RATE, 10.0),), (Measurement(RATE, None),)]) == (Measurement(RATE, None),)
    assert together([(Measurement(RATE, 10.0),), ()]) == (Measurement(RATE, None),)


def test_each_copy_of_a_ready_workload_is_read_by_its_parser() -> None:
    flops = with_parameters("flops", Parameters(), sizes=Sizes(None, 1 << 30, 1))
    flops = replace(flops, placement=PlacementSpec(copies=2))
    outputs = [b'{"kernel": "flops", "flop_per_s": 1e9}', b'{"kernel": "flops", "flop_per_s": 3e9}']
    (figure,) = measure(flops, outputs=outputs, usage=USAGE)
    assert figure.value == pytest.approx(4000.0)


def test_the_wall_time_of_copies_is_the_job_s_and_phases_come_after_it() -> None:
    job = replace(command_workload("job", ["job"]), placement=PlacementSpec(copies=2), phases=RULES)
    reported = [stay("init", 1.0, copy=0), stay("init", 3.0, copy=1)]
    found = {m.metric.name: m.value for m in measure(job, outputs=[b"", b""], usage=USAGE, phases=reported)}
    assert (found["wall_time"], found["cpu_time"], found["init_time"]) == (9.0, 1.5, 2.0)
    assert list(found)[:3] == ["wall_time", "cpu_time", "init_time"]


def test_the_probe_as_a_program_needs_no_program_of_its_own() -> None:
    assert command_workload("job", ["{probe}", "kernel", "flops"]).program is None
