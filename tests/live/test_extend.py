"""A finished activity goes on for real, and an interrupted extension is resumed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.live.parts import ITSELF, World, activities, assert_same_world, run

pytestmark = [pytest.mark.live, pytest.mark.long]


def test_a_finished_activity_goes_on_with_further_blocks(home: Path, before: World, tmp_path: Path) -> None:
    scene = tmp_path / "itself.yaml"
    scene.write_text(ITSELF)
    first = run("evaluate", str(scene), "--seed", "5", "--json", home=home)
    assert first.code == 0, first.err
    name = first.page["result"]["id"]
    done = run("activity", "extend", name, "--blocks", "3", "--json", home=home)
    assert done.code == 0, done.err
    page = done.page
    assert (page["result"]["id"], page["result"]["state"]) == (name, "complete")
    assert page["result"]["blocks_planned"] == 6
    row = next(row for row in page["estimates"] if row["metric"] == "wall_time")
    assert (row["blocks"], "sequence" in row["method"]) == (6, True)
    assert any(sentence.startswith("Extended on ") for sentence in page["method"])
    (activity,) = (one for one in activities(home) if one.id == name)
    assert [record["planned"]["index"] for record in activity.records] == list(range(12))
    assert len(activity.plan["extended"][0]["said"]) == len(first.page["estimates"])
    assert_same_world(home, before)
