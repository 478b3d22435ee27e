"""How a trial's time is divided, stay by stay, against answers by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assay.explain.split import REST, WHOLE, Use
from assay.model.machines.clock import Instant
from assay.model.machines.machine import Limits
from assay.model.trial import Arm, CopyUsage, PlannedTrial, Trial, Usage
from assay.model.work.phase import PhaseTime
from assay.results.budgets.uses import ReportedUses, reported, serial_phases
from assay.results.series.waits import Meters
from tests.builders import clock_check, record_of

SECOND = 10**9
PLANNED = PlannedTrial(0, 0, 0, Arm.BASELINE, 0, "spin")
JOB = Usage(10.0, 4.0, 1.0, 1 << 20, 0, 0, run_queue_s=0.0, block_io_s=0.0)


def found(
    usage: Usage | None,
    *,
    parallelism: int = 1,
    threads: int = 1,
    folder: Path = Path("/nonexistent"),
    **changes: object,
) -> ReportedUses | None:
    """Return what a trial tells of its time."""
    trial = record_of(PLANNED, None, **{"usage": usage, "limits": Limits((0, 1)), **changes})
    return reported(trial, Meters(folder), parallelism=parallelism, threads=threads)


def uses(usage: Usage, **changes: object) -> tuple[Use, ...]:
    """Return what its job used."""
    made = found(usage, **changes)  # type: ignore[arg-type]
    assert made is not None
    return made.uses


def only(usage: Usage, **changes: object) -> tuple[float, float]:
    """Return the waits of a job that is taken as a whole: for storage and for a processor."""
    (use,) = uses(usage, **changes)
    assert use.phase == WHOLE
    assert (use.wall_s, use.user_s, use.system_s) == (usage.wall_s, usage.user_s, usage.system_s)
    return use.io_s, use.queue_s


def stay(name: str, start: float, wall_s: float, *, copy: int = 0, **waits: float | None) -> PhaseTime:
    """Return a phase that computes for half of its time."""
    begun, ended = (Instant(round(s * SECOND), 0) for s in (start, start + wall_s))
    told_ = {"run_queue_s": 0.0, "block_io_s": 0.0} | waits
    return PhaseTime(copy, name, begun, ended, wall_s, wall_s / 4, wall_s / 4, None, **told_)


@pytest.mark.parametrize(
    ("usage", "waits"),
    [
        (replace(JOB, block_io_s=2.0, run_queue_s=1.0), (2.0, 1.0)),
        (replace(JOB, block_io_s=2.0, run_queue_s=1.0, steal_s=0.5, io_wait_s=3.0), (2.0, 1.5)),
        (
            replace(JOB, io_wait_s=0.0, block_io_s=2.0, run_queue_s=1.0, steal_s=9.0),
            (2.0, 3.0),
        ),  # 2 s are left
        (
            replace(JOB, io_wait_s=0.0, block_io_s=9.0, run_queue_s=1.0, steal_s=9.0),
            (9.0, 1.0),
        ),  # nothing is left
        (replace(JOB, block_io_s=None, io_wait_s=3.0, run_queue_s=1.0, steal_s=0.5), (3.0, 1.5)),
        (replace(JOB, block_io_s=None, io_wait_s=9.0, run_queue_s=1.0, steal_s=0.5), (3.5, 1.5)),
        (replace(JOB, block_io_s=None, run_queue_s=None, io_wait_s=1.0, steal_s=2.0), (1.0, 2.0)),
        (replace(JOB, block_io_s=None, run_queue_s=None), (0.0, 0.0)),
    ],
)
def test_waits_of_a_serial_job_are_its_own_and_others_go_no_further_than_what_is_left(
    usage: Usage, waits: tuple[float, float]
) -> None:
    assert only(usage) == pytest.approx(waits)


def test_the_room_of_waits_is_that_of_all_lanes() -> None:
    usage = replace(JOB, io_wait_s=0.0, block_io_s=2.0, run_queue_s=1.0, steal_s=20.0)
    assert only(usage, parallelism=2, threads=2) == pytest.approx((2.0, 13.0))


@pytest.mark.parametrize(
    ("usage", "source"),
    [
        (JOB, ("job", "job")),
        (replace(JOB, block_io_s=None, io_wait_s=1.0), ("processors", "job")),
        (replace(JOB, run_queue_s=None), ("job", "none")),
        (replace(JOB, run_queue_s=None, steal_s=1.0, io_wait_s=1.0), ("job", "processors")),
        (replace(JOB, run_queue_s=None, throttled_s=1.0), ("job", "job")),
    ],
)
def test_who_told_of_waits_is_kept(usage: Usage, source: tuple[str, str]) -> None:
    made = found(usage)
    assert made is not None
    assert (made.io, made.queue) == source


@pytest.mark.parametrize(
    ("usage", "waits"),
    [
        # not told when processors were idle: storage first, in 5 s of room
        (replace(JOB, block_io_s=2.0, run_queue_s=30.0), (2.0, 3.0)),
        (replace(JOB, block_io_s=9.0, run_queue_s=30.0), (5.0, 0.0)),
        (replace(JOB, block_io_s=2.0, run_queue_s=1.0), (2.0, 1.0)),
        (replace(JOB, io_wait_s=0.0, block_io_s=9.0, run_queue_s=1.0, steal_s=0.5), (4.5, 0.5)),
        # idle for 2 s: no queue then, and 3 s of others are shared by queue and what is left of storage
        (replace(JOB, io_wait_s=0.0, block_io_s=1.0, run_queue_s=30.0, idle_s=2.0), (1.0, 3.0)),
        (replace(JOB, io_wait_s=0.0, block_io_s=4.0, run_queue_s=4.0, idle_s=2.0), (2.0 + 1.0, 2.0)),
        (replace(JOB, block_io_s=1.0, run_queue_s=30.0, idle_s=1.0, io_wait_s=1.0), (1.0, 3.0)),
        (replace(JOB, io_wait_s=0.0, block_io_s=1.0, run_queue_s=30.0, idle_s=9.0), (1.0, 0.0)),
        (replace(JOB, io_wait_s=0.0, block_io_s=0.0, run_queue_s=1.0, idle_s=2.0), (0.0, 1.0)),
        (replace(JOB, io_wait_s=0.0, block_io_s=0.0, run_queue_s=0.0, idle_s=0.0), (0.0, 0.0)),
        (replace(JOB, block_io_s=None, run_queue_s=30.0, idle_s=1.0, io_wait_s=1.0), (1.0, 3.0)),
    ],
)
def test_waits_of_a_crowd_go_no_further_than_what_cpu_time_leaves(
    usage: Usage, waits: tuple[float, float]
) -> None:
    one = {"limits": Limits((1,))}
    assert only(usage, threads=3, **one) == pytest.approx(waits)


def test_processors_that_are_no_lanes_are_idle_by_themselves() -> None:
    """Of two processors one is used: of 12 idle seconds 10 are the other's."""
    usage = replace(JOB, io_wait_s=0.0, block_io_s=1.0, run_queue_s=30.0, idle_s=12.0)
    assert only(usage, threads=3) == pytest.approx((1.0, 3.0))
    assert only(replace(usage, idle_s=9.0), threads=3) == pytest.approx((5 / 31, 5 * 30 / 31))
    anywhere = only(usage, threads=3, limits=Limits())  # the machine has two
    assert anywhere == pytest.approx((1.0, 3.0))


