"""Totals are the kernel's, whoever the children's parents are."""

from __future__ import annotations

import resource
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from tests.probe_native.driver import TICK_S, Run, is_counted, start

PYTHON = str(Path(sys.executable).resolve())


def burn(tmp_path: Path, spin: str, script: str, **fields: object) -> Run:
    return start(
        tmp_path, PYTHON, "-c", f"from burn import *\n{script}", environment={"PYTHONPATH": spin}, **fields
    )


def cpu_s(run: Run) -> float:
    usage = run.record["usage"]
    return float(usage["user_s"] + usage["system_s"])


def test_cpu_seconds_agree_with_the_kernels_account_within_a_tick(tmp_path: Path, spin: str) -> None:
    script = """
import resource
for _ in range(3):
    if not os.fork(): spin(0.1); os._exit(0)
    os.wait()
spin(0.3)
used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
os.write(1, str(sum(u.ru_utime + u.ru_stime for u in used)).encode())
os._exit(0)
"""
    run = burn(tmp_path, spin, script)
    assert is_counted(cpu_s(run), told_s=float(run.stdout)), (cpu_s(run), run.stdout)


def test_children_of_a_thread_are_counted(tmp_path: Path, spin: str) -> None:
    script = """
import subprocess, threading
args = [sys.executable, "-c", "from burn import *; spin(0.5)"]
thread = threading.Thread(target=subprocess.run, args=(args,)); thread.start(); thread.join()
"""
    assert cpu_s(burn(tmp_path, spin, script)) >= 0.5


def test_daemonised_children_are_counted(tmp_path: Path, spin: str) -> None:
    script = """
ready, done = os.pipe()
if not os.fork():
    os.setsid()
    if not os.fork(): spin(0.5); os.write(done, b"x"); os._exit(0)
    os._exit(0)
os.wait(); os.read(ready, 1); time.sleep(0.02)
"""
    run = burn(tmp_path, spin, script)
    assert cpu_s(run) >= 0.5
    assert run.record["leftover_processes"] == 0


@pytest.mark.live
def test_children_that_nobody_waits_for_are_counted(tmp_path: Path, spin: str) -> None:
    script = """
import signal
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
if not os.fork(): spin(0.5); os._exit(0)
try: os.wait()
except ChildProcessError: pass
"""
    run = burn(tmp_path, spin, script)
    assert run.record["limits"]["by"].startswith("cgroup")
    assert cpu_s(run) >= 0.5


def test_a_process_left_behind_is_killed_and_counted(tmp_path: Path, spin: str) -> None:
    script = """
if not os.fork():
    os.setsid()
    if not os.fork(): print(os.getpid(), flush=True); spin(60)
    os._exit(0)
os.wait(); time.sleep(0.3)
"""
    run = burn(tmp_path, spin, script)
    assert run.record["leftover_processes"] == 1
    assert run.record["state"] == "ended"
    assert not Path(f"/proc/{run.stdout.strip()}").exists()


def test_a_name_with_blanks_and_brackets_does_not_confuse_the_samples(tmp_path: Path) -> None:
    program = tmp_path / "my ) spin ("
    program.write_bytes(Path(PYTHON).read_bytes())
    program.chmod(0o755)
    script = "import os, time\nwhile time.process_time() < 0.5: pass\n"
    script += "os.write(1, str(time.process_time()).encode()); os._exit(0)"
    home = {"PYTHONHOME": sys.base_prefix}
    run = start(tmp_path, str(program), "-c", script, interval_s=0.1, environment=home)
    assert is_counted(cpu_s(run), told_s=float(run.stdout)), (cpu_s(run), run.stdout)
    assert max(sample["job_processes"] or 0 for sample in run.samples()) == 1


def test_bytes_written_by_children_are_counted(tmp_path: Path) -> None:
    script = "for i in 1 2 3; do dd if=/dev/zero of=f$i bs=1M count=4 conv=fsync 2>/dev/null & done; wait"
    run = start(tmp_path, "sh", "-c", script)
    written = run.record["usage"]["write_bytes"]
    assert written is not None
    assert 12 << 20 <= written < 13 << 20


def test_the_largest_resident_set_is_that_of_the_largest_process(tmp_path: Path) -> None:
    run = start(tmp_path, PYTHON, "-c", "x = b'x' * (100 << 20)")
    assert 100 << 20 <= run.record["usage"]["rss_bytes"] < 150 << 20


def test_wall_time_is_of_the_first_process_and_of_nothing_else(tmp_path: Path) -> None:
    # What the shell leaves behind would last for minutes.
    script = "sleep 600 & cat /proc/uptime; sleep 0.2; cat /proc/uptime"
    run = start(tmp_path, "sh", "-c", script)
    wall_s = run.record["usage"]["wall_s"]
    begin, end = (float(line.split()[0]) for line in run.stdout.splitlines())
    assert end - begin - TICK_S <= wall_s < 60
    ended, started = (run.record[name]["mono_ns"] for name in ("ended", "started"))
    assert wall_s == pytest.approx((ended - started) / 1e9, abs=1e-6)


def test_samples_follow_an_absolute_schedule_and_end_with_the_job(tmp_path: Path) -> None:
    run = start(tmp_path, "sleep", "1.05", interval_s=0.1)
    record, samples = run.record, run.samples()
    begin = record["started"]["mono_ns"]
    first, *inside, last = [int(sample["mono_ns"] or 0) - begin for sample in samples]
    assert record["cost"]["samples"] == len(samples)
    # Each slot once and none before its time; a busy machine misses some.
    slots = [offset // 100_000_000 for offset in inside]
    assert slots == sorted(set(slots))
    assert set(slots) <= set(range(1, last // 100_000_000 + 1))
    assert first >= 0
    assert last >= record["ended"]["mono_ns"] - begin


def test_cumulative_figures_never_go_down(tmp_path: Path) -> None:
    script = "for i in 1 2 3 4 5 6 7 8 9; do head -c 5000000 /dev/urandom | sha256sum; done"
    samples = start(tmp_path, "sh", "-c", script, interval_s=0.02).samples()
    for name in ("job_user_s", "job_system_s", "job_write_bytes", "machine_user_s"):
        values = [value for sample in samples if (value := sample[name]) is not None]
        assert values == sorted(values), name
        assert len(values) == len(samples) or name == "job_write_bytes", "I/O is not read at any cost"


def test_the_first_and_the_last_sample_have_the_job_s_io(tmp_path: Path) -> None:
    script = "for i in $(seq 300); do sleep 1 & done; head -c 5000000 /dev/zero >file; sync; wait"
    run = start(tmp_path, "sh", "-c", script, interval_s=0.05)
    told = [sample["job_logical_write_bytes"] is not None for sample in run.samples()]
    assert (told[0], told[-1]) == (True, True)
    assert 2 <= sum(told) < len(told), "300 processes are too dear for each sample"
    assert run.samples()[-1]["job_logical_write_bytes"] >= 5_000_000


def test_watching_costs_little_and_says_so(tmp_path: Path) -> None:
    run = start(tmp_path, "sleep", "2", interval_s=0.1)
    cost = run.record["cost"]
    assert cost["cpu_s"] < 0.1
    assert cost["rss_bytes"] < 8 << 20
    assert resource.getpagesize() <= cost["rss_bytes"]
    times = [sample["mono_ns"] or 0 for sample in run.samples()]
    gaps = [later - sooner for sooner, later in pairwise(times)]
    assert cost["largest_gap_s"] == pytest.approx(max(gaps) / 1e9, abs=1e-6)
