"""Small formulas of results against answers by hand, and rules at their thresholds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from assay.design import plan_trials
from assay.model.trial import Arm, Trial
from assay.model.work.disturbance import Cause, HostOver
from assay.pages.context import Row
from assay.report.doubts import worded
from assay.results.doubts.rejections import rejection_doubts
from assay.results.outcome import build_page
from assay.results.series.waits import Meters, Waits, grown, io_source, queue_source, waits_of
from tests.builders import plan_of, record_of
from tests.results.test_outcome import PLAN, records

SECOND = 10**9


def test_a_value_below_zero_bears_no_loss_and_the_row_says_so() -> None:
    found = [
        replace(r, measurements=tuple(replace(m, value=-3.0) for m in r.measurements))
        if r.planned.arm is Arm.TREATMENT and r.planned.block == 1
        else r
        for r in records()
    ]
    (row,) = build_page(PLAN, found).estimates
    assert (row.blocks, row.reason) == (2, "-3 was measured: no slowdown can be formed with it")


def test_a_result_lasts_from_the_first_start_to_the_last_end() -> None:
    """Trials begin every ten seconds and take four: the ninth ends after 84 s."""
    result = build_page(PLAN, records()[::-1]).result
    assert (result.started, result.ended) == ("2023-11-14T22:13:20+00:00", "2023-11-14T22:14:44+00:00")
    late = [replace(r, ended_ns=r.ended_ns + 3600 * SECOND * (r.planned.index == 4)) for r in records()]
    assert build_page(PLAN, late).result.ended == "2023-11-14T23:14:04+00:00"
    assert build_page(PLAN, []).result.ended == "2023-11-14T22:13:20+00:00"


def _row() -> Row:
    (row,) = build_page(PLAN, records()).estimates
    return row


TRIALS = plan_trials(("spin",), blocks=20, seed=1)
HOST = HostOver(4.0, (1,), 2.0, 0.0, None, None, 900, 0.0)


def watched(arm: Arm, count: int, *, disturbed: bool) -> list[Trial]:
    """Return records of an arm whose host was read."""
    ours = [planned for planned in TRIALS if planned.arm is arm][:count]
    return [record_of(p, 1.0, host=HOST, disturbed_by=(Cause.SWAP,) if disturbed else ()) for p in ours]


def _codes(kept: list[Trial], rejected: list[Trial]) -> list[str]:
    return [doubt.code for doubt in rejection_doubts(kept, rejected)]


def test_arms_that_were_rejected_unequally_are_not_said_to_be_disturbed_unequally_too() -> None:
    quiet = [*watched(Arm.BASELINE, 20, disturbed=False), *watched(Arm.TREATMENT, 20, disturbed=False)]
    assert _codes(quiet, watched(Arm.TREATMENT, 8, disturbed=True)) == ["rejection-unequal"]


def test_disturbed_trials_that_were_kept_are_compared_where_rejections_are_alike() -> None:
    kept = [*watched(Arm.BASELINE, 20, disturbed=False), *watched(Arm.TREATMENT, 8, disturbed=True)]
    assert _codes(kept, []) == ["disturbance-unequal"]
    unread = [replace(trial, host=None) for trial in kept]
    assert _codes(unread, []) == []


@pytest.mark.parametrize(("hits", "unequal"), [(4, False), (5, True)])
def test_arms_are_unequal_below_a_probability_of_one_in_twenty(hits: int, unequal: bool) -> None:
    """By Fisher's exact test of 0 of 20 against 4 of 20, p = 0.106, and 5 of 20, p = 0.047."""
    lost = watched(Arm.TREATMENT, hits, disturbed=False)
    kept = [*watched(Arm.BASELINE, 20, disturbed=False), *watched(Arm.TREATMENT, 20 - hits, disturbed=False)]
    found = list(rejection_doubts(kept, lost))
    assert bool(found) is unequal
    if found:
        reported = worded(found[0])
        assert reported.sentence == (
            "The arms were not rejected equally often: 0 of 20 runs of the baseline and 5 of 20 "
            "runs of the treatment (Fisher's exact test: p = 0.047)."
        )
        assert reported.next == (
            "Look for what runs beside one arm only, such as helpers of the hypervisor, or what "
            "runs at the same times as this arm's visits; then measure again."
        )


ALL = Waits(10.0, 9.0, 8.0, 7.0, idle_s=6.0)


def test_what_phases_leave_of_a_jobs_waits_is_taken_off_one_by_one() -> None:
    parts = [Waits(1.0, 2.0, 3.0, 4.0, idle_s=5.0), Waits(0.5, 0.5, 0.5, 0.5, idle_s=0.5)]
    assert ALL.without(parts) == Waits(8.5, 6.5, 4.5, 2.5, idle_s=0.5)
    assert ALL.without([]) == ALL


