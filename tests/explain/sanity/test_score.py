"""A score and the wall time of the same work that contradict each other: 4.39 times against 1.15."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from assay.explain.sanity import Pair
from assay.explain.sanity.score import contradict, score_against_wall
from assay.model.machines.clock import Instant
from assay.model.metric import Direction, Measurement, Metric
from assay.model.work.accounting import WRITE_RATE
from assay.model.work.phase import PhaseTime
from assay.report.doubts import shown, worded
from tests.builders import WORKLOAD
from tests.explain.sanity.both import QUIET, both

SCORE = Metric("score", "events/s", Direction.HIGHER)
SECOND = Metric("second", "MB/s", Direction.HIGHER)
TIME = Metric("time", "s", Direction.LOWER)
SHARE = Metric("share", "%", Direction.HIGHER)


def scored(wall: float, *scores: tuple[Metric, float], more: Mapping[str, object] | None = None) -> Pair:
    """Return a pair whose treatment has these scores, of 1 each on the baseline, and this part of its wall
    time.
    """
    metrics = tuple(metric for metric, _ in scores)
    workload = replace(WORKLOAD, parser="usage", metrics=metrics)
    here = {"measurements": tuple(Measurement(metric, 1.0) for metric in metrics), **(more or {})}
    there = {"measurements": tuple(Measurement(metric, value) for metric, value in scores)}
    treated = replace(QUIET, wall_s=QUIET.wall_s / wall)
    return both(QUIET, treated, workload=workload, here=here, there=there)


def test_the_published_contradiction_is_doubted_with_both_figures() -> None:
    (doubt,) = score_against_wall(scored(4.39, (SCORE, 1.15)))
    assert doubt.code == "score-against-wall"
    assert worded(doubt).sentence == (
        "spin on other: score 1.15 times that of host, and the wall time 4.39 times shorter. For "
        "the same work both cannot be true."
    )
    assert str(shown(doubt).next).startswith("See what the score is of")


@pytest.mark.parametrize(
    ("scores", "wall", "apart"),
    [
        ([1.0], 1.5, False),
        ([1.0], 1.51, True),
        ([1.0], 1 / 1.51, True),
        ([1.0], 1 / 1.5, False),
        ([0.5], 1.09, False),  # a job that runs for a given time
        ([0.5], 1.11, True),
        ([0.5, 2.0], 1.0, False),
        ([0.5, 4.0], 3.0, False),  # between the parts of the run
        ([0.5, 2.0], 3.1, True),
        ([2.0, 4.0], 1.2, True),
    ],
)
def test_ratios_of_the_same_work_are_apart_from_half_as_much_again_on(
    scores: list[float], wall: float, apart: bool
) -> None:
    assert contradict(scores, wall) is apart


def test_only_rates_and_scores_are_held_against_the_wall_time() -> None:
    assert list(score_against_wall(scored(4.39, (TIME, 1.0), (SHARE, 1.0)))) == []
    assert len(list(score_against_wall(scored(4.39, (SCORE, 1.0), (SECOND, 1.2))))) == 1


def test_several_scores_are_told_by_their_range() -> None:
    (doubt,) = score_against_wall(scored(0.25, (SCORE, 0.9), (SECOND, 1.1)))
    assert (
        "score and second 0.9 to 1.1 times that of host, and the wall time 4 times longer"
        in worded(doubt).sentence
    )


def test_what_is_not_there_contradicts_nothing() -> None:
    assert list(score_against_wall(scored(4.39))) == []
    missing = scored(4.39, (SCORE, 1.15), more={"measurements": (Measurement(SCORE, None),)})
    assert list(score_against_wall(missing)) == []
    bare = scored(4.39, (SCORE, 1.15))
    unused = replace(bare.baseline, trials=tuple(replace(one, usage=None) for one in bare.baseline.trials))
    assert list(score_against_wall(replace(bare, baseline=unused))) == []


def test_a_rate_of_a_phase_is_no_score_of_the_run() -> None:
    phase = PhaseTime(0, "init", Instant(0, 0), Instant(1, 0), 1.0, 1.0, 0.0, 0)
    assert list(score_against_wall(scored(4.39, (SCORE, 1.15), more={"phases": (phase,)}))) == []


def test_the_rate_of_writing_of_the_accounting_is_no_score() -> None:
    assert list(score_against_wall(scored(4.39, (WRITE_RATE, 1.15)))) == []
