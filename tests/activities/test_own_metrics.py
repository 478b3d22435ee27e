"""An activity on this machine alone: the example of jobs that say figures of their own, and one that does not
succeed.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.live.parts import Activity, Done, activities, fits, run

pytestmark = [pytest.mark.live, pytest.mark.long]

EXAMPLES = Path(__file__).parents[2] / "examples"
BROKEN = """\
  - name: broken
    command: "sh -c 'echo ERROR: no geometry >&2'"
    success: {absent: ERROR}
"""


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> tuple[Done, Activity]:
    """Evaluate the scene; return what it said and its activity."""
    folder = tmp_path_factory.mktemp("own")
    head, design = (EXAMPLES / "own-figures.yaml").read_text().split("\ndesign:")
    (folder / "own.yaml").write_text(f"{head}{BROKEN}\ndesign:{design}")
    shutil.copy(EXAMPLES / "own-figures.sh", folder)
    done = run("evaluate", str(folder / "own.yaml"), "--seed", "1", "--json", home=folder / "home")
    assert done.code == 5, done.err
    (activity,) = activities(folder / "home")
    return done, activity


def test_what_jobs_say_is_measured_beside_their_times(evaluated: tuple[Done, Activity]) -> None:
    rows = {(row["workload"], row["metric"]): row for row in evaluated[0].page["estimates"]}
    names = [metric for workload, metric in rows if workload == "summary"]
    assert names == ["wall_time", "cpu_time", "rate", "output"]
    assert rows["summary", "output"]["baseline_value"] == pytest.approx(len("200000 steps by copy 0\n"))
    assert rows["summary", "rate"]["baseline_value"] > 0
    assert rows["summary", "rate"]["low"] < rows["summary", "rate"]["loss"] < rows["summary", "rate"]["high"]
    assert rows["log", "rate"]["baseline_value"] == pytest.approx(30.0)
    assert rows["log", "rate"]["loss"] == 0
    assert rows["summary", "rate"]["unit"] == "steps/s"


def test_a_job_that_did_not_succeed_is_failed_with_its_cause(evaluated: tuple[Done, Activity]) -> None:
    broken = [record for record in evaluated[1].records if record["planned"]["workload"] == "broken"]
    assert {record["state"] for record in broken} == {"failed"}
    assert {tuple(record["measurements"]) for record in broken} == {()}
    cause = (
        "the job did not succeed: expected no line that matches 'ERROR', got line 1 of standard error: "
        "'ERROR: no geometry'"
    )
    assert {record["cause"] for record in broken} == {cause}
    rows = [row for row in evaluated[0].page["estimates"] if row["workload"] == "broken"]
    assert [row["verdict"] for row in rows] == ["not measured"] * 2
    assert all("no geometry" in row["reason"] for row in rows)


def test_another_exit_code_that_is_good_is_kept_as_it_was(evaluated: tuple[Done, Activity]) -> None:
    log = [record for record in evaluated[1].records if record["planned"]["workload"] == "log"]
    assert {(record["state"], record["exit_code"], record["cause_kind"]) for record in log} == {
        ("ended", 3, None)
    }


def test_plan_and_records_keep_to_their_contracts(evaluated: tuple[Done, Activity]) -> None:
    fits(evaluated[1].plan, "activity")
    for record in evaluated[1].records:
        fits(record, "record")


def test_the_files_of_each_copy_are_kept_with_its_trial(evaluated: tuple[Done, Activity]) -> None:
    for trial in Path(evaluated[1].folder, "trials").glob("*-summary"):
        for copy in (0, 1):
            assert '"rate"' in (trial / f"files/copy-{copy}/out/summary.json").read_text()
            assert not (trial / f"files/copy-{copy}/out/hits.dat").exists()


def test_the_method_says_how_figures_were_read(evaluated: tuple[Done, Activity]) -> None:
    said = " ".join(evaluated[0].page["method"])
    assert (
        "Figures that log says itself: rate by '^rate ([0-9.]+) ev/s' in run.log (mean of several)." in said
    )
    assert "log has succeeded where it exits with 0 or 3." in said
