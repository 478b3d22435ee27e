"""Two guests as the baseline of two guests whose jobs start apart, and a search over their starts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.live.parts import World, activities, assert_same_world, fits, newest, quiet, run, undisturbed

pytestmark = [pytest.mark.live, pytest.mark.long]

RAN_OFF = ("clock-rate", "clock-rate-unknown")
"""A guest that had no processor for seconds loses time of its clock, and what that has timed is no figure."""
BASELINE = "{machine: local, platform: guest, layout: {guests: 2}}"
SCENE = """\
scene: starts
title: Two guests whose jobs start apart
baseline: {baseline}
treatment:
  platform: guest
  factors: {{cpu.vcpus: 1, memory.size: 768 MiB}}
  layout: {layout}
workloads:
  - name: job
    command: "{{probe}} kernel two-phase --input bash --init-bytes 1048576 --reads 2 --events 20"
    inputs: [/bin/bash]
    cache: cold
placement: {{copies: 2}}
design: {{blocks: 3, wait-quiet: 0 s}}
"""


def scene(folder: Path, layout: str, baseline: str = BASELINE) -> str:
    file = folder / "starts.yaml"
    file.write_text(SCENE.format(baseline=baseline, layout=layout))
    return str(file)


def starts_of(record: object) -> list[float]:
    return [round(member["asked_s"], 3) for member in record["members"]]  # type: ignore[index]


def lacking(home: Path) -> str:
    """Return what of the newest activity has no value, with the copies of its jobs."""
    activity = newest(home)
    records = [] if activity is None else activity.records
    without = [
        (record["planned"], record["cause"], record["doubts"], record["measurements"], record["copies"])
        for record in records
        if any(one["value"] is None for one in record["measurements"])
    ]
    return json.dumps(without, indent=1)


def test_several_guests_are_the_baseline_of_several(before: World, home: Path, tmp_path: Path) -> None:
    words = scene(tmp_path, "{guests: 2, stagger: 3 s}")
    done = run("evaluate", words, "--seed", "1", "--json", home=home, longest_s=900.0)
    activity = newest(home)
    assert activity is not None
    steady = not any(doubt["code"] in RAN_OFF for one in activity.records for doubt in one["doubts"])
    wanted = 0 if undisturbed(left_alone=steady) else 5
    assert done.code == wanted, f"{done.err}\n{lacking(home)}"
    assert activity.plan["baseline"]["label"] == "2 guests on 1 core"
    assert activity.plan["treatment"]["label"] == "2 guests on 1 core, stagger 3 s"
    assert len(activity.records) == 9
    for record in activity.records:
        fits(record, "record")
        assert record["state"] == "ended"
        assert [member["name"] for member in record["members"]] == ["guest-0", "guest-1"]
        apart = record["planned"]["arm"] == "treatment"
        assert starts_of(record) == ([0.0, 3.0] if apart else [0.0, 0.0])
        late = [member["started_s"] - member["asked_s"] for member in record["members"]]
        assert max(late) < 0.5 or not quiet(activity.records)
    rows = {row["metric"]: row for row in done.page["estimates"]}
    assert set(rows) >= {"job_time", "wall_time"}
    treated = [record for record in activity.records if record["planned"]["arm"] == "treatment"]
    assert min(record["usage"]["wall_s"] for record in treated) >= 3.0, "the group's time holds the stagger"
    explained = run("explain", activity.id, "--json", home=home)
    assert explained.code == 0, explained.err


def test_starts_are_searched_and_judged_by_the_time_of_the_group(home: Path, tmp_path: Path) -> None:
    """Eight seconds apart are longer than the job itself: they cost the group, whatever each job saves."""
    known = {one.id for one in activities(home)}
    words = ("tune", scene(tmp_path, "{guests: 2}", "{machine: local}"), "--set", "start.stagger=8 s")
    done = run(*words, "--budget", "24", "--seed", "1", "--json", home=home, longest_s=1800.0)
    assert done.code == 0, done.err
    assert [one["levels"] for one in done.page["factors"]] == [["0 s", "8 s"]]
    steps = [one for one in activities(home) if one.id not in known]
    assert steps
    for step in steps:
        assert step.plan["baseline"]["guest"]["layout"]["guests"] == 2
        assert {tuple(starts_of(record)) for record in step.records} <= {(0.0, 0.0), (0.0, 8.0)}
    assert not any(one["recommended"] for one in done.page["found"])


def test_nothing_is_left_behind(home: Path, before: World) -> None:
    assert_same_world(home, before)
