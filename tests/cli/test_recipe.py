"""The recipe of a page makes its numbers again: each of its commands is run."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from assay.report.method.recipe import recipe
from tests.command import run
from tests.results.test_outcome import PLAN


def commands(home: Path) -> list[list[str]]:
    """Return the commands of the recipe, without the program and what they are for."""
    text = run("report", "last", "--format", "md", home=home).out
    block = text.split("## Recipe")[1].split("```sh\n")[1].split("```")[0]
    return [shlex.split(line.rpartition("  # ")[0])[1:] for line in block.splitlines()]


def test_each_loss_is_computed_again_from_the_values_alone(measured: Path, tmp_path: Path) -> None:
    page = json.loads(run("report", "last", "--format", "json", home=measured).out)
    found = commands(measured)
    again, report, values, *losses = found
    assert again == ["evaluate", "--seed", str(PLAN.seed), "--blocks", str(PLAN.blocks), PLAN.scene]
    for words in (report, values):
        done = run(*words, home=measured, folder=tmp_path)
        assert done.code == 0, done.err
    assert (tmp_path / "report.html").exists()
    measured_rows = [row for row in page["estimates"] if row["loss"] is not None]
    assert len(losses) == len(measured_rows) > 0
    for words, row in zip(losses, measured_rows, strict=True):
        done = run(*words, "--json", home=measured, folder=tmp_path)
        assert done.code == 0, done.err
        (computed,) = done.page["estimates"]
        for name in ("loss", "low", "high", "blocks", "verdict"):
            assert computed[name] == (row[name] if name == "verdict" else pytest.approx(row[name])), name


def test_words_of_a_column_are_asked_for_as_column_and_word(measured: Path) -> None:
    done = run("analyse", "x.csv", "--only", "metric", home=measured)
    assert (done.code, "expected a column and a word in it, like metric=wall_time" in done.err) == (2, True)


def test_a_name_with_blanks_is_quoted_and_a_row_without_a_loss_left_out() -> None:
    from dataclasses import replace

    from tests.report.pages import partial_page

    page = partial_page()
    row = replace(page.estimates[0], metric="a b", loss=0.1, treatment=None, against=None)
    value = replace(page.trials[0].metrics[0], metric="a b")
    trial = replace(page.trials[0], workload=row.workload, metrics=(value,))
    lines = recipe(replace(page, estimates=(row, replace(row, loss=None)), trials=(trial,)))
    (line,) = (one for one in lines if one.startswith("assay analyse"))
    assert "--only 'metric=a b'" in line
