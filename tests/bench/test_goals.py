"""The table of goals, and the large store that lists are measured on."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest

from assay.store.rebuild import rebuild
from bench import lists, plans
from bench import rebuild as rebuilding
from bench.__main__ import PARTS, TABLE, USUAL
from bench.rows import goals, ratios, row

PAGE = Path(__file__).parents[2] / "docs/bench.md"


def test_a_goal_is_reached_where_both_times_kept_it() -> None:
    first = [
        ratios(row("list", "s", [0.7, 0.9, 0.8], goal=1), [0.8], [2.0], "peer"),
        row("peer", "s", [2.0]),
        row("report", "s", [4.0], goal=5),
    ]
    again = [ratios(row("list", "s", [0.6], goal=1), [0.6], [2.0], "peer"), row("peer", "s", [2.0])]
    again.append(row("report", "s", [6.0], goal=5))
    assert goals(first, again).splitlines()[2:] == [
        "| list, s | 1 | 0.8 | 0.6 | 0.4, 0.3 x peer | yes |",
        "| report, s | 5 | 4 | 6 |  | no |",
    ]


def test_the_page_names_every_part_and_those_of_the_table_are_parts() -> None:
    text = PAGE.read_text()
    for part in PARTS:
        assert f"`--only {part}`" in text, part
    assert {*TABLE, *USUAL} <= set(PARTS)


def test_the_large_store_has_rows_of_all_that_real_trials_have(tmp_path: Path) -> None:
    lists.fill(tmp_path / "home", results=2, fleets=1)
    connection = sqlite3.connect(tmp_path / "home" / "assay.db")
    tables = (
        "activity",
        "trial",
        "measurement",
        "doubt",
        "summary",
        "summary_content",
        "summary_key",
        "seen",
        "boot",
        "fleet",
        "fleet_summary",
    )
    (found,) = connection.execute(
        f"SELECT {', '.join(f'(SELECT count(*) FROM {name})' for name in tables)}"
    ).fetchall()
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    connection.close()
    (folder, *_) = sorted((tmp_path / "home" / "activities").glob("*/facts"))
    assert [file.suffix for file in folder.iterdir()] == [".json"]
    assert found == (12, 108, 594, 12, 2, 2, 6, 12, 2, 1, 1)


def test_every_trial_of_the_records_to_be_read_anew_has_its_rows(tmp_path: Path) -> None:
    rebuilding.fill(tmp_path, results=5)
    assert rebuild(tmp_path, now=datetime(2026, 11, 29, tzinfo=UTC)).activities == tuple(
        f"{number:08x}" for number in range(5)
    )
    connection = sqlite3.connect(tmp_path / "assay.db")
    counts = "SELECT (SELECT count(*) FROM trial), (SELECT count(*) FROM measurement)"
    assert connection.execute(counts).fetchall() == [(270, 270)]
    connection.close()


def test_a_conductor_of_short_trials_ends_its_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("Environment", "run_undisturbed", "keep_visit", "wait_quiet"):
        monkeypatch.setattr(f"assay.activities.conductor.{name}", None)  # put back at the end
    monkeypatch.setattr("assay.activities.seldom.time", None)
    assert plans.conduct(60, tmp_path) > 0
    connection = sqlite3.connect(tmp_path / "assay.db")
    assert connection.execute("SELECT state, ended FROM activity").fetchall() == [("complete", 60)]
    connection.close()
