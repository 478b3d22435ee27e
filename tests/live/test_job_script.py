"""A job that is submitted by hand: it measures where it runs, and its result is taken in."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.live.parts import ITSELF, run

pytestmark = [pytest.mark.live, pytest.mark.long]


def test_a_job_measures_and_its_result_is_taken_in(tmp_path: Path) -> None:
    (tmp_path / "itself.yaml").write_text(ITSELF)
    printed = run(
        "evaluate", "itself.yaml", "--engine", "script", "--wait-quiet", "0 s",
        home=tmp_path / "home", folder=tmp_path,
    )  # fmt: skip
    assert printed.code == 0, printed.err
    (tmp_path / "job.sh").write_text(printed.out)
    (tmp_path / "assay").write_text(f'#!/bin/sh\nexec {sys.executable} -m assay "$@"\n')
    (tmp_path / "assay").chmod(0o755)
    (tmp_path / "results").mkdir()
    done = subprocess.run(
        ["sh", tmp_path / "job.sh"],
        env={**os.environ, "ASSAY": str(tmp_path / "assay"), "RESULTS": str(tmp_path / "results")},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (place,) = (tmp_path / "results").iterdir()
    assert f"result: {place}" in done.stdout
    home = tmp_path / "home"
    assert run("result", "import", str(place), home=home).code == 0
    shown = run("result", "show", place.name, "--json", home=home)
    assert (shown.code, shown.page["result"]["scene"]) == (0, "itself")
