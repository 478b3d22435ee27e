"""The defects of prmon, each with the case that shows it: P1 to P12 of docs/prmon.md."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.probe_native.driver import is_counted, wait_for
from tests.probe_native.prmon_run import Monitored, begin, ended, prmon, runs

PYTHON = str(Path(sys.executable).resolve())
# What each process of the job tells of itself, by the kernel's own account, as its last act.
ACCOUNT = """
import resource
def leave(children=True):
    used = [resource.getrusage(resource.RUSAGE_SELF)]
    if children: used.append(resource.getrusage(resource.RUSAGE_CHILDREN))
    os.write(1, f"{sum(u.ru_utime + u.ru_stime for u in used)}\\n".encode())
    os._exit(0)
"""


def account(tmp_path: Path, spin: str, script: str, *options: object) -> Monitored:
    """Monitors a Python job whose processes print what they used."""
    code = f"import sys; sys.path.insert(0, {spin!r})\nfrom burn import *\n{ACCOUNT}\n{script}"
    run = prmon(tmp_path, *(options or ("-i", 0.1)), "-s", "--", PYTHON, "-c", code)
    assert run.code == 0, run.stderr
    return run


def kernels(run: Monitored) -> float:
    return sum(map(float, run.stdout.split()))


def test_p1_samples_come_at_the_interval_and_not_a_second_later(tmp_path: Path) -> None:
    run = prmon(tmp_path, "-i", 1, "-s", "--", "sleep", 3.3)
    wall_s = run.summary["probe"]["wall_ns"] // 1_000_000_000
    *slots, last = [row["wtime"] for row in run.rows]
    # No slot twice and none before its time; a busy machine may miss one.
    assert slots[0] == 0
    assert slots == sorted(set(slots))
    assert set(slots) <= set(range(wall_s + 1))
    assert last == wall_s >= 3


def test_p2_the_last_partial_interval_is_counted(tmp_path: Path, spin: str) -> None:
    run = account(tmp_path, spin, "spin(0.3); time.sleep(0.9); spin(0.3); leave()", "-i", 30)
    assert is_counted(run.cpu_s, told_s=kernels(run))
    assert [row["wtime"] for row in run.rows] == [0, run.summary["Max"]["wtime"]]
    assert run.summary["Max"]["wtime"] >= 1
    assert run.rows[-1]["utime_ms"] == pytest.approx(run.summary["Max"]["utime"] * 1000, abs=1)


def test_p3_averages_of_io_are_totals_by_wall_time(tmp_path: Path) -> None:
    run = prmon(
        tmp_path, "-i", 0.2, "-s", "--", "sh", "-c", "head -c 8000000 /dev/zero > f; sleep 0.5; cat f > g"
    )
    highest, mean = run.summary["Max"], run.summary["Avg"]
    wall_s = run.summary["probe"]["wall_ns"] / 1e9
    assert 16_000_000 <= highest["wchar"] < 16_100_000
    for name in ("rchar", "wchar", "read_bytes", "write_bytes", "rx_bytes", "tx_packets"):
        assert mean[name] == pytest.approx(highest[name] / wall_s, abs=1), name


def test_p4_a_blank_in_the_name_shifts_nothing(tmp_path: Path, spin: str) -> None:
    program = tmp_path / "my ) spin ("
    program.write_bytes(Path(PYTHON).read_bytes())
    program.chmod(0o755)
    code = f"import sys; sys.path.insert(0, {spin!r})\nfrom burn import *\n{ACCOUNT}\nspin(0.5); leave()"
    command = ["env", f"PYTHONHOME={sys.base_prefix}", program, "-c", code]
    run = prmon(tmp_path, "-i", 0.1, "-s", "--", *command)
    assert is_counted(run.cpu_s, told_s=kernels(run))
    highest = run.summary["Max"]
    assert (highest["nprocs"], highest["nthreads"]) == (1, 1)
    assert highest["wtime"] < 10
    assert highest["rss"] > 4000


def test_p5_children_of_a_thread_are_seen_while_they_run_and_counted(tmp_path: Path, spin: str) -> None:
    script = f"""
import subprocess, threading
code = "import sys; sys.path.insert(0, {spin!r}); from burn import *; x = b'x' * (50 << 20); spin(0.5)"
args = [sys.executable, "-c", code]
thread = threading.Thread(target=subprocess.run, args=(args,)); thread.start(); thread.join(); leave()
"""
    run = account(tmp_path, spin, script)
    assert is_counted(run.cpu_s, told_s=kernels(run))
    assert max(row["nprocs"] for row in run.rows) == 2
    assert run.summary["Max"]["nthreads"] >= 3
    assert run.summary["Max"]["rss"] > 50 << 10


def test_p6_daemonised_processes_are_counted(tmp_path: Path, spin: str) -> None:
    script = """
ready, done = os.pipe()
if not os.fork():
    os.setsid()
    if not os.fork(): spin(0.5); os.write(done, b"x"); leave()
    leave()
