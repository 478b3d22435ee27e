"""The page of an activity: short, explained and whole; as it is written, and what exit code it gives."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from assay.activities import pages
from assay.activities.standing import exit_of
from assay.model.errors import Exit
from assay.store.record import read_trials, write_trial
from tests.activities.test_evaluate import PLAN, TRIALS, measured, quick_disk
from tests.builders import record_of

__all__ = ["quick_disk"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return measured(tmp_path / "activities" / PLAN.id)


def test_a_page_has_the_losses_of_the_records(folder: Path) -> None:
    page = pages.page_of(folder)
    (row,) = page.estimates
    assert row.loss == pytest.approx(0.33, abs=0.02)
    assert (page.result.id, page.result.state, page.proof) == (PLAN.id, "complete", None)
    assert page.budgets == page.timelines == ()


def test_series_are_read_for_the_doubts_but_of_a_list_and_rejected_tries_in_any_case(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []
    read = pages.read_sampled
    monkeypatch.setattr(pages, "read_sampled", lambda *given: asked.append(given) or read(*given))
    reported: list[Any] = []
    build = pages.build_page

    def build_page(*given: Any, **named: Any) -> Any:
        reported.append((given, named))
        return build(*given, **named)

    monkeypatch.setattr(pages, "build_page", build_page)
    place = folder / "rejected" / f"{TRIALS[0].name}.1"
    place.mkdir(parents=True)
    rejected = record_of(TRIALS[0], 1.0)
    write_trial(place, rejected)
    pages.page_of(folder, sampled=False)
    assert asked == []
    pages.page_of(folder)
    records = tuple(read_trials(folder))
    pages.explained_page(folder)
    assert asked == [(records, folder)] * 2
    sampled = read(records, folder)
    assert reported == [
        ((PLAN, records), {"rejected": (rejected,), "sampled": found}) for found in (None, sampled, sampled)
    ]


def test_only_an_explained_page_says_where_losses_went_and_only_the_whole_one_what_was_over_time(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(pages, "timelines", lambda *given, **named: asked.append((given, named)) or ("line",))
    explained = pages.explained_page(folder)
    assert [budget.workload for budget in explained.budgets] == ["spin"]
    assert (explained.timelines, asked) == ((), [])
    for block in (None, 2):
        assert pages.whole_page(folder, block=block) == replace(explained, timelines=cast("Any", ("line",)))
    given = (PLAN, tuple(read_trials(folder)), folder)
    assert asked == [(given, {"block": None}), (given, {"block": 2})]


def test_the_written_page_is_the_whole_page_as_text_and_as_a_document(folder: Path) -> None:
    page = pages.write_page(folder)
    assert page == pages.whole_page(folder)
    kept = json.loads((folder / "report.json").read_text())
    assert kept["result"]["id"] == PLAN.id
    assert "<html" in (folder / "report.html").read_text()
    assert pages.flames_of(folder) == ()


def test_flame_graphs_lie_beside_the_report_where_they_are_to_be_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(pages, "flames", lambda *given, **named: asked.append((given, named)) or ())
    assert pages.flames_of(folder) == ()  # nothing was sampled: no record is read for it
    next((folder / "trials").glob("*/trial.json")).with_name("profile.folded").write_bytes(b"main 1\n")
    pages.flames_of(folder)
    pages.write_page(folder)
    given = (PLAN, tuple(read_trials(folder)), folder)
    assert asked == [(given, {"write": False}), (given, {"write": True})]


@pytest.mark.parametrize(
    ("state", "code"),
    [
        ("complete", Exit.DONE),
        ("partial", Exit.PARTIAL),
        ("running", Exit.PARTIAL),
        ("interrupted", Exit.INTERRUPTED),
        ("failed", Exit.NOTHING),
    ],
)
def test_only_a_result_of_which_all_was_measured_is_done(folder: Path, state: Any, code: Exit) -> None:
    page = pages.page_of(folder)
    assert exit_of(replace(page, result=replace(page.result, state=state))) is code
