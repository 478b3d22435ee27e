"""Forecasts of a loss: what is known comes out, what is not is said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.explain.advice.forecast import FEWEST, Known, forecast

SLOW = {"user": 1.03, "system": 1.3, "io": 1.6, "idle": 1.0}
SHARES = (
    {"user": 0.97, "system": 0.02, "io": 0.0, "idle": 0.01},
    {"user": 0.7, "system": 0.28, "io": 0.0, "idle": 0.02},
    {"user": 0.3, "system": 0.2, "io": 0.45, "idle": 0.05},
    {"user": 0.1, "system": 0.6, "io": 0.2, "idle": 0.1},
    {"user": 0.5, "system": 0.1, "io": 0.3, "idle": 0.1},
    {"user": 0.2, "system": 0.1, "io": 0.1, "idle": 0.6},
)


def known_of(slow: dict[str, float] = SLOW, *, off: tuple[float, ...] = (1.0,) * 6) -> list[Known]:
    """Return workloads of ten seconds that follow the model, each off by a factor."""
    return [
        Known(
            f"w{at}",
            {kind: 10 * share for kind, share in shares.items()},
            10 * factor * sum(share * slow[kind] for kind, share in shares.items()),
        )
        for at, (shares, factor) in enumerate(zip(SHARES, off, strict=True))
    ]


JOB = {"user": 60.0, "system": 20.0, "io": 15.0, "idle": 5.0}
TRUE = 1 - 100 / (60 * 1.03 + 20 * 1.3 + 15 * 1.6 + 5)


def test_a_job_that_is_like_the_workloads_is_forecast() -> None:
    found = forecast(JOB, known_of())
    assert found.reasons == ()
    assert found.loss == pytest.approx(TRUE, abs=0.02)
    assert found.low is not None
    assert found.high is not None
    assert found.low <= TRUE <= found.high
    assert found.slowdowns["io"] > found.slowdowns["user"]


def test_each_workload_is_forecast_by_the_others() -> None:
    found = forecast(JOB, known_of())
    assert [one.name for one in found.checked] == [f"w{at}" for at in range(6)]
    for one in found.checked:
        assert one.forecast == pytest.approx(one.measured, abs=0.1)


def test_workloads_that_differ_by_more_than_their_kinds_of_time_make_the_interval_wide() -> None:
    narrow = forecast(JOB, known_of())
    wide = forecast(JOB, known_of(off=(1.0, 1.05, 0.95, 1.05, 0.95, 1.0)))
    assert narrow.low is not None
    assert narrow.high is not None
    assert wide.low is not None
    assert wide.high is not None
    assert wide.high - wide.low > narrow.high - narrow.low


def test_workloads_that_do_not_foretell_each_other_give_no_answer() -> None:
    found = forecast(JOB, known_of(off=(1.0, 5.0, 0.3, 8.0, 1.0, 3.0)))
    assert (found.loss, found.low, found.high) == (None, None, None)
    assert "do not foretell each other" in found.reasons[0]
    assert len(found.checked) == 6


def test_too_few_workloads_give_no_answer() -> None:
    found = forecast(JOB, known_of()[: FEWEST - 1])
    assert found.loss is None
    assert found.reasons == ("the losses of 3 workloads are known here, 4 are needed",)


def test_a_job_that_does_what_no_workload_does_is_named_with_what_is_missing() -> None:
    found = forecast({"user": 5.0, "io": 95.0}, known_of())
    assert found.loss is None
    assert found.reasons[0].startswith("95% of the job's time is io, of no workload's more than 45% (w2)")


@given(
    scale=st.floats(0.01, 1000),
    shares=st.lists(st.floats(0.05, 1), min_size=4, max_size=4),
)
def test_the_length_of_a_job_does_not_matter(scale: float, shares: list[float]) -> None:
    kinds = ("user", "system", "io", "idle")
    one = forecast(dict(zip(kinds, shares, strict=True)), known_of())
    other = forecast({kind: scale * share for kind, share in zip(kinds, shares, strict=True)}, known_of())
    assert len(one.reasons) == len(other.reasons)
    if one.loss is not None:
        assert other.loss == pytest.approx(one.loss, abs=1e-9)
