"""How a job ends, and what its record says of it."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.probe_native.driver import PROBE, Run, probe, reported, start, wait_for


@pytest.mark.parametrize("code", [1, 3, 126, 127])
def test_an_exit_code_is_kept_and_is_a_failure(tmp_path: Path, code: int) -> None:
    record = start(tmp_path, "sh", "-c", f"exit {code}").record
    assert (record["state"], record["exit_code"], record["signal"]) == ("failed", code, None)
    assert record["cause"] == f"'sh' exited with {code}"
    assert record["usage"] is not None


def test_exit_code_zero_is_a_good_end(tmp_path: Path) -> None:
    record = start(tmp_path, "true").record
    assert (record["state"], record["exit_code"], record["cause"]) == ("ended", 0, None)
    assert record["doubts"] == []


def test_a_job_killed_by_a_signal_never_counts_as_good(tmp_path: Path) -> None:
    record = start(tmp_path, "sh", "-c", "kill -9 $$").record
    assert (record["state"], record["exit_code"], record["signal"]) == ("failed", 137, 9)


@pytest.mark.parametrize(
    ("program", "code", "why"),
    [("no-such-program", 127, "no such file"), ("/etc/passwd", 126, "permission denied")],
)
def test_a_program_that_cannot_start_ends_as_in_a_shell(
    tmp_path: Path, program: str, code: int, why: str
) -> None:
    record = start(tmp_path, program).record
    assert (record["state"], record["exit_code"], record["usage"]) == ("failed", code, None)
    assert record["cause"].startswith(f"cannot start '{program}': {why}")


def test_a_text_without_interpreter_line_cannot_be_executed(tmp_path: Path) -> None:
    path = tmp_path / "job"
    path.write_text("echo hi\n")
    path.chmod(0o755)
    record = start(tmp_path, str(path)).record
    assert (record["exit_code"], record["usage"]) == (126, None)
    assert "exec format error" in record["cause"]


def test_a_time_limit_ends_the_whole_tree(tmp_path: Path) -> None:
    script = "sleep 60 & sleep 60 & wait"
    record = start(tmp_path, "sh", "-c", script, time_limit_s=0.4, grace_s=2).record
    assert record["timed_out"]
    assert record["cause"] == "'sh' ran longer than its time limit of 0.4 s and was stopped"
    assert 0.4 <= record["usage"]["wall_s"] < 60
    assert record["leftover_processes"] == 0


def test_a_job_that_ignores_sigterm_is_killed_after_its_grace(tmp_path: Path) -> None:
    script = "trap '' TERM; while :; do sleep 0.05; done"
    record = start(tmp_path, "sh", "-c", script, time_limit_s=0.3, grace_s=0.5).record
    assert (record["timed_out"], record["exit_code"], record["signal"]) == (True, 137, 9)
    assert record["usage"]["wall_s"] >= 0.8


def test_a_stopped_process_is_ended_too(tmp_path: Path) -> None:
    record = start(tmp_path, "sh", "-c", "kill -STOP $$", time_limit_s=0.3, grace_s=5).record
    assert (record["exit_code"], record["timed_out"]) == (143, True)


def test_stop_ends_the_job_and_leaves_a_record(tmp_path: Path) -> None:
    run = start(tmp_path, "sleep", "60")
    assert run.state == "running"
    reported("stop", run.folder, part="status")
    record = run.record
    assert (record["state"], record["signal"], record["timed_out"]) == ("failed", 15, False)
    assert record["cause"] == "'sleep' was stopped on request"
    wait_for(lambda: run.state == "ended")
    reported("stop", run.folder)


def test_sigterm_to_the_supervisor_leaves_a_record(tmp_path: Path) -> None:
    run = start(tmp_path, "sleep", "60")
    os.kill(reported("status", run.folder)["pid"], signal.SIGTERM)
    assert run.record["cause"] == "'sleep' was stopped on request"


@pytest.mark.live
def test_a_killed_supervisor_is_lost_and_takes_its_job_with_it(tmp_path: Path) -> None:
    run = start(tmp_path, "sh", "-c", "echo $$; sleep 60 & echo $!; exec sleep 60")
    wait_for((run.folder / "stdout").exists)
    pid, child = map(int, wait_for(lambda: run.stdout.split()[1:] and run.stdout.split()))
    os.kill(reported("status", run.folder)["pid"], signal.SIGKILL)
    wait_for(lambda: run.state == "lost")
    wait_for(lambda: not running(pid))
    assert reported("stop", run.folder, part="status")["state"] == "lost"
    assert not any(map(Path.exists, map(Path, (run.folder / "groups").read_text().splitlines())))
    assert not running(child)


def running(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def test_the_end_of_its_controller_does_not_end_a_run(tmp_path: Path) -> None:
    spec = tmp_path / "spec.json"
    spec.write_text(f'{{"protocol":[1,1],"command":["sleep","1"],"directory":"{tmp_path}"}}')
    script = f"{PROBE} run {spec} --into {tmp_path}/run; exec sleep 60"
    shell = subprocess.Popen(["/bin/sh", "-c", script], start_new_session=True, stdout=subprocess.DEVNULL)
    wait_for((tmp_path / "run/pid").exists)
    os.killpg(shell.pid, signal.SIGKILL)
    shell.wait()
    wait_for((tmp_path / "run/probe.json").exists)
    assert '"state": "ended"' in (tmp_path / "run/probe.json").read_text()


def test_run_returns_at_once_and_holds_no_pipe_of_its_starter(tmp_path: Path) -> None:
    run = start(tmp_path, "sleep", "600")
    assert run.state == "running"
    reported("stop", run.folder)
    assert run.record["state"] == "failed"


def test_a_folder_holds_one_run(tmp_path: Path) -> None:
    run = start(tmp_path, "true")
    assert run.record["state"] == "ended"
    again = probe("run", tmp_path / "spec0.json", "--into", run.folder)
    assert again.returncode == 2
    assert "holds a run already" in again.stderr


def test_what_a_job_that_could_not_be_prepared_did_not_measure_is_null(tmp_path: Path) -> None:
    (tmp_path / "run0/samples.csv").mkdir(parents=True)
    spec = tmp_path / "spec.json"
    spec.write_text(f'{{"protocol":[1,1],"command":["true"],"directory":"{tmp_path}"}}')
    reported("run", spec, "--into", tmp_path / "run0")
    record = Run(tmp_path / "run0").record
    assert record["cause"] == "cannot write samples: is a directory"
    assert (record["exit_code"], record["usage"]) == (None, None)
    assert set(record["machine"].values()) == {None}


def test_an_absent_run_is_absent(tmp_path: Path) -> None:
    assert reported("status", tmp_path / "none", part="status") == {
        "state": "absent",
        "pid": None,
        "sample": None,
    }
    assert probe("stop", tmp_path / "none").returncode == 4
