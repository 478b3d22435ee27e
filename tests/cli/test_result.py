"""The list of results, while one of them is still measured."""

from __future__ import annotations

import shutil
from pathlib import Path

from assay.platforms.claims import claim
from tests.command import run
from tests.results.test_outcome import PLAN


def test_a_result_that_is_still_measured_is_listed_as_running_and_as_interrupted_once_nobody_does(
    measured: Path,
) -> None:
    shutil.rmtree(measured / "activities" / PLAN.id / "trials" / PLAN.trials[-1].name)

    def state() -> str:
        (row,) = run("result", "list", "--json", home=measured).page["results"]
        return str(row["state"])

    assert state() == "interrupted"
    claim(measured, PLAN.id)
    assert state() == "running"
    assert " running " in run("result", "list", home=measured).out
    shown = run("result", "show", PLAN.id, "--json", home=measured)
    page = shown.page
    assert page["result"]["state"] == "running"
    assert "resume" not in shown.err + shown.out
    assert "**running**" in run("report", PLAN.id, "--format", "md", home=measured).out
