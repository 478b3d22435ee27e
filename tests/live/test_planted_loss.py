"""A loss that is known beforehand must be found: the same machine under a quota of CPU time."""

from __future__ import annotations

import pytest

from tests.live.parts import Activity, Done, fits, quiet

pytestmark = [pytest.mark.live, pytest.mark.long]

Planted = tuple[Done, Activity]


def test_half_of_the_processors_time_is_found_missing(halved: Planted) -> None:
    done, activity = halved
    assert done.code == 0, done.err
    (row,) = done.page["estimates"]
    assert row["low"] <= row["loss"] <= row["high"]
    if quiet(activity.records):
        assert row["verdict"] == "loss"
        assert row["loss"] == pytest.approx(0.5, abs=0.1)
        assert row["low"] - 0.05 < 0.5 < row["high"] + 0.05


def test_host_against_host_shows_no_loss_of_that_size(halved: Planted) -> None:
    done, activity = halved
    (row,) = done.page["estimates"]
    assert abs(row["floor"]["loss"]) < 0.2 or not quiet(activity.records)


def test_the_quota_is_in_the_records_of_the_treatment_alone(halved: Planted) -> None:
    records = halved[1].records
    quotas = {(record["planned"]["arm"], record["limits"]["cpu_quota"]) for record in records}
    assert quotas == {("baseline", None), ("treatment", 0.5)}
    for record in records:
        fits(record, "record")
