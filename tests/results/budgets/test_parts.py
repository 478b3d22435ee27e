"""Trials of several guests: the time of each, for its share of the work on its share of the processors."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.design import plan_trials
from assay.model.activity import PlannedArm, PlannedGuest
from assay.model.machines.machine import Limits, Machine
from assay.model.metric import Measurement
from assay.model.platforms.layout import Layout
from assay.model.trial import Arm, Member, Trial, Usage
from assay.model.work.placement import PlacementSpec
from assay.results.budgets.explanation import budgets
from assay.results.losses.parts import parts_of
from assay.results.outcome import build_page
from assay.results.series.timeline import timelines
from assay.workloads import command_workload
from assay.workloads.command import WALL
from tests.builders import clock_check, plan_of, record_of

ROOT = Path(__file__).parents[2]
SAMPLE = json.loads((ROOT / "probe/records/1.0.json").read_text())
SAMPLES = (ROOT / "results/series/samples.csv").read_bytes()
JOB = replace(command_workload("spin", ("spin",)), placement=PlacementSpec(copies=2))
PLANNED = PlannedGuest(2, 2 << 30, "none", "i", (), Layout(2))
GUESTS = PlannedArm("2 guests", Machine("local"), Limits((1, 2)), PLANNED)
PLAN = plan_of(plan_trials(("spin",), blocks=3, seed=1), workloads=(JOB,))
PLAN = replace(PLAN, baseline=replace(PLAN.baseline, limits=Limits((1, 2))), treatment=GUESTS)
HOST = Usage(4.0, 7.0, 0.5, 1 << 20, 1000, 4096, run_queue_s=0.0, block_io_s=0.0)


def usage(wall_s: float, user_s: float) -> dict[str, Any]:
    return {
        "wall_s": wall_s, "user_s": user_s, "system_s": 0.25, "rss_bytes": 1 << 20, "read_bytes": 500,
        "write_bytes": 2048, "run_queue_s": 1.0, "block_io_s": 0.0,
    }  # fmt: skip


def records(folder: Path, *, rate: float = 1.0) -> list[Trial]:
    """Return records of all trials; of each guest the result lies in its folder, by its own clock."""
    clock = None if rate == 1.0 else clock_check(rate)
    members = tuple(
        Member(f"guest-{one}", "g", f"boot{one}", (one,), 1, 1, 0.0, 0.0, 6.0, clock, None, None, None)
        for one in range(2)
    )
    made = []
    for planned in PLAN.trials:
        if planned.arm is Arm.BASELINE:
            measured = (Measurement(WALL, 4.0),)
            limits = Limits((1, 2))
            made.append(record_of(planned, None, usage=HOST, measurements=measured, limits=limits))
            continue
        for number, (wall_s, user_s) in enumerate(((6.0, 4.5), (5.0, 3.5))):
            place = folder / "trials" / planned.name / f"guest-{number}"
            place.mkdir(parents=True)
            result = {**SAMPLE, "usage": usage(wall_s * rate, user_s * rate)}
            result["usage"]["run_queue_s"] *= rate
            result["usage"]["system_s"] *= rate
            (place / "probe.json").write_text(json.dumps(result))
            (place / "samples.csv").write_bytes(SAMPLES)
        joint = replace(HOST, wall_s=6.0, user_s=8.0)
        measured = (Measurement(WALL, 6.0),)
        made.append(
            record_of(
                planned, None, usage=joint, measurements=measured, limits=Limits((1, 2)), members=members
            )
        )
    return made


@pytest.mark.parametrize("rate", [1.0, 1.004])
def test_the_time_of_the_guests_is_divided_each_on_its_share_of_the_processors(
    tmp_path: Path, rate: float
) -> None:
    found = records(tmp_path, rate=rate)
    (shown,) = budgets(PLAN, found, build_page(PLAN, found).estimates, tmp_path)
    assert (shown.parallelism, shown.baseline_s, shown.treatment_s) == (2, 4.0, pytest.approx(5.5, rel=0.005))
    times = {
        part.category: (part.baseline_s, part.treatment_s) for part in shown.parts if part.phase == "total"
    }
    assert times["user"] == (3.5, pytest.approx(4.0, rel=0.005))
    assert times["queue"] == (0.0, pytest.approx(1.0, rel=0.005))
    assert sum(part.contribution for part in shown.parts if part.phase == "total") == pytest.approx(
        shown.loss
    )
    counted = {figure.name: (figure.baseline, figure.treatment) for figure in shown.counted}
    assert counted["written to storage"] == (4096, 4096), "what is counted stands for all guests"


def test_a_guest_whose_result_is_gone_leaves_the_trial_undivided(tmp_path: Path) -> None:
    found = records(tmp_path)
    joint = next(record for record in found if record.members)
    place = tmp_path / "trials" / joint.planned.name
    parts = parts_of(joint, place)
    assert [(part.boot, folder.name) for part, folder in parts] == [
        ("boot0", "guest-0"),
        ("boot1", "guest-1"),
    ]
    (place / "guest-1/probe.json").write_text("{}")
    assert parts_of(joint, place) == []
    (place / "guest-1/probe.json").unlink()
    assert parts_of(joint, place) == []


def test_a_trial_of_one_place_is_its_own_part(tmp_path: Path) -> None:
    alone = record_of(PLAN.trials[0], 1.0)
    assert parts_of(alone, tmp_path) == [(alone, tmp_path)]


def test_each_guest_has_its_timeline(tmp_path: Path) -> None:
    (line,) = timelines(PLAN, records(tmp_path), tmp_path)
    assert [track.label for track in line.tracks] == ["2 guests, guest-0", "2 guests, guest-1"]
