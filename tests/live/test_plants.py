"""Losses that are planted on this machine are found at their size, and the records tell what planted them."""

from __future__ import annotations

from statistics import fmean, median
from typing import Any

import pytest

from tests.live.parts import Done, activities, fits, quiet, run

pytestmark = [pytest.mark.live, pytest.mark.long]

BAND = 0.05
"""Of the true loss: beside the interval, room for what else this machine does meanwhile."""
PLANTS = (
    "plant-read",
    "plant-cold",
    "plant-memory",
    "plant-sleep",
)

Records = list[dict[str, Any]]
Planted = tuple[str, Done, Records]


@pytest.fixture(scope="module", params=PLANTS)
def planted(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Planted:
    """Evaluate a ready scene; return its name, what was said and the records."""
    home = tmp_path_factory.mktemp(request.param)
    done = run("evaluate", request.param, "--json", home=home)
    assert done.code == 0, done.err
    (activity,) = activities(home)
    return request.param, done, activity.records


def arm(records: Records, name: str) -> Records:
    return [record for record in records if record["planned"]["arm"] == name]


def mean(records: Records, figure: str) -> float:
    return fmean(record["usage"][figure] for record in records)


def own_s(records: Records) -> float:
    """Mean wall time without the waits for a processor that others held."""
    return fmean(record["usage"]["wall_s"] - record["usage"]["run_queue_s"] for record in records)


def added_s(name: str, records: Records, *, time_s: float) -> float:
    """What the comment of the scene computes that a plant adds to so long a trial of the baseline."""
    reading_s = own_s(arm(records, "baseline")) - 1.5
    paused = fmean(record["limits"]["pause"] or 0.0 for record in arm(records, "treatment"))
    known = {
        "plant-read": 31_457_280 / 20e6 - reading_s,
        "plant-cold": 524_288 / 350e3,
        "plant-memory": mean(arm(records, "treatment"), "read_bytes") / 50e6,
        "plant-sleep": time_s / (1 - paused) - time_s,  # of a busy machine it is longer than 5 ms
    }
    return known[name]


def true_loss(name: str, records: Records, *, time_s: float) -> float:
    return 1 - time_s / (time_s + added_s(name, records, time_s=time_s))


def test_the_size_of_the_loss_is_found(planted: Planted) -> None:
    name, done, records = planted
    row = next(row for row in done.page["estimates"] if row["metric"] == "wall_time")
    truth = true_loss(name, records, time_s=mean(arm(records, "baseline"), "wall_s"))
    assert row["blocks"] == 6
    assert not quiet(records) or row["low"] - BAND < truth < row["high"] + BAND, (truth, row)


def test_the_loss_is_as_large_as_it_was_planted(planted: Planted) -> None:
    name, _, records = planted
    time_s = own_s(arm(records, "baseline"))
    found = 1 - time_s / own_s(arm(records, "treatment"))
    assert not quiet(records) or found == pytest.approx(true_loss(name, records, time_s=time_s), abs=BAND)


def test_the_records_tell_the_plants_apart(planted: Planted) -> None:
    name, _, records = planted
    treated, base = arm(records, "treatment"), arm(records, "baseline")
    reads, known = mean(treated, "read_bytes"), mean(base, "read_bytes")
    assert (mean(treated, "memory_limit_hits") > 0) == (name == "plant-memory")
    assert (reads > known + 400_000) == (name in {"plant-cold", "plant-memory"})
    assert (reads > 30e6) == (name in {"plant-read", "plant-memory"})
    assert mean(base, "memory_limit_hits") == mean(treated, "throttled_s") == 0


def test_what_was_planted_is_in_force_on_the_treatment_alone(planted: Planted) -> None:
    name, _, records = planted
    for record in records:
        fits(record, "record")
        limits, treated = record["limits"], record["planned"]["arm"] == "treatment"
        slow = treated and name != "plant-sleep"
        assert (limits["read_bytes_per_s"] is not None) == slow
        assert (limits["memory_bytes"] is not None) == (treated and name == "plant-memory")
        assert (limits["pause"] is not None) == (treated and name == "plant-sleep")
    pauses = [record["limits"]["pause"] for record in arm(records, "treatment")]
    assert name != "plant-sleep" or median(pauses) > 0.045
    states = {(r["planned"]["arm"], r["cache"] and r["cache"]["state"]) for r in records}
    cold = {("baseline", "warm"), ("treatment", "cold")}
    assert states == (cold if name == "plant-cold" else {("baseline", None), ("treatment", None)})
