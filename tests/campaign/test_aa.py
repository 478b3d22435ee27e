"""The campaign of a machine against itself counts what is called where nothing differs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay.scenes import load_scene
from campaign import aa


def estimate(verdict: str, low: float | None = -0.01) -> dict[str, Any]:
    high = None if low is None else 0.03
    return {"workload": "w", "metric": "m", "verdict": verdict, "loss": 0.01, "low": low, "high": high}


def run(number: int, **changes: Any) -> dict[str, Any]:
    page = {"estimates": [estimate("equivalent")], "doubts": []}
    made = {"run": number, "code": 0, "seconds": 150, "load": 0.1, "commit": "abc", **aa.found(page)}
    return made | changes


def test_the_scene_is_quick_with_this_machine_on_both_sides(tmp_path: Path) -> None:
    file = tmp_path / "aa.yaml"
    file.write_text(aa.scene())
    mine, quick = load_scene(file), load_scene(aa.QUICK)
    assert mine.workloads == quick.workloads
    assert mine.design == quick.design
    assert mine.observation == quick.observation


def test_a_loss_or_a_gain_is_called_and_a_row_without_an_interval_is_none() -> None:
    doubts = [{"code": "disturbed", "severity": "shifts"}, {"code": "no-vpmu", "severity": "informs"}]
    rows = [estimate("loss"), estimate("gain"), estimate("inconclusive"), estimate("not measured", None)]
    found = aa.found({"estimates": rows, "doubts": doubts})
    assert (found["rows"], found["half_width"]) == (3, pytest.approx(0.02))
    assert found["called"] == ["w m +1.0% [-1.0%, 3.0%]"] * 2
    assert found["doubts"] == ["disturbed"]


def test_runs_that_failed_or_are_of_another_commit_are_made_again() -> None:
    rows = [run(1), run(2, code=1), run(3, commit="abd")]
    assert aa.whole(rows, "abc") == rows[:1]


@pytest.mark.parametrize(("false", "kept"), [(3, True), (4, False)])
def test_three_of_twenty_may_call_a_difference(false: int, kept: bool) -> None:
    runs = [run(number, called=["x"] if number <= false else []) for number in range(1, 21)]
    page = aa.page_of(runs, 20)
    assert list(page.held.values()) == [True, kept]
    assert f"{false} of 20 runs called one" in page.text


def test_a_campaign_goes_on_with_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aa.tree, "commit_of", lambda _: "abc")
    monkeypatch.setattr(aa, "attempt", lambda number, _: run(number, code=int(number == 2)))
    assert aa.run_all(3, tmp_path, tmp_path / "pages") == 1
    monkeypatch.setattr(aa, "attempt", lambda number, _: run(number))
    assert aa.run_all(3, tmp_path, tmp_path / "pages") == 0
    assert len(aa.journal.rows(tmp_path / "aa.jsonl")) == 4
