"""What a job does to us must neither hold us up nor falsify its figures."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import pytest

from tests.probe_native.driver import NO_GROUPS, reported, start

PYTHON = str(Path(sys.executable).resolve())
GROUPS = Path("/sys/fs/cgroup")
EVENTS = {"marks": [], "events": "^event"}


def ours() -> set[Path]:
    return {path for path in GROUPS.glob("*/**/assay/*") if path.is_dir()}


@pytest.mark.live
def test_usage_is_of_the_job_and_not_of_what_folds_its_stacks(tmp_path: Path) -> None:
    plain = start(tmp_path, "true").record["usage"]
    profiled = start(tmp_path, "true", profile={"hz": 99}).record["usage"]
    assert profiled["rss_bytes"] < 2 * plain["rss_bytes"]
    assert profiled["minor_faults"] < 2 * plain["minor_faults"] + 100


def test_a_job_that_logs_without_end_is_stopped_at_its_time_limit(tmp_path: Path) -> None:
    limits = {"time_limit_s": 0.5, "grace_s": 0.2}
    endless = "while :; do echo event; done"  # slower than its output would reach the limit
    record = start(tmp_path, "sh", "-c", endless, phases=EVENTS, interval_s=0.1, **limits).record
    assert record["timed_out"]
    assert record["phases"][0]["events"] > 1000


def test_a_log_that_nobody_writes_to_holds_nobody_up(tmp_path: Path) -> None:
    os.makedirs(tmp_path / "work")
    os.mkfifo(tmp_path / "work/log")
    record = start(tmp_path, "sleep", "0.2", phases=EVENTS | {"log": "log"}).record
    assert record["state"] == "ended"
    assert record["usage"]["wall_s"] >= 0.2


@pytest.mark.live
def test_a_run_that_cannot_be_prepared_leaves_no_group(tmp_path: Path) -> None:
    before = ours()
    record = start(tmp_path, "true", cache={"state": "cold", "paths": ["/no/such"]}).record
    assert (record["state"], record["cause_kind"]) == ("failed", "start")
    assert "/no/such" in record["cause"]
    made = {group for group in ours() - before if not Path("/proc", group.name.partition("-")[0]).exists()}
    assert not made, "groups of a probe that has ended"


def test_a_stop_before_the_start_is_a_stop(tmp_path: Path) -> None:
    at = time.clock_gettime_ns(time.CLOCK_MONOTONIC) + 60_000_000_000
    run = start(tmp_path, "true", start={"at_mono_ns": at})
    reported("stop", run.folder)
    assert run.record["cause_kind"] == "stopped"


@pytest.mark.live
def test_a_process_whose_first_thread_has_ended_is_left_over_without_a_group_too(tmp_path: Path) -> None:
    script = """
import ctypes, os, threading, time
if os.fork(): os._exit(0)
threading.Thread(target=time.sleep, args=(60,)).start()
ctypes.CDLL(None).syscall(60, 0)
"""
    record = start(tmp_path, PYTHON, "-c", script, through=NO_GROUPS).record
    assert (record["scope"], record["leftover_processes"]) == ("tree", 1)


@pytest.mark.live
def test_writing_of_children_that_nobody_waits_for_is_a_doubt(tmp_path: Path) -> None:
    script = """
import os, signal, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for _ in range(2):
    if not os.fork():
        nothing = os.open("/dev/null", os.O_WRONLY)
        while time.process_time() < 0.2: os.write(nothing, bytes(1 << 20))
        os._exit(0)
    try: os.wait()
    except ChildProcessError: pass
"""
    record = start(tmp_path, PYTHON, "-c", script, interval_s=0.05).record
    assert "io-incomplete" in [doubt["code"] for doubt in record["doubts"]]


def test_the_last_row_is_told_of_a_file_of_any_size(tmp_path: Path) -> None:
    run = start(tmp_path, "sleep", "1.2", interval_s=0.01)
    assert run.record
    sample = reported("status", run.folder, part="status")["sample"]
    assert sample["mono_ns"] == json.loads(json.dumps(run.samples()[-1]["mono_ns"]))
    assert (run.folder / "samples.csv").stat().st_size > 4096
