"""How each number of a page is made again: by measuring, from the records, and from values alone."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from assay.model.metric import Direction
from assay.pages.context import Page, Row

TITLE = "Recipe"
NOTE = (
    "The last ones compute a loss from nothing but the values of the trials. What these do not tell is not "
    "in their interval: the site's floor, earlier looks, the resolution of a counter"
)


def recipe(page: Page) -> tuple[str, ...]:
    """Return the commands that make the numbers of a page again, in their order."""
    result = page.result
    again = ["assay", "evaluate", "--seed", f"{result.seed}", "--blocks", f"{result.blocks_planned}"]
    what = f"-- {result.command}" if result.command else shlex.quote(result.scene)
    return (
        _printable(f"{shlex.join(again)} {what}  # measure again, in the same order"),
        _line(["assay", "report", result.id, "--output", "report.html"], "this page from the records"),
        *_of_values(page),
    )


def _of_values(page: Page) -> Iterator[str]:
    given = {(trial.workload, value.metric) for trial in page.trials for value in trial.metrics}
    rows = [
        row
        for row in page.estimates
        if (row.workload, row.metric) in given and row.loss is not None and row.against is None
    ]
    if not rows:
        return
    command = ["assay", "report", page.result.id, "--table", "values", "--output", "values.csv"]
    yield _line(command, "the value of each trial")
    for row in rows:
        yield _line(_analysis(page, row), f"loss of {row.metric} of {row.workload}")


def _analysis(page: Page, row: Row) -> list[str]:
    """Return the command that computes the loss of a row from its values."""
    only = [f"workload={row.workload}", f"metric={row.metric}"]
    if row.treatment is not None:
        only += ["treatment=", f"treatment={row.treatment}"]
    kind = "rate" if row.direction is Direction.HIGHER else "time"
    words = ["assay", "analyse", "values.csv", "--kind", kind, "--margin", f"{page.result.margin:g}"]
    return [*words, *(word for one in only for word in ("--only", one))]


def _line(words: list[str], about: str) -> str:
    return _printable(f"{shlex.join(words)}  # {about}")


def _printable(line: str) -> str:
    """Return a line that stays one: what an imported result calls a metric may hold anything."""
    return "".join(letter if letter.isprintable() else "?" for letter in line)