def test_phases_that_tell_more_than_the_job_leave_nothing_and_not_less() -> None:
    assert ALL.without([Waits(11.0, 9.5, 8.5, 7.5, idle_s=6.5)]) == Waits(0.0, 0.0, 0.0, 0.0, idle_s=0.0)


def test_what_one_phase_does_not_tell_is_not_known_of_the_rest() -> None:
    parts = [Waits(1.0, 1.0, 1.0, 1.0, idle_s=1.0), Waits(None, 1.0, None, 1.0, idle_s=None)]
    assert ALL.without(parts) == Waits(None, 7.0, None, 5.0)
    assert Waits().without(parts) == Waits()


JOB, PROCESSORS, MACHINE, NOBODY = (
    Waits(block_io_s=1.0, run_queue_s=1.0),
    Waits(io_wait_s=1.0, steal_s=1.0),
    Waits(io_wait_s=1.0, steal_s=1.0, machine=True),
    Waits(),
)


@pytest.mark.parametrize(
    ("waits", "source"),
    [
        ((JOB, JOB), "job"),
        ((JOB, PROCESSORS), "none"),  # the job's own are not those of its processors
        ((PROCESSORS, PROCESSORS), "processors"),
        ((PROCESSORS, MACHINE), "machine"),
        ((PROCESSORS, NOBODY), "none"),
        ((NOBODY, NOBODY), "none"),
    ],
)
def test_who_tells_of_waits_tells_of_all_of_them(waits: tuple[Waits, ...], source: str) -> None:
    assert io_source(waits) == source
    assert queue_source(waits, throttled=False) == source
    assert queue_source(waits, throttled=True) == "job"


def test_a_usage_tells_its_waits() -> None:
    usage = records()[0].usage
    assert usage is not None
    reported = replace(usage, block_io_s=1.0, run_queue_s=2.0, io_wait_s=3.0, steal_s=4.0, idle_s=5.0)
    assert waits_of(reported) == Waits(1.0, 2.0, 3.0, 4.0, machine=False, idle_s=5.0)


SERIES = {"mono_ns": np.array([0.0, 10.0, 20.0, 30.0]), "queue_s": np.array([1.0, np.nan, 5.0, 4.0])}


@pytest.mark.parametrize(
    ("start_ns", "end_ns", "seconds"),
    [(0, 20, 4.0), (5, 15, 2.0), (0, 30, 3.0), (20, 30, 0.0), (-100, 100, 3.0), (10, 10, 0.0)],
)
def test_a_total_grows_evenly_between_known_samples_and_never_falls(
    start_ns: int, end_ns: int, seconds: float
) -> None:
    assert grown(SERIES, "queue_s", start_ns, end_ns) == pytest.approx(seconds)


def test_a_total_of_one_known_sample_or_of_none_has_not_grown() -> None:
    one = {"mono_ns": np.array([0.0, 10.0]), "queue_s": np.array([1.0, np.nan])}
    assert grown(one, "queue_s", 0, 10) is None
    assert grown(SERIES, "other", 0, 10) is None
    two = {"mono_ns": np.array([0.0, 10.0]), "queue_s": np.array([1.0, 3.0])}
    assert grown(two, "queue_s", 0, 10) == 2.0


def _written(folder: Path, **files: str) -> Meters:
    for name, text in files.items():
        (folder / f"{name}.csv").write_text(text)
    return Meters(folder)


def test_meters_fill_in_what_is_not_told(tmp_path: Path) -> None:
    meters = _written(
        tmp_path,
        delay="mono_ns,block_io_s,run_queue_s\n100,1,2\n200,2,4\n",
        samples="mono_ns,machine_iowait_s,machine_steal_s\n100,10,20\n200,13,24\n",
        memory="mono_ns,cache_bytes\n100,500\n150,\n200,300\n",
    )
    assert Waits().filled(meters, 100, 200) == Waits(1.0, 2.0, 3.0, 4.0, machine=True)
    reported = Waits(0.25, 0.5)
    assert reported.filled(meters, 100, 150) == Waits(0.25, 0.5, 1.5, 2.0, machine=True)
    own = Waits(None, None, 0.75, 0.5, idle_s=6.0)
    assert own.filled(meters, 100, 200) == Waits(1.0, 2.0, 0.75, 0.5, idle_s=6.0)
    assert (meters.most_cache, meters.first_ns) == (500.0, 100)


def test_meters_of_an_empty_folder_tell_nothing(tmp_path: Path) -> None:
    meters = Meters(tmp_path)
    assert Waits().filled(meters, 0, 10) == Waits(machine=True)
    assert (meters.most_cache, meters.first_ns) == (None, 0)
    assert _written(tmp_path, memory="mono_ns,cache_bytes\n1,\n").most_cache is None


def test_a_plan_without_trials_has_no_page_of_its_own_time() -> None:
    assert build_page(plan_of(()), []).result.started == "2023-11-14T22:13:20+00:00"