@pytest.mark.parametrize(
    ("usage", "threads", "queue_s"),
    [
        (replace(JOB, throttled_s=3.0, run_queue_s=1.0), 1, 3.0),  # 2 s of them were not queued for
        (replace(JOB, throttled_s=3.0, run_queue_s=4.0), 1, 4.0),
        (replace(JOB, throttled_s=30.0, run_queue_s=1.0), 1, 5.0),  # all that was idle
        (replace(JOB, throttled_s=3.0, run_queue_s=None), 1, 3.0),
        (replace(JOB, io_wait_s=0.0, throttled_s=2.0, run_queue_s=1.0, idle_s=4.0), 3, 1.0 + 2.0),
        (replace(JOB, throttled_s=2.0, run_queue_s=1.0), 3, 2.0),
    ],
)
def test_time_under_a_quota_that_no_queue_holds_is_taken_from_idle_time(
    usage: Usage, threads: int, queue_s: float
) -> None:
    assert only(usage, threads=threads, limits=Limits((1,)))[1] == pytest.approx(queue_s)


def test_time_under_a_quota_is_shared_out_by_what_is_idle_in_each_phase() -> None:
    """Phases of 2 and 6 s are idle for 1 and 3 s, and the rest of 2 s for all of it: 3 of 6 s are
    throttled.
    """
    phases = (stay("init", 1.0, 2.0), stay("loop", 3.0, 6.0))
    usage = replace(JOB, user_s=2.0, system_s=2.0, throttled_s=3.0)
    init, loop, rest = uses(usage, phases=phases)
    assert [use.queue_s for use in (init, loop, rest)] == pytest.approx([0.5, 1.5, 1.0])


def test_phases_and_what_they_leave_make_up_the_job() -> None:
    phases = (stay("init", 1.0, 2.0, block_io_s=0.5), stay("loop", 3.0, 6.0, run_queue_s=0.25))
    usage = replace(JOB, user_s=2.5, system_s=2.25, block_io_s=0.75, run_queue_s=0.5)
    assert uses(usage, phases=phases) == (
        Use("init", 2.0, 0.5, 0.5, 0.5, 0.0),
        Use("loop", 6.0, 1.5, 1.5, 0.0, 0.25),
        Use(REST, 2.0, 0.5, 0.25, 0.25, 0.25),
    )


