"""Too short a job, and copies that differ."""

from __future__ import annotations

from dataclasses import replace

from assay.explain.sanity.wall import copies_differ, short_wall
from assay.report.doubts import worded
from tests.builders import WORKLOAD, clock_check
from tests.explain.sanity.both import QUIET, both, copies_of


def test_a_job_of_half_a_second_is_too_short_for_ticks_and_for_samples() -> None:
    (doubt,) = short_wall(both(replace(QUIET, wall_s=0.5)), 1.0)
    assert doubt.code == "short-wall"
    assert "0.5 s on host: a tick of 10 ms is 2% of that; samples are 1 s apart" in worded(doubt).sentence
    assert worded(doubt).next is not None
    assert "at least 2 s" in worded(doubt).next


def test_a_job_of_ten_seconds_is_long_enough_unless_samples_are_far_apart() -> None:
    pair = both(replace(QUIET, wall_s=10.0), replace(QUIET, wall_s=10.0))
    assert list(short_wall(pair, 1.0)) == []
    assert len(list(short_wall(pair, 6.0))) == 2


def test_a_member_of_an_event_scan_may_be_short() -> None:
    member = replace(WORKLOAD, family="job", events=1)
    assert list(short_wall(both(replace(QUIET, wall_s=0.1), workload=member), 1.0)) == []


def test_a_clock_that_is_not_well_known_over_a_trial_is_said() -> None:
    loose, tight = (clock_check(rate_uncertainty=known) for known in (0.006, 0.001))
    (doubt,) = short_wall(both(there={"clock": loose}), 1.0)
    assert "only known to 0.60%" in worded(doubt).sentence
    assert list(short_wall(both(there={"clock": tight}), 1.0)) == []


def test_copies_a_fifth_apart_are_doubted_and_copies_a_twentieth_apart_are_not() -> None:
    (doubt,) = copies_differ(
        both(here={"copies": copies_of(10.0, 11.0, 12.2)}, there={"copies": copies_of(10.0, 10.5)})
    )
    assert doubt.code == "copies-differ"
    assert "on host took 10 to 12.2 s, 20% of their median apart" in worded(doubt).sentence
    assert list(copies_differ(both(here={"copies": copies_of(10.0)}))) == []