os.wait(); os.read(ready, 1); time.sleep(0.05); leave(children=False)
"""
    run = account(tmp_path, spin, script)
    # Of three processes each may be off by its last steps.
    assert is_counted(run.cpu_s, told_s=kernels(run))
    assert max(row["nprocs"] for row in run.rows) >= 2
    assert run.summary["probe"]["left_processes"] == 0


@pytest.mark.live
def test_p7_children_that_the_kernel_reaps_itself_are_counted(tmp_path: Path, spin: str) -> None:
    script = """
import signal
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for _ in range(3):
    if not os.fork(): spin(0.2); leave()
    try: os.wait()
    except ChildProcessError: pass
leave()
"""
    run = account(tmp_path, spin, script)
    assert run.summary["probe"]["cpu_scope"].startswith("cgroup")
    assert is_counted(run.cpu_s, told_s=kernels(run))
    for name in ("utime_ms", "stime_ms", "rchar", "minflt"):
        values = [row[name] for row in run.rows]
        assert values == sorted(values), name


def test_p8_a_killed_job_is_a_failure_with_its_signal(tmp_path: Path) -> None:
    run = prmon(tmp_path, "-s", "--", "sh", "-c", "kill -9 $$")
    assert run.code == 128 + 9
    assert run.summary["probe"]["exit"] == {"code": None, "signal": 9}
    assert prmon(tmp_path, "-s", "--", "sh", "-c", "exit 7").code == 7


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
def test_p9_a_stop_reaches_the_job_and_leaves_a_partial_summary(tmp_path: Path, sent: signal.Signals) -> None:
    script = "trap 'echo heard; exit 5' TERM INT; sleep 60 & echo $!; wait"
    job = begin(tmp_path, "-i", 30, "-s", "--", "sh", "-c", script)
    output = tmp_path / "output"
    sleeper = int(wait_for(lambda: output.read_text().strip()))
    # A child of the shell that is not yet the program may lose the signal.
    wait_for(lambda: Path(f"/proc/{sleeper}/comm").read_text() == "sleep\n")
    job.send_signal(sent)
    assert ended(job) == 5
    assert "heard" in output.read_text()
    run = Monitored(tmp_path, job.returncode, "", "")
    assert run.summary["probe"]["partial"] is True
    assert run.summary["probe"]["ended_by"] == sent.name
    assert len(run.rows) >= 2
    if sent == signal.SIGTERM:  # a shell lets background jobs ignore SIGINT
        wait_for(lambda: not runs(sleeper))
    else:
        subprocess.run(["kill", "-9", str(sleeper)], check=False)


def test_p9_a_job_that_hears_nothing_of_signals_dies_of_them(tmp_path: Path) -> None:
    job = begin(tmp_path, "-s", "--", "sh", "-c", "sleep 60; true")
    wait_for((tmp_path / "prmon.json_snapshot").exists)
    job.terminate()
    assert ended(job) == 128 + signal.SIGTERM
    assert Monitored(tmp_path, 0, "", "").summary["probe"]["exit"] == {"code": None, "signal": 15}


def test_p10_nobody_polls_between_samples(tmp_path: Path) -> None:
    def switches() -> int:
        status = Path(f"/proc/{job.pid}/status").read_text()
        return int(status.split("nonvoluntary_ctxt_switches")[0].split("voluntary_ctxt_switches:")[1])

    job = begin(tmp_path, "-i", 30, "-s", "--", "sleep", 1.5)
    wait_for((tmp_path / "prmon.json_snapshot").exists)
    time.sleep(0.2)
    before = switches()
    time.sleep(1)
    assert switches() == before
    assert ended(job) == 0


def test_p11_cpu_seconds_are_decimal_and_wall_time_is_in_ns(tmp_path: Path, spin: str) -> None:
    run = account(tmp_path, spin, "spin(0.35); leave()")
    probe = run.summary["probe"]
    assert is_counted(run.cpu_s, told_s=kernels(run))
    assert 0.3 < run.cpu_s < 1
    assert run.summary["Max"]["utime"] == pytest.approx(probe["user_ns"] / 1e9)
    assert probe["wall_ns"] % 1_000_000 != 0
    assert [row["utime"] for row in run.rows] == [row["utime_ms"] // 1000 for row in run.rows]


def test_p12_the_log_and_the_summary_say_whose_traffic_it_is(tmp_path: Path) -> None:
    run = prmon(tmp_path, "-s", "--", "true")
    assert run.summary["probe"]["network_scope"] in {"machine", "namespace", "caller"}
    assert "lo" in run.summary["probe"]["network_devices"]
    assert f"[netmon] [info] traffic of: {run.summary['probe']['network_scope']}" in run.log


@pytest.mark.live
def test_p12_a_network_namespace_of_its_own_is_told_and_counted_alone(tmp_path: Path) -> None:
    with subprocess.Popen(["unshare", "-n", "sleep", "2"]) as target:
        wait_for(lambda: Path(f"/proc/{target.pid}/comm").read_text() == "sleep\n")
        job = begin(tmp_path, "-s", "-p", target.pid)
        assert ended(job) == 0
    run = Monitored(tmp_path, 0, "", "")
    assert run.summary["probe"]["network_scope"] == "namespace"
    assert run.summary["Max"]["rx_bytes"] == 0
