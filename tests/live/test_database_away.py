"""The database is killed while an activity is measured: nothing is lost, and nothing is there twice."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.live.parts import ASSAY, ITSELF, LONG_S, Done, at_once, environment, run
from tests.postgres import Server, running

pytestmark = pytest.mark.live

BLOCKS = 12
TRIALS = 2 * BLOCKS


@pytest.fixture
def server() -> Iterator[Server]:
    with running() as own:
        yield own


@pytest.fixture
def home(server: Server, tmp_path: Path) -> Path:
    """Return a home whose rows are on the server."""
    made = tmp_path / "home"
    done = run("store", "move", server.database("rows"), "--controller", "ctl01", home=made)
    assert done.code == 0, done.err
    return made


class Evaluation:
    """An evaluation that goes on while a test does something."""

    def __init__(self, home: Path) -> None:
        self.home = home
        scene = home.parent / "itself.yaml"
        scene.write_text(ITSELF)
        words = at_once("evaluate", str(scene), "--blocks", f"{BLOCKS}", "--seed", "1", "--json")
        self._process = subprocess.Popen(
            [*ASSAY, *words],
            env=environment(home),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def wait_for(self, records: int) -> None:
        """Wait until so many trials have their record."""
        end = time.monotonic() + LONG_S
        while len(list(self.home.glob("activities/*/trials/[!.]*/trial.json"))) < records:
            assert time.monotonic() < end
            assert self._process.poll() is None, self._process.communicate()
            time.sleep(0.02)

    def end(self) -> Done:
        out, err = self._process.communicate(timeout=LONG_S)
        return Done(self._process.returncode, out, err, 0.0)


def rows(server: Server, home: Path) -> list[list[str]]:
    address = json.loads((home / "database.json").read_text())["url"]
    name = address.split("/")[3].partition("?")[0]
    said = server.sql("SELECT trial, state, value FROM measurements JOIN trials USING (result, trial) "
                      "WHERE metric = 'wall_time' ORDER BY trial", name)  # fmt: skip
    return [line.split("|") for line in said.splitlines()]


def measured(home: Path) -> dict[str, float]:
    """Return the wall time of each trial by its record."""
    found = {}
    for file in home.glob("activities/*/trials/[!.]*/trial.json"):
        record = json.loads(file.read_text())
        (value,) = (one["value"] for one in record["measurements"] if one["metric"]["name"] == "wall_time")
        found[str(record["planned"]["index"])] = value
    return found


def test_killed_and_started_anew_while_trials_run(server: Server, home: Path) -> None:
    evaluation = Evaluation(home)
    evaluation.wait_for(5)
    server.stop("immediate")
    evaluation.wait_for(10)
    server.start()
    done = evaluation.end()
    assert done.code in {0, 5}, done.err
    assert "cannot reach the database" in done.err
    assert "trials go on, and their rows follow" in done.err
    assert "the database is back, with the rows of all trials" in done.err
    records = measured(home)
    assert len(records) == TRIALS
    found = rows(server, home)
    assert [row[0] for row in found] == [str(number) for number in range(TRIALS)]
    assert {row[0]: float(row[2]) for row in found} == pytest.approx(records)
    (row,) = run("activity", "list", "--json", home=home).page["activities"]
    assert (row["state"], row["trials"], row["ended"], row["failed"]) == ("complete", TRIALS, TRIALS, 0)


@pytest.mark.long
def test_killed_and_never_back_before_the_end(server: Server, home: Path) -> None:
    evaluation = Evaluation(home)
    evaluation.wait_for(5)
    server.stop("immediate")
    done = evaluation.end()
    assert done.code in {0, 5}, done.err
    assert json.loads(done.out)["result"]["state"] == "complete"
    assert "records are whole, and rows follow once it is back" in done.err
    assert len(measured(home)) == TRIALS
    done = run("result", "list", home=home)
    assert (done.code, "cannot reach the database" in done.err) == (4, True)
    server.start()
    assert run("result", "show", "last", home=home).code == 0
    assert len(rows(server, home)) == TRIALS
    (row,) = run("activity", "list", "--json", home=home).page["activities"]
    assert (row["state"], row["ended"]) == ("complete", TRIALS)
