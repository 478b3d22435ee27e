"""What is held against lanes whose controller was killed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from campaign import lanes

PLANNED = [{"index": at} for at in range(3)]


def lane(folder: Path, records: list[dict[str, Any]]) -> Path:
    folder.mkdir()
    (folder / "activity.json").write_text(json.dumps({"trials": PLANNED}))
    for at, record in enumerate(records):
        place = folder / "trials" / f"{at:04d}-x"
        place.mkdir(parents=True)
        (place / "trial.json").write_text(json.dumps(record))
    return folder


def ended(*indices: int, state: str = "ended") -> list[dict[str, Any]]:
    return [{"planned": {"index": at}, "state": state} for at in indices]


@pytest.mark.parametrize(
    ("records", "wrong"),
    [
        (ended(0, 1, 2), []),
        (ended(0, 1), ["other trials on n01"]),
        (ended(0, 1, 1), ["other trials on n01"]),
        (ended(0, 1, 2, state="failed"), ["a failed trial on n01"]),
    ],
)
def test_each_planned_trial_has_one_record_that_ended(
    tmp_path: Path, records: list[dict[str, Any]], wrong: list[str]
) -> None:
    assert lanes.judged(lane(tmp_path / "lane", records), "n01") == wrong


def test_what_is_left_half_done_is_told(tmp_path: Path) -> None:
    folder = lane(tmp_path / "lane", ended(0, 1, 2))
    (folder / "trials/.0002-x.new").mkdir()
    (folder / "inflight.json").write_text("{}")
    assert lanes.judged(folder, "n01") == ["left on n01: .0002-x.new", "a trial under way on n01"]


def test_a_lane_without_a_plan_is_told(tmp_path: Path) -> None:
    assert lanes.judged(tmp_path, "n01") == ["no plan of n01"]


def row(number: int, *kills: str, wrong: tuple[str, ...] = (), repeated: int = 0) -> dict[str, Any]:
    return {"run": number, "kills": list(kills), "resumes": 1, "repeated": repeated, "wrong": list(wrong)}


def test_the_page_counts_kills_by_what_was_going_on_and_names_what_is_wrong() -> None:
    good = [row(1, "between trials"), row(2, "3 trials under way", "between trials", repeated=1)]
    good += [row(at, "between trials") for at in range(3, 3 + lanes.KILLS - 3)]
    page = lanes.page_of(good, len(good))
    assert page.rows == [
        {"phase": "3 trials under way", "kills": 1},
        {"phase": "between trials", "kills": lanes.KILLS - 1},
    ]
    assert f"{lanes.KILLS} times in all" in page.text
    assert all(page.held.values())
    bad = lanes.page_of([row(3, "between trials", wrong=("another plan",))], 4)
    assert not any(bad.held.values())
    assert "run 3: another plan" in bad.text


def test_a_kill_that_left_nothing_to_resume_and_a_run_that_ended_first_are_not_counted() -> None:
    some = [row(at, "between trials") for at in range(lanes.KILLS - 1)]
    page = lanes.page_of([*some, row(99, lanes.NO_PLAN), row(100, lanes.ENDED)], len(some) + 2)
    assert list(page.held.values()) == [True, False, True]
    assert f"{lanes.KILLS} times in all" in page.text
    assert f"{lanes.KILLS - 1} were followed by a resume" in page.text


def test_what_a_killed_evaluation_was_in_is_told_by_what_it_left(tmp_path: Path) -> None:
    assert lanes.phase(tmp_path) == lanes.NO_PLAN
    folder = tmp_path / "activities/0badcafe"
    folder.mkdir(parents=True)
    assert lanes.phase(tmp_path) == lanes.NO_PLAN
    (folder / "fleet.json").touch()
    assert lanes.phase(tmp_path) == "creating lanes", "it can be resumed"
