"""``docs/publications.md``: a row for each table and figure of the five publications, whose commands can be
typed.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from assay.cli.entry import assay
from assay.scenes import find_scene, ready_names

DOCS = Path(__file__).parents[2] / "docs"
TEXT = (DOCS / "publications.md").read_text()
HEADERS = ["figure", "what it shows", "scene, scale, command", "what the report draws", "run here"]
WANTED = {
    "JUNO": ("table 1", "table 2", "figure 3", "figure 4", "figure 5", "figure 6", "layouts"),
    "BOSS": ("table 1", "table 2", "figure 3", *(f"figure {number}" for number in range(6, 12))),
    "ATLAS": ("disk charts", "Athena chart", "gen-to-reco chart"),
    "PROOF": ("rates by disk layout", "refresh", "branches", "RAID", "Xrootd"),
    "IJCLab": ("scores", "wall times", "efficiency", "system share", "flame graphs"),
}


def rows(publication: str) -> dict[str, list[str]]:
    """Return the cells behind the name of each row of a publication's table."""
    (section,) = re.findall(rf"^## {publication} .*?(?=^## |\Z)", TEXT, re.MULTILINE | re.DOTALL)
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in lines]
    assert cells[0] == [*HEADERS, "what is missing"]
    assert all(len(row) == len(cells[0]) for row in cells), publication
    return {row[0]: row[1:] for row in cells[2:]}


@pytest.mark.parametrize("publication", WANTED)
def test_every_table_and_figure_has_a_row(publication: str) -> None:
    found = rows(publication)
    assert set(WANTED[publication]) <= set(found)
    assert all(all(cells) for cells in found.values()), "no cell is empty"


@pytest.mark.parametrize("publication", WANTED)
def test_what_ran_is_told_by_a_page_and_the_rest_was_not_run(publication: str) -> None:
    for name, (*_, ran, missing) in rows(publication).items():
        told = "](" in ran or "as wall times" in ran or "as figure 9" in ran or "not run" in ran
        assert told, f"{publication}, {name}: {ran}"
        assert re.search(r"\bNot (yet|here|known)", missing), f"{publication}, {name}: {missing}"


@pytest.mark.parametrize(
    ("name", "words"),
    [("table 1", "CPU share of the time"), ("table 2", "most page cache"), ("figure 3", "cpu-migrations")],
)
def test_what_boss_s_budgets_count_beside_them_is_on_the_example_page(name: str, words: str) -> None:
    *_, ran, _ = rows("BOSS")[name]
    assert words in (DOCS / "examples" / "boss-tuning.md").read_text()
    assert "](examples/boss-tuning.md)" in ran


COMMANDS = sorted(set(re.findall(r"`(assay [^`]+)`", TEXT)))


@pytest.mark.parametrize("line", COMMANDS)
def test_every_command_can_be_typed_and_its_scene_has_the_scale(line: str) -> None:
    words = shlex.split(line)[1:]
    arguments, context = list(words), click.Context(assay)
    found: click.Command = assay
    while isinstance(found, click.Group):
        _, inner, arguments = found.resolve_command(context, arguments)
        assert inner is not None
        found = inner
    found.make_context("assay", arguments, resilient_parsing=False)
    scale = words[words.index("--scale") + 1] if "--scale" in words else None
    for name in set(words) & set(ready_names()):
        assert find_scene(name, scale=scale).scale == scale


def test_every_scene_that_has_published_figures_of_the_five_is_named() -> None:
    named = set(re.findall(r"\(scenes/([a-z-]+)\.md", TEXT))
    keys = ("juno", "boss", "atlas", "proof", "ijclab")
    of_them = {
        name
        for name in ready_names()
        if any(wanted.figures.startswith(keys) for wanted in find_scene(name).published)
    }
    assert of_them - named == {"quick"}, "which is basic in short"
