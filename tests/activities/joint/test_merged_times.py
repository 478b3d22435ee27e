"""Moments and times of several guests' clocks on the controller's: one known answer for each."""

from __future__ import annotations

from dataclasses import replace

from assay.activities.joint.merged_times import copies_of, on_controller, phases_of, seconds_after
from assay.model.machines.clock import ClockCheck, ClockReading, Instant
from assay.model.trial import CopyUsage
from assay.model.work.phase import PhaseTime

S = 10**9
BEFORE = ClockReading(here_ns=10 * S, there_ns=2 * S, offset_s=3.0, uncertainty_s=0.001)
CLOCK = ClockCheck(BEFORE, replace(BEFORE, here_ns=20 * S, there_ns=22 * S), 2.0, 1e-4)
"""Twice as fast as the controller's, and 8 s behind it at the start."""
COPY = CopyUsage(0, (1,), (), Instant(4 * S, 50 * S), Instant(8 * S, 52 * S), 0, None, 4.0, 3.0, 1.0, 100)
PHASE = PhaseTime(0, "init", Instant(4 * S, 50 * S), Instant(8 * S, 52 * S), 4.0, 3.0, 1.0, 7)


def test_a_moment_is_moved_by_the_reading_before_and_the_rate() -> None:
    assert on_controller(Instant(4 * S, 50 * S), CLOCK) == Instant(11 * S, 47 * S)
    assert on_controller(Instant(2 * S + 1, 3 * S), CLOCK) == Instant(10 * S, 0), "half a nanosecond is none"


def test_seconds_after_a_moment_are_the_controller_s() -> None:
    assert seconds_after(9 * S, Instant(4 * S, 50 * S), CLOCK) == 2.0
    assert seconds_after(9 * S, Instant(4 * S, 50 * S), None) == -5.0


def test_copies_are_numbered_through_all_guests_however_many_each_told_of() -> None:
    second = replace(COPY, copy=1)
    parts = [((COPY, second), None, 1.0), ((COPY,), CLOCK, 2.0), ((COPY, second), None, 1.0)]
    assert [one.copy for one in copies_of(parts)] == [0, 1, 2, 3, 4]


def test_a_copy_s_times_are_those_of_the_controller_and_nothing_else_of_it_changes() -> None:
    (found,) = copies_of([((COPY,), CLOCK, 2.0)])
    moved = {"started": Instant(11 * S, 47 * S), "ended": Instant(13 * S, 49 * S)}
    assert found == replace(COPY, **moved, wall_s=2.0, user_s=1.5, system_s=0.5)


def test_what_a_copy_never_came_to_stays_unknown() -> None:
    absent = replace(COPY, started=None, ended=None, wall_s=None, user_s=None, system_s=None)
    assert list(copies_of([((absent,), CLOCK, 2.0)])) == [absent]
    idle = replace(COPY, user_s=0.0, system_s=0.0)
    (found,) = copies_of([((idle,), CLOCK, 2.0)])
    assert (found.user_s, found.system_s) == (0.0, 0.0)


def test_phases_of_the_second_guest_are_those_of_its_own_copies() -> None:
    parts = [((PHASE, replace(PHASE, copy=1)), None, 1.0), ((PHASE, replace(PHASE, copy=1)), CLOCK, 2.0)]
    assert [one.copy for one in phases_of(parts, 2)] == [0, 1, 2, 3]
    assert [one.copy for one in phases_of([((PHASE,), None, 1.0)] * 3, 1)] == [0, 1, 2]


def test_a_phase_s_times_are_the_controller_s_and_the_cpu_of_all_beside_it_is_not_told() -> None:
    (found,) = phases_of([((PHASE,), CLOCK, 2.0)], 1)
    assert found == PhaseTime(
        0, "init", Instant(11 * S, 47 * S), Instant(13 * S, 49 * S), 2.0, None, None, events=7
    )
