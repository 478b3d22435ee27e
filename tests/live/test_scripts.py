"""Scripts of a scene around real trials: each at its time, and taken down after a kill in any of them."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.in_gate import in_gate
from tests.live.parts import Activity, activities, newest, run, started

pytestmark = pytest.mark.live

SCENE = """\
scene: scripted
title: Scripts around trials
baseline: {{machine: local}}
treatment: {{machine: local, factors: {{cpu.quota: 50 %}}}}
workloads: [{{name: job, command: "true"}}]
design: {{blocks: 3, shape: pairs, seed: 5}}
scripts:
  host: {{setup: ./note.sh {folder}, check: ./note.sh {folder}, teardown: ./note.sh {folder}}}
  baseline: {{start: ./note.sh {folder}}}
  treatment:
    setup: ./note.sh {folder}
    check: ./note.sh {folder}
    start: ./note.sh {folder}
    teardown: ./note.sh {folder}
"""
NOTE = """\
#!/bin/sh
echo "$ASSAY_ROLE $ASSAY_PHASE" >> "$1/log"
if [ "$(cat "$1/hold" 2>/dev/null)" = "$ASSAY_ROLE $ASSAY_PHASE" ]; then
  rm "$1/hold"
  touch "$1/held"
  sleep 20
fi
"""
HOLDS = ["treatment setup", "host setup", "host check", "treatment check", "treatment start"]
TREATMENT = ["treatment setup", "treatment check", "treatment start", "treatment teardown"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tmp_path.chmod(0o755)
    (tmp_path / "note.sh").write_text(NOTE)
    (tmp_path / "note.sh").chmod(0o755)
    (tmp_path / "scripted.yaml").write_text(SCENE.format(folder=tmp_path))
    return tmp_path


def log(folder: Path) -> list[str]:
    return (folder / "log").read_text().splitlines()


def test_each_script_runs_at_its_time_and_what_it_printed_is_kept(folder: Path, home: Path) -> None:
    before = activities(home)
    done = run("evaluate", str(folder / "scripted.yaml"), "--json", home=home)
    assert done.code == 0, done.err
    ran = log(folder)
    assert (ran[:2], ran[-1]) == (["host setup", "host check"], "host teardown")
    assert ran.count("baseline start") == 3
    of_treatment = [line for line in ran if line.startswith("treatment")]
    assert of_treatment == TREATMENT * 3
    activity = newest(home, before)
    assert activity is not None
    kept = list((activity.folder / "scripts").iterdir())
    assert len(kept) == len(ran)


@pytest.mark.parametrize("hold", in_gate([*HOLDS, "treatment teardown", "host teardown"], 1))
def test_a_kill_in_any_script_leaves_nothing_set_up_once_it_is_resumed(
    folder: Path, home: Path, hold: str
) -> None:
    activity = killed(folder, home, hold)
    before = log(folder)
    done = run("activity", "resume", activity.id, "--json", home=home)
    assert done.code == 0, done.err
    ran = log(folder)
    if hold != "host teardown":
        again = ran.index("host setup", len(before))
        assert f"{hold.split(maxsplit=1)[0]} teardown" in ran[len(before) : again]
    for one in ("host", "treatment"):
        setups, ends = (sum(line == f"{one} {phase}" for line in ran) for phase in ("setup", "teardown"))
        assert ends >= setups, ran
    assert not [*(activity.folder / "scripts").glob("*.left")]


def killed(folder: Path, home: Path, hold: str) -> Activity:
    """Begin an evaluation, and kill it while a script runs."""
    before = activities(home)
    (folder / "hold").write_text(hold)
    with started("evaluate", str(folder / "scripted.yaml"), home=home, scratch=folder) as running:
        running.wait_for((folder / "held").exists, f"{hold} runs")
        running.send(signal.SIGKILL)
        running.end()
    activity = newest(home, before)
    assert activity is not None
    return activity


def test_a_check_that_fails_ends_the_evaluation_before_any_trial(folder: Path, home: Path) -> None:
    text = (
        (folder / "scripted.yaml").read_text().replace("    check: ./note.sh", "    check: test -e /none #")
    )
    (folder / "failing.yaml").write_text(text)
    done = run("evaluate", str(folder / "failing.yaml"), home=home)
    assert done.code == 4
    assert "the check of treatment failed (exit code 1)" in done.err
    assert log(folder)[-2:] == ["treatment teardown", "host teardown"]


def test_what_is_never_resumed_is_taken_down_by_cleaning_up(folder: Path, home: Path) -> None:
    activity = killed(folder, home, "treatment check")
    before = log(folder)
    listed = run("platform", "clean", "--dry-run", "--json", home=home).page["leftovers"]
    assert [one["removed"] for one in listed if one["kind"] == "script"] == [False]
    cleaned = run("platform", "clean", "--json", home=home).page["leftovers"]
    assert [one["removed"] for one in cleaned if one["kind"] == "script"] == [True]
    assert sorted(log(folder)[len(before) :]) == ["host teardown", "treatment teardown"]
    assert run("activity", "resume", activity.id, home=home).code == 0
