"""Copies of one command: each where it was put, all of them counted."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import pytest

from tests.probe_native.driver import NO_GROUPS, is_counted, start

PYTHON = str(Path(sys.executable).resolve())
CPUS = sorted(os.sched_getaffinity(0))

TELL = """
import json, os
names = ("ASSAY_COPY", "ASSAY_COPIES", "ASSAY_THREADS")
policies = open("/proc/self/numa_maps").read() if os.path.exists("/proc/self/numa_maps") else None
print(json.dumps({"cpus": sorted(os.sched_getaffinity(0)), "nice": os.nice(0), "directory": os.getcwd(),
                  "policies": policies, "told": [os.environ.get(name) for name in names]}))
"""


def said(folder: Path, copy: int) -> dict[str, object]:
    value: dict[str, object] = json.loads((folder / f"stdout{f'.{copy}' if copy else ''}").read_text())
    return value


def test_each_copy_knows_itself_and_has_a_folder_and_an_output_of_its_own(tmp_path: Path) -> None:
    run = start(tmp_path, PYTHON, "-c", TELL, placement={"copies": 2, "threads": 3})
    assert [copy["copy"] for copy in run.record["copies"]] == [0, 1]
    for copy in (0, 1):
        value = said(run.folder, copy)
        assert value["told"] == [str(copy), "2", "3"]
        assert value["directory"] == f"{tmp_path}/work/copy-{copy}"


def test_the_number_of_a_copy_can_stand_in_its_command(tmp_path: Path) -> None:
    run = start(tmp_path, "echo", "copy {copy}", placement={"copies": 2})
    assert run.record["state"] == "ended"
    assert (run.folder / "stdout.1").read_text() == "copy 1\n"


def test_copies_stay_on_processors_of_their_own(tmp_path: Path) -> None:
    cpus = [[CPUS[-1]], [CPUS[0]]]
    run = start(tmp_path, PYTHON, "-c", TELL, placement={"copies": 2, "cpus": cpus})
    assert [copy["cpus"] for copy in run.record["copies"]] == cpus
    assert [said(run.folder, copy)["cpus"] for copy in (0, 1)] == cpus


def test_copies_are_bound_to_memory_nodes_and_run_at_the_nice_asked_for(tmp_path: Path) -> None:
    placement = {"copies": 2, "memory_nodes": [[0], [0]], "nice": 5}
    run = start(tmp_path, PYTHON, "-c", TELL, placement=placement)
    assert run.record["doubts"] == []
    assert [copy["memory_nodes"] for copy in run.record["copies"]] == [[0], [0]]
    assert [said(run.folder, copy)["nice"] for copy in (0, 1)] == [5, 5]
    policies = [str(said(run.folder, copy)["policies"]) for copy in (0, 1)]
    assert all(" bind:0 " in lines or lines == "None" for lines in policies)


def test_a_memory_node_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    record = start(tmp_path, "true", placement={"memory_nodes": [[1000]]}).record
    assert (record["state"], record["cause_kind"], record["usage"]) == ("failed", "start", None)
    assert "memory nodes" in record["cause"]


def test_staggered_copies_start_one_after_the_other(tmp_path: Path) -> None:
    at = time.monotonic_ns() + 200_000_000
    staggered = {"at_mono_ns": at, "stagger_s": 0.2}
    run = start(tmp_path, "true", placement={"copies": 3}, start=staggered)
    starts = [copy["started"]["mono_ns"] for copy in run.record["copies"]]
    assert starts == sorted(starts)
    assert all(then >= at + k * 200_000_000 for k, then in enumerate(starts))
    assert run.record["usage"]["wall_s"] >= (starts[2] - starts[0]) / 1e9


@pytest.mark.parametrize("through", [(), NO_GROUPS], ids=["group", "tree"])
def test_the_total_is_that_of_all_copies(tmp_path: Path, spin: str, through: tuple[str, ...]) -> None:
    script = "from burn import *\nspin(0.1 + 0.2 * int(os.environ['ASSAY_COPY'])); done()"
    run = start(
        tmp_path,
        PYTHON,
        "-c",
        script,
        through=through,
        placement={"copies": 2},
        environment={"PYTHONPATH": spin},
    )
    usage, copies = run.record["usage"], run.record["copies"]
    reported = [float((run.folder / name).read_text()) for name in ("stdout", "stdout.1")]
    assert is_counted(usage["user_s"] + usage["system_s"], told_s=sum(reported))
    for copy, told_s in zip(copies, reported, strict=True):
        assert is_counted(copy["user_s"] + copy["system_s"], told_s=told_s)


def test_a_copy_that_fails_fails_the_job(tmp_path: Path) -> None:
    record = start(tmp_path, "sh", "-c", "exit $((3 * ASSAY_COPY))", placement={"copies": 2}).record
    assert (record["state"], record["exit_code"], record["cause_kind"]) == ("failed", 3, "exit")
    assert [copy["exit_code"] for copy in record["copies"]] == [0, 3]
