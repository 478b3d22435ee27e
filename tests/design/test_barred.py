"""What the page does not measure steers no ending either."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assay.activities.schedule import look_text
from assay.design import ending_of, plan_trials
from assay.design.ending import comparisons_of, judged_rows, metered_of
from assay.model.activity import ActivityPlan
from assay.model.extension import Ending
from assay.model.goal import Goal, Shape
from assay.model.metric import Measurement
from assay.model.trial import Arm, Trial
from assay.model.work.storage import DEVICE, READER
from assay.model.work.workload import Workload
from assay.report.doubts import worded
from assay.results.doubts.level_doubts import level_doubts
from assay.results.outcome import build_page
from tests.builders import WORKLOAD, plan_of, record_of
from tests.results.test_same_result import SERVED

TRIALS = plan_trials(("good", "bad"), blocks=20, seed=3, shape=Shape.PAIRS)
BOTH = tuple(replace(WORKLOAD, name=name) for name in ("good", "bad"))
WANTED = Goal(adaptive=True, minimum_blocks=6, shape=Shape.PAIRS)


def plan(workloads: Sequence[Workload] = BOTH, **goal: object) -> ActivityPlan:
    names = [workload.name for workload in workloads]
    trials = tuple(
        replace(trial, index=at) for at, trial in enumerate(one for one in TRIALS if one.workload in names)
    )
    return plan_of(trials, goal=replace(WANTED, **goal), workloads=tuple(workloads))  # type: ignore[arg-type]


def records(of: ActivityPlan, blocks: int, *, alike: bool = False) -> list[Trial]:
    """Return records of which those of ``bad`` scatter by half and come to other results in the treatment."""
    found = []
    for trial in of.trials:
        bad, treated = trial.workload == "bad", trial.arm is Arm.TREATMENT
        value = (50.0 if treated else 100.0) + trial.block % 3
        if bad and treated:
            value = 150.0 if trial.block % 2 else 60.0
        digest = ("other" if bad and treated and not alike else "one") + trial.workload
        found.append(record_of(trial, value, result_digest=digest))
    return [record for record in found if record.planned.block < blocks]


def test_a_row_without_a_loss_neither_holds_an_activity_up_nor_counts_among_the_others() -> None:
    of = plan()
    assert ending_of(of, records(of, 6, alike=True)) is None
    barred = records(of, 6)
    assert ending_of(of, barred) is Ending.REACHED
    assert [name for name, _, _ in metered_of(of, barred)] == ["good"]
    assert [len(metrics) for metrics in comparisons_of(of, barred)] == [1]
    assert (judged_rows(of, barred), judged_rows(of, records(of, 6, alike=True))) == (1, 2)
    shown = {row.workload: (row.verdict, row.confidence) for row in build_page(of, barred).estimates}
    assert shown["good"] == ("loss", 0.95)
    assert shown["bad"][0] == "not measured"


def test_it_is_in_no_look_and_no_precision_is_missed_for_it() -> None:
    of = plan(precision=0.05)
    text = look_text(of, records(of, 6)) or ""
    assert "good events" in text
    assert "bad" not in text
    for alike, missed in ((True, ["bad"]), (False, [])):
        found = level_doubts(of, records(of, 20, alike=alike))
        assert [worded(d).sentence.split()[5] for d in found if d.code == "precision-not-reached"] == missed


def test_where_nothing_bears_a_loss_further_blocks_are_of_no_use() -> None:
    of = plan(BOTH[1:])
    assert ending_of(of, records(of, 5)) is None
    assert ending_of(of, records(of, 6)) is Ending.NEVER
    assert look_text(of, records(of, 6)) is None


def test_what_a_server_read_for_the_job_is_left_out_alone() -> None:
    of = plan([replace(BOTH[0], parser=READER, metrics=(*WORKLOAD.metrics, DEVICE))])
    both = [
        replace(one, measurements=(*one.measurements, Measurement(DEVICE, one.measurements[0].value)))
        for one in records(of, 6)
    ]
    assert [metric for _, metric, _ in metered_of(of, both)] == ["events", "device_rate"]
    served = [replace(one, data=SERVED) for one in both]
    assert [metric for _, metric, _ in metered_of(of, served)] == ["events"]


def test_files_of_other_sizes_end_an_activity_like_other_results() -> None:
    of = plan()
    reported = [
        replace(one, file_bytes=(2 if one.planned.arm is Arm.TREATMENT else 1) << 30)
        if one.planned.workload == "bad"
        else one
        for one in records(of, 6, alike=True)
    ]
    assert ending_of(of, reported) is Ending.REACHED
    assert [name for name, _, _ in metered_of(of, reported)] == ["good"]
