"""How many processes a job has, while they come and go and however few files may be open."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.probe_native.driver import NO_GROUPS, Run, reported, start, wait_for

PYTHON = str(Path(sys.executable).resolve())
SCOPES = pytest.mark.parametrize("through", [(), NO_GROUPS], ids=["group", "tree"])
FEW_FILES = ("sh", "-c", 'ulimit -Hn 64; ulimit -n 64; exec "$@"', "sh")

COME_AND_GO = """
import os, signal, sys, time
children = []
def rows(): return open(sys.argv[1]).read().count("\\n")
for wanted in (3, 8, 1, 5, 0):
    while len(children) < wanted:
        child = os.fork()
        if not child: time.sleep(60)
        children.append(child)
    while len(children) > wanted:
        child = children.pop(); os.kill(child, signal.SIGKILL); os.waitpid(child, 0)
    begin, seen = time.monotonic_ns(), rows()
    # In the time of one step nothing is made or ended; the first of its samples may have been begun before.
    while rows() < seen + 5: time.sleep(0.005)
    print(begin, time.monotonic_ns(), wanted + 1, flush=True)
"""


def steps(run: Run) -> list[tuple[int, ...]]:
    """From when to when the job had how many processes, as it says itself."""
    return [tuple(map(int, line.split())) for line in run.stdout.splitlines()]


@SCOPES
def test_processes_are_counted_right_while_they_come_and_go(tmp_path: Path, through: tuple[str, ...]) -> None:
    samples = tmp_path / "run0/samples.csv"
    run = start(tmp_path, PYTHON, "-c", COME_AND_GO, str(samples), through=through, interval_s=0.02)
    assert run.record["state"] == "ended"
    assert len(steps(run)) == 5
    for begin, end, processes in steps(run):
        inside = [
            sample["job_processes"] for sample in run.samples() if begin < (sample["mono_ns"] or 0) < end
        ]
        # A sample is written some time after its moment: the last one may be of the step that follows.
        assert len(inside) > 3
        assert set(inside[:-1]) == {processes}


@SCOPES
def test_a_tree_of_a_hundred_is_counted_with_64_descriptors(
    tmp_path: Path, spin: str, through: tuple[str, ...]
) -> None:
    script = """
wait, go = os.pipe()
for _ in range(99):
    if not os.fork(): os.close(go); spin(0.005); os.read(wait, 1); done()
time.sleep(0.3)
os.close(go)
for _ in range(99): os.wait()
done()
"""
    run = start(
        tmp_path,
        PYTHON,
        "-c",
        f"from burn import *\n{script}",
        through=(*FEW_FILES, *through),
        environment={"PYTHONPATH": spin},
        interval_s=0.1,
    )
    record = run.record
    assert record["state"] == "ended", record["cause"]
    assert max(sample["job_processes"] or 0 for sample in run.samples()) == 100
    told_s = sum(map(float, run.stdout.split()))
    assert record["usage"]["user_s"] + record["usage"]["system_s"] == pytest.approx(told_s, rel=0.15)
    assert record["usage"]["logical_read_bytes"] > 0


@SCOPES
def test_the_probe_holds_no_more_files_than_it_may(tmp_path: Path, through: tuple[str, ...]) -> None:
    script = "i=0; while [ $i -lt 99 ]; do sleep 60 & i=$((i+1)); done; wait"
    run = start(tmp_path, "sh", "-c", script, through=(*FEW_FILES, *through), interval_s=0.05)
    wait_for(lambda: (reported("status", run.folder)["sample"] or {}).get("job_processes") == 100)
    pid = reported("status", run.folder)["pid"]
    held = subprocess.run(["ls", f"/proc/{pid}/fd"], capture_output=True, check=True).stdout.split()
    assert len(held) < 64
    reported("stop", run.folder)
    assert run.record["cause_kind"] == "stopped"
