"""Plots and character of the reference chain: made of the figures that lie beside them."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from evidence import character, physics
from evidence.plot import Panel, svg

DOCS = Path(__file__).parents[2] / "docs"
ROWS = json.loads((DOCS / "evidence/physics.json").read_text())["rows"]


def test_the_picture_is_that_of_the_figures_beside_it() -> None:
    assert physics.picture(ROWS) == (DOCS / "evidence/physics.svg").read_text()
    assert "](evidence/physics.svg)" in (DOCS / "chain.md").read_text()


def test_the_chain_still_reconstructs_electrons_as_the_figures_say(tmp_path: Path) -> None:
    found = physics.electrons(0.5, str(tmp_path))
    assert found == [row for row in ROWS if row["at"] == 0.5 and row["unit"] == "MeV"]


def test_a_plot_has_a_bar_and_a_dot_for_each_point_its_curve_and_its_titles() -> None:
    points = [(1.0, 0.5, 0.1), (10.0, 2.0, 0.2)]
    panel = Panel(
        "Title", "x < 1", "y", points, 0, 1, curve=[(1, 0), (10, 1)], curve_says="line", band=(0, 0.5)
    )
    drawn = svg([panel, panel, panel], "Says")
    root = ElementTree.fromstring(drawn)
    assert root.get("viewBox") == "0 0 840 600"
    circles = [one for one in root.iter() if one.tag.endswith("circle")]
    assert len(circles) == 6
    assert "x &lt; 1" in drawn
    heights = {float(str(one.get("cy"))) for one in circles}
    assert min(heights) == 34.0, "a value beyond the axis lies at its end"


def test_a_plot_with_a_logarithmic_axis_spaces_decades_evenly() -> None:
    points = [(1.0, 0.5, 0.0), (10.0, 0.5, 0.0), (100.0, 0.5, 0.0)]
    root = ElementTree.fromstring(
        svg([Panel("T", "x", "y", points, 0, 1, logarithmic=True, ticks=(1, 100))], "S")
    )
    across = [float(str(one.get("cx"))) for one in root.iter() if one.tag.endswith("circle")]
    assert across[1] - across[0] == pytest.approx(across[2] - across[1], abs=0.2)


def test_a_step_is_run_cold_and_its_shares_are_of_its_own_time(tmp_path: Path) -> None:
    character._chain(tmp_path, "tables", "--tables", "4M")
    for words in (("phygen", "--events", "5"), ("detsim",)):
        run = character.run(words, tmp_path)
        assert run.report["chain"] == words[0]
        assert 0 < run.share < 1.1
        assert 0 < run.init_share <= 1
        assert run.rss_bytes > 4 << 20


def test_the_published_character_moves_the_same_bytes_as_the_last_measurement() -> None:
    page = (DOCS / "chain.md").read_text()
    for row in json.loads((DOCS / "evidence/character.json").read_text())["rows"]:
        step = row["step"].split()[0]
        line = next(
            one for one in page.splitlines() if one.startswith(f"| `{row['step']}`") and one.count("|") == 7
        )
        assert [cell.strip() for cell in line.split("|")[4:6]] == [
            f"{row['read']:,}",
            f"{row['written']:,}",
        ], step