def test_a_wait_that_a_phase_has_no_room_for_goes_to_the_phase_before() -> None:
    """The loop has 3 s of room for 4 s of storage and 2 s of queue: half of each is kept, the first takes the
    others.
    """
    phases = (stay("init", 1.0, 4.0), stay("loop", 5.0, 6.0, block_io_s=4.0, run_queue_s=2.0))
    usage = replace(JOB, wall_s=10.0, user_s=2.5, system_s=2.5, block_io_s=4.0, run_queue_s=2.0)
    init, loop, rest = uses(usage, phases=phases)
    assert (loop.io_s, loop.queue_s) == pytest.approx((2.0, 1.0))
    assert (init.io_s, init.queue_s) == pytest.approx((2.0, 1.0))  # the first keeps what it has no room for
    assert (rest.io_s, rest.queue_s) == (0.0, 0.0)


def test_phases_are_told_apart_where_one_copy_tells_its_cpu_time() -> None:
    one, other = stay("init", 1.0, 2.0), stay("init", 1.0, 2.0, copy=1)
    trial = record_of(PLANNED, None)

    def told_apart(*phases: PhaseTime) -> bool:
        return serial_phases(replace(trial, phases=phases))

    assert told_apart(one, one) is True
    assert told_apart(one, other) is False
    assert told_apart() is False
    assert told_apart(one, replace(one, user_s=None)) is False
    assert told_apart(replace(one, system_s=None)) is False
    (whole,) = uses(JOB, phases=(one, other))
    assert whole.phase == WHOLE


def test_all_seconds_are_brought_to_the_hosts_clock() -> None:
    usage = replace(JOB, block_io_s=2.0, run_queue_s=1.0)
    (use,) = uses(usage, clock=clock_check(1.005))
    assert use == Use(WHOLE, *(pytest.approx(s / 1.005) for s in (10.0, 4.0, 1.0, 2.0, 1.0)))


def test_a_job_that_did_not_run_or_whose_clock_is_not_trusted_tells_nothing() -> None:
    assert found(None) is None
    assert found(replace(JOB, wall_s=0.0)) is None
    assert found(JOB, clock=clock_check(1.5)) is None


def copy_from(start: float) -> CopyUsage:
    """Return a copy that was released then."""
    begun, ended = (Instant(round(at * SECOND), 0) for at in (start, start + 10.0))
    return CopyUsage(0, (1,), (), begun, ended, 0, None, 10.0, 5.0, 0.0, 1)


@pytest.mark.parametrize(
    ("changes", "queue_s"),
    [
        ({"copies": (copy_from(110.0), copy_from(112.0))}, 2.0),  # from 110 to 120 s
        ({}, 1.0),  # from the first sample at 100 s on
        ({"phases": (stay("init", 120.0, 5.0, copy=0), stay("init", 120.0, 5.0, copy=1))}, 3.0),
    ],
)
def test_series_are_read_from_the_release_on(
    tmp_path: Path, changes: dict[str, object], queue_s: float
) -> None:
    """The queue grows by 0.1 s a second, then by 0.2 and by 0.3."""
    (tmp_path / "samples.csv").write_text("mono_ns\n100000000000\n")
    rows = zip((100, 110, 120, 130), (0, 1, 3, 6), strict=True)
    lines = "".join(f"{at * SECOND},{seconds},0\n" for at, seconds in rows)
    (tmp_path / "delay.csv").write_text(f"mono_ns,run_queue_s,block_io_s\n{lines}")
    bare = replace(JOB, run_queue_s=None, block_io_s=None)
    assert only(bare, folder=tmp_path, **changes)[1] == pytest.approx(queue_s)


def test_series_are_read_of_each_phase_apart(tmp_path: Path) -> None:
    (tmp_path / "samples.csv").write_text("mono_ns\n100000000000\n")
    lines = "".join(f"{at * SECOND},{seconds},0\n" for at, seconds in ((100, 0), (104, 1), (110, 1.5)))
    (tmp_path / "delay.csv").write_text(f"mono_ns,run_queue_s,block_io_s\n{lines}")
    bare = replace(JOB, run_queue_s=None, block_io_s=None)
    phases = tuple(
        replace(phase, run_queue_s=None, block_io_s=None)
        for phase in (stay("init", 100.0, 4.0), stay("loop", 104.0, 6.0))
    )
    init, loop, rest = uses(bare, phases=phases, folder=tmp_path)
    assert (init.queue_s, loop.queue_s, rest.queue_s) == pytest.approx((1.0, 0.5, 0.0))


def test_the_record_of_a_trial_is_not_changed() -> None:
    trial: Trial = record_of(PLANNED, None, usage=JOB)
    assert reported(trial, Meters(Path("/nonexistent")), parallelism=1, threads=1) is not None
    assert trial == record_of(PLANNED, None, usage=JOB)
