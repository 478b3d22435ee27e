"""Doubts of trials are told by the worst case and the median: 77 %, and not the 6.8 % of the first."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.design import plan_trials
from assay.model.doubt import Doubt
from assay.model.trial import Trial
from assay.model.work.page_cache import CacheCheck, CacheState, Residency
from assay.results.doubts.result import activity_doubts, trial_doubts
from assay.results.doubts.worst import FIGURES, worst_of
from tests.builders import clock_check, plan_of, record_of
from tests.results.test_outcome import fail

TRIALS = plan_trials(("spin",), blocks=2, seed=1)
PLAN = plan_of(TRIALS)


def doubted(code: str, *sentences: str) -> list[Trial]:
    """Return trials with a doubt each."""
    reported = zip(TRIALS, sentences, strict=False)
    return [record_of(trial, 1.0, doubts=(Doubt(code, sentence),)) for trial, sentence in reported]


def test_steal_is_told_by_its_worst_trial_and_the_median_of_all() -> None:
    records = doubted(
        "steal", *(f"{share}% of the processors' time was stolen." for share in (6.8, 98.0, 77.0))
    )
    (doubt,) = trial_doubts(PLAN, records)
    worst = records[1].planned
    label = PLAN.arm_of(worst).label
    assert doubt.count == 3
    assert doubt.sentence == (
        f"98.0% of the processors' time was stolen. (the worst of 3, 77.0% in the median: {label}, block "
        f"{worst.block}, spin; in all: spin)"
    )


def test_one_trial_and_equal_ones_are_told_as_they_are() -> None:
    (one,) = trial_doubts(PLAN, doubted("steal", "5.0% was stolen."))
    assert "worst" not in one.sentence
    (same,) = trial_doubts(PLAN, doubted("steal", "5.0% was stolen.", "5.0% was stolen."))
    assert "worst" not in same.sentence


def test_of_a_doubt_without_a_figure_the_usual_sentence_is_told() -> None:
    records = doubted("counters-absent", "Not counted: a.", "Not counted: b.", "Not counted: b.")
    (doubt,) = trial_doubts(PLAN, records)
    assert doubt.sentence.startswith("Not counted: b. (")
    assert doubt.count == 3


def test_a_figure_that_a_trial_does_not_tell_ranks_none() -> None:
    records = doubted("steal", "Much was stolen.", "5.0% was stolen.")
    (doubt,) = trial_doubts(PLAN, records)
    assert doubt.sentence.startswith("Much was stolen. (")


@pytest.mark.parametrize(
    ("code", "sentence", "value"),
    [
        ("io-incomplete", "Children that nobody waited for used 1.25 s of CPU time: their I/O counts.", 1.25),
        ("io-incomplete", "Children that nobody waited for read or wrote.", None),
        ("totals-incomplete", "At least 0.50 s of CPU time are not in the kernel's total.", 0.5),
        ("totals-incomplete", "Children used CPU time, up to 2.00 s more than the total says.", 2.0),
        ("start-missed", "The job was released 0.012 s after the start asked for.", 0.012),
        (
            "container-cpu-count",
            "Inside runsc the job was told 9.5 s of CPU time, and the machine gave 2 s.",
            9.5,
        ),
        ("steal", "5.5% of the processors' time was stolen from this machine by its own hypervisor.", 0.055),
    ],
)
def test_figures_that_only_a_sentence_holds_are_read_from_it(
    code: str, sentence: str, value: float | None
) -> None:
    (record,) = doubted(code, sentence)
    found = FIGURES[code].read(record, record.doubts[0])
    assert found == (None if value is None else pytest.approx(value))


def test_clocks_are_ranked_by_how_far_they_are_off() -> None:
    rates = (1.02, 0.9, 1.03)
    records = [
        replace(record, clock=clock_check(rate))
        for record, rate in zip(doubted("clock-rate", "a 1", "b 2", "c 3"), rates, strict=True)
    ]
    (_, doubt), rank = worst_of([(record, record.doubts[0]) for record in records])
    assert (doubt.sentence, rank) == ("b 2", "the worst of 3, 3.00% in the median")


def test_files_are_ranked_by_what_was_not_in_the_state_asked_for() -> None:
    def record(state: CacheState, resident: int) -> Trial:
        check = CacheCheck(state, False, Residency(1, 100, resident), Residency(1, 100, resident))  # noqa: FBT003
        return replace(record_of(TRIALS[0], 1.0), cache=check)

    doubt = Doubt("cache-state", "Not cold.")
    read = FIGURES["cache-state"].read
    assert read(record(CacheState.COLD, 20), doubt) == pytest.approx(0.2)
    assert read(record(CacheState.WARM, 20), doubt) == pytest.approx(0.8)
    assert read(record_of(TRIALS[0], 1.0), doubt) is None
    assert FIGURES["image-cache-state"].read(record(CacheState.COLD, 20), doubt) == 20


def test_failures_are_told_by_the_cause_that_most_have() -> None:
    records = [record_of(trial, 1.0) for trial in TRIALS]
    for at, cause in ((0, "exit 1"), (2, "killed"), (3, "killed")):
        records[at] = replace(fail(records[at]), cause=cause)
    (doubt,) = (one for one in activity_doubts(PLAN, records) if one.code == "trials-failed")
    block = records[2].planned.block
    assert doubt.sentence.endswith(f"the first of 2 that say so, in block {block}: killed.")
