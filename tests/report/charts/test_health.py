"""How a machine was over time: a peak of one look is drawn, and what was not told is not."""

from __future__ import annotations

import json
from dataclasses import replace

from assay.model.machines.health import Health
from assay.report.charts.health import HealthStep, Span, health_charts, health_panels, thin

MINUTE = 60 * 10**9
LOOKS = [Health("n", at * MINUTE, load=1.0, busy=0.5, steal=0.0, free_bytes=5) for at in range(10_000)]


def test_looks_are_joined_by_their_smallest_and_largest_value() -> None:
    looks = [*LOOKS]
    looks[5000] = replace(looks[5000], load=40.0)
    looks[7000] = replace(looks[7000], load=0.25)
    steps = thin(looks)
    assert len(steps) == 300
    assert sum(step.looks for step in steps) == len(looks)
    spans = [step.load for step in steps]
    assert spans.count(Span(1.0, 40.0)) == 1
    assert spans.count(Span(0.25, 1.0)) == 1
    assert set(spans) == {Span(1.0, 1.0), Span(1.0, 40.0), Span(0.25, 1.0)}


def test_few_looks_are_steps_of_their_own_and_none_are_none() -> None:
    assert [step.looks for step in thin(LOOKS[:7])] == [1] * 7
    assert thin([]) == ()
    assert health_charts(()) == []


def test_a_look_that_missed_the_machine_is_a_cross_and_no_value() -> None:
    looks = [*LOOKS[:3], Health("n", 3 * MINUTE, why="no route"), *LOOKS[4:6]]
    steps = thin(looks)
    assert [step.missed for step in steps] == [0, 0, 0, 1, 0, 0]
    chart = health_charts(steps)[0]
    assert [row["least"] for row in chart["data"]["values"]] == [1.0, 1.0, 1.0, None, 1.0, 1.0]
    (missed,) = [layer for layer in chart["layer"] if layer["name"] == "missed"]
    assert missed["data"]["values"] == [{"at": 180_000}]


def test_what_nobody_told_has_no_chart() -> None:
    assert [panel.title for panel in health_panels(thin(LOOKS))] == [
        "load of the last minute", "share of the processors' time", "free room, bytes"
    ]  # fmt: skip
    assert health_panels(thin([Health("n", 1, why="x")])) == ()


def test_a_time_in_which_nobody_looked_is_not_joined() -> None:
    steps = thin([*LOOKS[:100], *LOOKS[400:500]])
    rows = health_charts(steps)[0]["data"]["values"]
    assert [row["at"] for row in rows if row["least"] is None] == [99 * 60_000 + 1]


def test_two_weeks_of_looks_each_minute_are_small() -> None:
    looks = [
        Health("n", at * MINUTE, None, at / 7, 1 / 3, 1 / 7, 10**12 + at, 40.123) for at in range(20_160)
    ]
    steps: tuple[HealthStep, ...] = thin(looks)
    assert len(json.dumps(health_charts(steps))) < 200_000
