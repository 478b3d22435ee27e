"""The list of results, while one of them is still measured."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from assay.platforms.claims import claim
from tests.cli.test_entry import run
from tests.results.test_outcome import PLAN


def test_a_result_that_is_still_measured_is_listed_as_running_and_as_interrupted_once_nobody_does(
    measured: Path,
) -> None:
    shutil.rmtree(measured / "activities" / PLAN.id / "trials" / PLAN.trials[-1].name)

    def state() -> str:
        (row,) = json.loads(run("result", "list", "--json", home=measured).stdout)["results"]
        return str(row["state"])

    assert state() == "interrupted"
    claim(measured, PLAN.id)
    assert state() == "running"
    assert " running " in run("result", "list", home=measured).stdout
    shown = run("result", "show", PLAN.id, "--json", home=measured)
    page = json.loads(shown.stdout)
    assert page["result"]["state"] == "running"
    assert "resume" not in shown.stderr + shown.stdout
    assert "**running**" in run("report", PLAN.id, "--format", "md", home=measured).stdout
