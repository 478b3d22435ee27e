"""A planted loss is proved: a quota of a quarter of the processors' time is the cause, the output is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.live.parts import Done, activities, newest, run

pytestmark = [pytest.mark.live, pytest.mark.long]

SCENE = """\
scene: planted
title: A quarter of the processors' time, and an output that costs nothing
baseline: {machine: local}
treatment: {machine: local, factors: {cpu.quota: 25 %}}
workloads:
  - name: job
    command: '{probe} kernel two-phase --init-bytes 0 --events 300 --every 300 --output-bytes 4096'
design: {blocks: 3, seed: 7}
"""
"""The kernel burns some 0.3 s of CPU time and writes 1.2 MB into the page cache, which costs nothing."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a home without images: no guest is needed."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def proved(home: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Done, int]:
    """Evaluate the scene and prove its causes; return the result's folder, the proof, and activities before
    it.
    """
    file = tmp_path_factory.mktemp("proof") / "planted.yaml"
    file.write_text(SCENE)
    before = activities(home)
    done = run("evaluate", str(file), "--json", home=home)
    result = newest(home, before)
    assert result is not None, done.err
    count = len(activities(home))
    return result.folder, run("explain", result.id, "--prove", "--json", home=home), count


def shares(done: Done, metric: str) -> dict[str, Any]:
    assert done.code == 0, done.err
    (row,) = (row for row in done.page["proof"]["rows"] if row["metric"] == metric)
    return {share["ablation"]: share for share in row["shares"]}


def test_the_quota_is_proved_to_cost_three_quarters_of_the_throughput(proved: tuple[Path, Done, int]) -> None:
    share = shares(proved[1], "wall_time")["cpu-quota"]
    assert share["verdict"] == "caused"
    assert share["share"] == pytest.approx(0.75, abs=0.2)
    assert share["low"] - 0.1 < 0.75 < share["high"] + 0.1


def test_an_output_that_costs_nothing_has_a_small_share(proved: tuple[Path, Done, int]) -> None:
    found = shares(proved[1], "wall_time")
    assert abs(found["no-output"]["share"]) < found["cpu-quota"]["share"] / 2


def test_shares_and_what_is_left_add_up_to_the_loss(proved: tuple[Path, Done, int]) -> None:
    for row in proved[1].page["proof"]["rows"]:
        parts = sum(share["share"] for share in row["shares"]) + row["rest"]["loss"]
        assert parts == pytest.approx(row["loss"]["loss"], abs=1e-12)


def test_the_plan_with_its_time_is_said_before_the_first_run(proved: tuple[Path, Done, int]) -> None:
    said = proved[1].err.splitlines()
    (at,) = (at for at, line in enumerate(said) if "36 trials in 4 runs of 3 blocks: about" in line)
    assert all("ended" not in line for line in said[:at])


def test_four_combinations_were_run_and_are_not_run_again(proved: tuple[Path, Done, int], home: Path) -> None:
    folder, _, before = proved
    kept = json.loads((folder / "proof.json").read_text())
    assert len(kept["runs"]) == 4
    assert {run["activity"] for run in kept["runs"]} < {activity.id for activity in activities(home)}
    again = run("explain", folder.name, "--prove", home=home)
    assert again.code == 0, again.err
    assert "nothing is run again" in again.err
    assert "Proved by ablation" in again.out
    assert len(activities(home)) == before + 4
