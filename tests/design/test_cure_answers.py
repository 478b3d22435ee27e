"""What keeps a result from its precision, in full sentences and at the limits."""

from __future__ import annotations

import math

import pytest

from assay.design.advice import (
    MOST_SESSIONS,
    TAIL_RATIO,
    _outliers,
    _session_share,
    advice_of,
    sessions_needed,
)
from assay.design.stopping import Metered, Wanted
from assay.model.doubt import Raised
from assay.model.goal import Goal
from assay.report.doubts.results import CLAUSES
from assay.report.doubts.wording import wording_of
from assay.stats import paired_loss
from assay.stats.replication.components import Components, Floor

WANTED = Wanted(Goal(adaptive=True, precision=0.005, minimum_blocks=10, sessions=4))
ALIKE = [0.01 * (-1) ** at for at in range(20)]
T_STUDENT = {1: 12.706205, 2: 4.302653, 3: 3.182446, 4: 2.776445, 9: 2.262157, math.inf: 1.959964}
"""Quantiles of Student's t at 97.5 %, by degrees of freedom, of the usual table."""


def reported(advice: Raised) -> tuple[str | None, str, str | None]:
    """Return what dominates, in words, and what to do."""
    return (advice.case, *wording_of(CLAUSES, advice))


@pytest.mark.parametrize(
    ("sessions", "freedom"), [(1, 4), (1, math.inf), (2, 1), (3, 9), (4, 3), (5, 2), (10, math.inf)]
)
def test_the_sessions_that_a_floor_needs_by_the_table_of_t(sessions: int, freedom: float) -> None:
    half = T_STUDENT[freedom] * math.sqrt(2 / sessions) * 0.001
    assert sessions_needed(Floor(0.001, freedom), half * 1.000001) == sessions
    assert sessions_needed(Floor(0.001, freedom), half * 0.999999) == sessions + 1
    at_it = Floor(0.001, freedom).half(sessions)
    assert sessions_needed(Floor(0.001, freedom), at_it) == sessions


@pytest.mark.parametrize(
    ("slowdown", "sigma", "sessions"), [(3.0, 0.01, 4), (1.0, 0.01, 31), (0.3, 0.002, 14), (1.0, 0.002, 2)]
)
def test_a_width_of_the_loss_is_one_of_its_logarithm_over_the_slowdown(
    slowdown: float, sigma: float, sessions: int
) -> None:
    """At ±0.5 %: 2 (1.96 sigma / (0.005 slowdown))^2 sessions, rounded up."""
    assert sessions_needed(Floor(sigma), 0.005, slowdown=slowdown) == sessions
    log = math.log(slowdown)
    metered = Metered([log + 0.0001 * (-1) ** at for at in range(20)], 1, sigma)
    one = Wanted(Goal(adaptive=True, precision=0.005, minimum_blocks=10))
    advice = advice_of(metered, Components(1, None, 0.0001, None), one)
    assert advice.case == "floor"
    assert f"over {sessions} sessions" in str(reported(advice)[2])


def test_another_confidence_needs_other_sessions() -> None:
    half, floor = 1.637744 * math.sqrt(2 / 4) * 0.001, Floor(0.001, 3)  # t(3) at 80 %
    assert sessions_needed(floor, half * 1.000001, confidence=0.8) == 4
    assert sessions_needed(floor, half * 1.000001) == 16  # 4 (3.182446 / 1.637744)^2 = 15.1


def test_sixty_sessions_are_the_most() -> None:
    half = 2.000995378 * math.sqrt(2 / MOST_SESSIONS) * 0.001  # t(59) at 97.5 %
    assert MOST_SESSIONS == 60
    assert sessions_needed(Floor(0.001, 59), half * 1.00001) == 60
    assert sessions_needed(Floor(0.001, 59), half * 0.99999) is None


