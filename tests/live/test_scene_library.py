"""Every ready scene, run for real at its smallest scale for a block: all trials end, doubts are sensible."""

from __future__ import annotations

import math
from typing import Any

import pytest

from assay.scenes import find_scene, ready_names
from tests.live.conftest import Make
from tests.live.parts import activities, assert_same_world, fits, run, world

pytestmark = [pytest.mark.live, pytest.mark.long]

PLANTS = {"plant-cold", "plant-memory", "plant-read", "plant-sleep"}
"""Run as they are, and held to their truth, in test_plants.py."""
ONE_BLOCK = ("--time-budget", "1 s")
"""No second block is begun."""
SCENE_S = 1500.0
"""No scene takes longer at its smallest scale."""
MISTAKEN = {
    "trials-failed",
    "result-differs",
    "cache-state",
    "image-cache-state",
    "no-phase",
    "no-figure",
    "oom-kill",
    "swap-not-limited",
    "io-limit-not-applied",
    "pause-not-applied",
    "memory-limit-not-applied",
    "cpu-quota-not-applied",
    "processes-left",
    "cgroup-left",
    "series-absent",
    "counters-absent",
}
"""Doubts that no ready scene may raise here: something in it does not do what it says."""


@pytest.mark.parametrize("name", [name for name in ready_names() if name not in PLANTS])
def test_a_ready_scene_runs_at_its_smallest_scale(name: str, make_home: Make) -> None:
    home = make_home(name)
    if any(chosen.name.startswith("root-analysis") for chosen in find_scene(name).workloads):
        made = run("workload", "pack", "root", home=home)
        assert made.code == 0, made.err
    before = world(home)
    scale = ("--scale", "minutes") if "minutes" in dict(find_scene(name).scales) else ()
    done = run("evaluate", name, *scale, *ONE_BLOCK, "--seed", "1", "--json", home=home, longest_s=SCENE_S)
    assert done.code == 0, done.err
    page = done.page
    fits(page, "report")
    assert page["result"]["state"] == "complete"
    assert page["estimates"]
    for row in page["estimates"]:
        _is_an_estimate(row)
    assert not {doubt["code"] for doubt in page["doubts"]} & MISTAKEN, page["doubts"]
    (activity,) = activities(home)
    assert {record["state"] for record in activity.records} == {"ended"}
    assert len(activity.records) == sum(trial["block"] == 0 for trial in activity.plan["trials"])
    assert_same_world(home, before)


def _is_an_estimate(row: Any) -> None:
    """Check that a row has a loss, or says why not."""
    if row["verdict"] == "not measured":
        pytest.fail(f"{row['workload']} {row['metric']} is not measured: {row['reason']}")
    assert row["blocks"] == 1
    assert row["loss"] <= 1
    assert all(math.isfinite(row[key]) for key in ("loss", "slowdown"))
    assert row["baseline_value"] > 0
    assert row["treatment_value"] > 0
