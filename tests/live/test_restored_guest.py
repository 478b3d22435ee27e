"""A guest that is restored from its saved state in each visit: one boot, a right clock, and a result that
says so.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.live.parts import Activity, Done, newest, run

pytestmark = [pytest.mark.live, pytest.mark.long]

SCENE = """\
scene: restored
title: A guest from its saved state
baseline: {machine: local}
treatment: {platform: guest, start: restored, factors: {memory.size: 512 MiB}}
workloads: [{name: short, command: sysbench cpu --events=300 --time=0 run}]
"""


@pytest.fixture(scope="module")
def restored(home: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Done, Activity]:
    """Evaluate a short command in a restored guest."""
    file = tmp_path_factory.mktemp("restored") / "restored.yaml"
    file.write_text(SCENE)
    done = run("evaluate", str(file), "--json", home=home)
    activity = newest(home)
    assert activity is not None, done.err
    assert done.code == 0, done.err
    return done, activity


def test_its_visits_share_one_boot_and_one_state(home: Path, restored: tuple[Done, Activity]) -> None:
    _, activity = restored
    guests = [record for record in activity.records if record["planned"]["arm"] == "treatment"]
    assert len(guests) == 3
    assert len({record["boot"] for record in guests}) == 1
    states = {record["platform"]["restored"]["state"] for record in guests}
    listed = json.loads(run("platform", "saved", "list", "--json", home=home).out)["saved"]
    assert [one["digest"] for one in listed] == [*states]


def test_its_clock_was_behind_and_was_set_and_is_compared_over_each_trial(
    restored: tuple[Done, Activity],
) -> None:
    _, activity = restored
    guests = [record for record in activity.records if record["planned"]["arm"] == "treatment"]
    for record in guests:
        clock = record["platform"]["restored"]["clock"]
        assert clock["found_s"] < 0
        assert abs(clock["left_s"]) <= 0.1 + clock["uncertainty_s"]
        offset, known = (record["clock"]["before"][name] for name in ("offset_s", "uncertainty_s"))
        assert abs(offset) <= 0.2 + known


def test_the_result_says_that_its_visits_share_a_boot(restored: tuple[Done, Activity]) -> None:
    done, _ = restored
    assert "one-boot" in {doubt["code"] for doubt in done.page["doubts"]}
    assert any("restored in each visit from the saved state" in line for line in done.page["method"])
