"""How many processes a job has, while they come and go and however few files may be open."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.probe_native.driver import NO_GROUPS, Run, start, told, wait_for

PYTHON = str(Path(sys.executable).resolve())
SCOPES = pytest.mark.parametrize("through", [(), NO_GROUPS], ids=["group", "tree"])
FEW_FILES = ("sh", "-c", 'ulimit -Hn 64; ulimit -n 64; exec "$@"', "sh")

COME_AND_GO = """
import os, signal, time
children = []
for wanted in (3, 8, 1, 5, 0):
    while len(children) < wanted:
        child = os.fork()
        if not child: time.sleep(60)
        children.append(child)
    while len(children) > wanted:
        child = children.pop(); os.kill(child, signal.SIGKILL); os.waitpid(child, 0)
    print(time.monotonic_ns(), wanted + 1, flush=True)
    time.sleep(0.3)
"""


def changes(run: Run) -> list[tuple[int, int]]:
    """When the job said that it has how many processes."""
    return [(int(line.split()[0]), int(line.split()[1])) for line in run.stdout.splitlines()]


@SCOPES
def test_processes_are_counted_right_while_they_come_and_go(tmp_path: Path, through: tuple[str, ...]) -> None:
    run = start(tmp_path, PYTHON, "-c", COME_AND_GO, through=through, interval_s=0.02)
    samples = run.samples()[:-1]
    steps = changes(run)
    for (begin, processes), (end, _) in zip(
        steps, [*steps[1:], (steps[-1][0] + 250_000_000, 0)], strict=True
    ):
        # In the time of one step nothing is made or ended: the next step may begin before it says so.
        inside = [
            sample["job_processes"]
            for sample in samples
            if begin < (sample["mono_ns"] or 0) < end - 50_000_000
        ]
        assert len(inside) > 3
        assert set(inside) == {processes}


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
    wait_for(lambda: (told("status", run.folder)["sample"] or {}).get("job_processes") == 100)
    pid = told("status", run.folder)["pid"]
    held = subprocess.run(["ls", f"/proc/{pid}/fd"], capture_output=True, check=True).stdout.split()
    assert len(held) < 64
    told("stop", run.folder)
    assert run.record["cause_kind"] == "stopped"