def test_a_floor_too_wide_is_said_with_the_sessions_that_would_do() -> None:
    # t(3) sqrt(2) 0.003 / 2 = 0.006751; over 7 sessions 0.005103, over 8 0.004774 is the first within 0.005
    found = advice_of(Metered(ALIKE, 4, 0.003, 3), Components(4, 0.0, 0.01, 0.5), WANTED)
    assert reported(found) == (
        "floor",
        "The site's A/A floor alone is ±0.68% over 4 sessions",
        "Spread the blocks over 8 sessions, or isolate the host (other load, frequency, other guests).",
    )
    hopeless = advice_of(Metered(ALIKE, 4, 0.1, 3), Components(4, 0.0, 0.01, 0.5), WANTED)
    assert reported(hopeless)[2] == (
        "Isolate the host (other load, frequency, other guests): no number of sessions would do."
    )


def test_sessions_that_differ_are_said_with_both_scatters() -> None:
    assert reported(advice_of(Metered(ALIKE, 4), Components(4, 0.02, 0.01, 0.001), WANTED)) == (
        "session",
        "Sessions differ by 2.00%, the blocks of one session by 1.00%",
        "Spread the blocks over more sessions, or isolate the host.",
    )


def test_single_blocks_that_scatter_are_said_with_their_scatter() -> None:
    step = "Run more blocks, or longer trials."
    assert reported(advice_of(Metered(ALIKE, 4), Components(4, 0.0, 0.01, 0.5), WANTED)) == (
        "white",
        "The scatter of single blocks dominates (1.00%)",
        step,
    )
    assert reported(advice_of(Metered(ALIKE, 4), Components(4, None, None, None), WANTED)) == (
        "white",
        "The scatter of single blocks dominates (not known)",
        step,
    )


def test_outliers_are_said() -> None:
    logs = [*(0.001 * (-1) ** at for at in range(19)), 0.5]
    assert reported(advice_of(Metered(logs, 4), Components(4, 0.0, 0.01, 0.5), WANTED)) == (
        "outlier",
        "Slow outliers dominate: the mean's interval is much wider than the typical loss's",
        "Find what runs beside the trials; name causes for re-runs in design.rerun.",
    )


@pytest.mark.parametrize(("session", "component"), [(0.00499, "white"), (0.00501, "session")])
def test_sessions_dominate_beyond_half_of_the_variance_of_the_mean(session: float, component: str) -> None:
    # 0.005^2 over 4 sessions is as much as 0.01^2 over 16 blocks
    metered = Metered([0.01 * (-1) ** at for at in range(16)], 4)
    assert advice_of(metered, Components(4, session, 0.01, 0.5), WANTED).case == component


def test_the_share_of_sessions_by_hand() -> None:
    metered = Metered([0.0] * 8, 2)
    assert _session_share(Components(2, 0.01, 0.03, 0.5), metered) == pytest.approx(50 / (50 + 112.5))
    assert _session_share(Components(2, None, None, None), metered) == 0.0
    assert _session_share(Components(2, 0.01, None, None), metered) == 1.0


@pytest.mark.parametrize("last", [0.02, 0.022, 0.024, 0.026, 0.03, 0.04])  # ratios of 1.05 to 2.07
def test_outliers_dominate_beyond_a_quarter_more_than_the_typical_width(last: float) -> None:
    logs = [*(0.001 * at for at in range(11)), last]
    found = paired_loss(logs)
    assert found.mean is not None
    widths = (found.mean.high or 0) - (found.mean.low or 0), (found.high or 0) - (found.low or 0)
    assert TAIL_RATIO == 1.25
    assert _outliers(Metered(logs), WANTED) is (widths[0] > 1.25 * widths[1])
    assert _outliers(Metered(logs), WANTED) is (last > 0.025)


def test_blocks_without_an_interval_have_no_outliers() -> None:
    assert not _outliers(Metered([]), WANTED)
    assert not _outliers(Metered([0.1]), WANTED)
