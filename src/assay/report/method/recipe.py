"""How each number of a page is made again: by measuring, from the records, and from values alone."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from assay.model.metric import Direction
from assay.pages.context import Page, Row
from assay.pages.fleet import FleetPage
from assay.pages.several import SeveralPage

TITLE = "Recipe"
NOTE = (
    "The last ones compute a loss from nothing but the values of the trials. What these do not tell is not "
    "in their interval: the site's floor, earlier looks, the resolution of a counter"
)


def recipe(page: Page) -> tuple[str, ...]:
    """Return the commands that make the numbers of a page again, in their order."""
    return (
        _scene(page.result.id),
        _line(["assay", "evaluate", f"{page.result.id}.yaml"], "measure again, in the same order"),
        _whole([page.result.id]),
        *_of_values(page),
    )


def fleet_recipe(page: FleetPage) -> tuple[str, ...]:
    """Return the commands that make the numbers of several machines again, in their order."""
    again = ["assay", "evaluate", f"{page.id}.yaml", "--on", ",".join(lane.machine for lane in page.lanes)]
    again += [] if page.drain is None else page.drain.split()
    return (
        _scene(page.id),
        _line(again, "measure the same machines again, each in the same order"),
        _whole([page.id]),
        *(_own(lane.activity, lane.machine) for lane in page.lanes if lane.trials),
    )


def several_recipe(page: SeveralPage) -> tuple[str, ...]:
    """Return the commands that make the numbers of several results again, in their order."""
    ids = list(dict.fromkeys(one.result.id for one in page.results))
    two = [_line(["assay", "result", "compare", *ids], "how much more the second loses")]
    return (_whole(ids), *(two if len(ids) == 2 else ()), *(_own(one, one) for one in ids))


def _scene(result: str) -> str:
    what = "the scene as it was measured"
    return _line(["assay", "result", "scene", result, "--output", f"{result}.yaml"], what)


def _whole(results: list[str]) -> str:
    return _line(["assay", "report", *results, "--output", "report.html"], "this page from the records")


def _own(result: str, name: str) -> str:
    return _line(["assay", "report", result], f"the numbers of {name}, and their recipe")


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
