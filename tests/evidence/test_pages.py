"""The pages of docs/evidence: how they are written, and that what they say is so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from scipy.stats import binom

from evidence import planted
from evidence.__main__ import LIVE, QUICK, held_before, parts_of
from evidence.campaign import Campaign
from evidence.page import Page, markdown, write
from evidence.planted import Plant, known

FOLDER = Path(__file__).parents[2] / "docs/evidence"


def test_a_page_has_a_row_a_case_and_says_what_is_missed(tmp_path: Path) -> None:
    shown = {"what": ("case", ""), "share": ("share", ".0%"), "none": ("nothing", "d")}
    rows = [{"what": "one", "share": 0.5, "none": None, "hidden": 1}]
    page = Page("name", "Title", "Text.", rows, shown, {"this": True, "that": False})
    write(page, tmp_path)
    text = markdown(page)
    assert "| case | share | nothing |\n| --- | --- | --- |\n| one | 50 % |  |\n" in text
    assert "- kept: this\n- **missed**: that\n" in text
    assert (tmp_path / "name.md").read_text() == text
    assert json.loads((tmp_path / "name.json").read_text())["rows"] == rows
    assert held_before("name", tmp_path) == {"this", "that"}
    assert held_before("other", tmp_path) == set()


@pytest.mark.parametrize("part", [*QUICK, *LIVE])
def test_every_part_has_its_page_and_holds_what_it_is_held_to(part: str) -> None:
    assert (FOLDER / f"{part}.md").exists()
    assert f"]({part}.md)" in (FOLDER / "README.md").read_text()
    held = json.loads((FOLDER / f"{part}.json").read_text())["held"]
    assert all(held.values()), held


def test_parts_are_named_one_by_one_or_all_together() -> None:
    assert parts_of([]) == (*QUICK, *LIVE)
    assert parts_of(["quick"]) == QUICK
    assert parts_of(["scan", "fleet"]) == ("scan", "fleet")


def test_a_planted_loss_counts_where_its_size_and_its_cause_are_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def found(*_: object, seed: int, **__: object) -> Campaign | None:
        low, named = (0.55 if seed == 3 else 0.4), ["waiting"] if seed == 2 else ["cpu-quota", "waiting"]
        others = 0.5 if seed in {4, 5} else 0.0
        return None if seed > 5 else Campaign({"loss": 0.5, "low": low, "high": 0.6}, [], named, others)

    monkeypatch.setattr(planted, "run", found)
    plant = Plant("scene.yaml", "flops", "cpu-quota", known(0.5, 0.5), "half")
    row = planted._row(plant, tmp_path)
    assert (row["plant"], row["inside"], row["named"], row["both"]) == ("scene", 2, 2, 1)
    assert (len(row["campaigns"]), row["set_aside"]) == (3, 2)


def test_no_more_campaigns_run_than_count_and_may_be_set_aside(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seeds = []

    def disturbed(*_: object, seed: int, **__: object) -> Campaign:
        seeds.append(seed)
        return Campaign({"loss": 0.5, "low": 0.4, "high": 0.6}, [], ["cpu-quota"], 0.9)

    monkeypatch.setattr(planted, "run", disturbed)
    row = planted._row(Plant("scene.yaml", "flops", "cpu-quota", known(0.5, 0.5), "half"), tmp_path)
    assert seeds == list(range(1, 21))
    assert (row["both"], row["set_aside"]) == (10, 10)


@pytest.mark.parametrize(
    ("count", "chance", "most"), [(10, 0.002, 7), (5, 0.002, 3), (50, 0.02, 44), (25, 0.02, 21)]
)
def test_what_is_held_to_is_missed_by_exact_intervals_that_seldom(
    count: int, chance: float, most: int
) -> None:
    missed = float(binom.cdf(most - 1, count, 0.95))
    assert planted.least(count, chance) == most
    assert missed <= chance < float(binom.cdf(most, count, 0.95))


def test_plants_are_held_to_their_causes_and_together_to_their_sizes() -> None:
    row = {"plant": "a", "named": 10, "inside": 9}
    rows = [row | {"plant": name} for name in "abcde"]
    assert all(planted.page_of(rows).held.values())
    few = planted.page_of([*rows[:4], row | {"plant": "e", "inside": 7}]).held
    assert [what for what, kept in few.items() if not kept] == ["all: size inside the interval in 44 of 50"]
    unnamed = planted.page_of([row | {"named": 8}]).held
    assert [what.partition(":")[0] for what, kept in unnamed.items() if not kept] == ["a"]
