"""What a user of prmon relies on besides the figures: options, files, surroundings, signals."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.probe_native.driver import PROBE, wait_for
from tests.probe_native.prmon_run import Monitored, arguments, begin, ended, prmon, runs

GOLDEN = Path(__file__).parent / "golden"
TOTALS = {"rchar", "read_bytes", "wchar", "write_bytes", "rx_bytes", "rx_packets", "tx_bytes", "tx_packets"}
LEVELS = {"pss", "rss", "swap", "vmem", "nprocs", "nthreads"}


def test_the_header_is_prmons_with_our_columns_after_it(tmp_path: Path) -> None:
    run = prmon(tmp_path, "-s", "--", "true")
    assert run.header + "\n" == (GOLDEN / "prmon.header.txt").read_text()


def test_the_summary_has_prmons_keys(tmp_path: Path) -> None:
    summary = prmon(tmp_path, "--units", "--", "true").summary
    assert set(summary) == {"Max", "Avg", "HW", "Units", "prmon", "probe"}
    assert set(summary["Max"]) == TOTALS | LEVELS | {"wtime", "utime", "stime"}
    assert set(summary["Avg"]) == TOTALS | LEVELS
    assert set(summary["prmon"]) == {"Version"}
    assert set(summary["HW"]["cpu"]) == {"CPUs", "CoresPerSocket", "ModelName", "Sockets", "ThreadsPerCore"}
    assert summary["HW"]["mem"]["MemTotal"] > 100_000
    for part in ("Max", "Avg"):
        assert set(summary["Units"][part]) == set(summary[part])
    assert summary["Units"]["Max"]["utime"] == "s"
    assert summary["Units"]["Avg"]["rx_packets"] == "1/s"


def test_neither_hardware_nor_units_are_there_unasked(tmp_path: Path) -> None:
    assert set(prmon(tmp_path, "-s", "--", "true").summary) == {"Max", "Avg", "prmon", "probe"}


def test_the_files_are_read_as_prmons_plot_script_reads_them(tmp_path: Path) -> None:
    """By the header's names, whole numbers, `Time` since 1970, differences of a column by those
    of another.
    """
    run = prmon(
        tmp_path,
        "-i",
        1,
        "-s",
        "--",
        "sh",
        "-c",
        "for i in 1 2 3; do head -c 9000000 /dev/zero; sleep 1; done",
    )
    times = [datetime.fromtimestamp(row["Time"], UTC) for row in run.rows]
    assert times == sorted(times)
    assert abs(times[-1].timestamp() - time.time()) < 60
    pairs = zip(run.rows[:-1], run.rows[1:], strict=True)
    steps = [(after["rchar"] - before["rchar"], after["wtime"] - before["wtime"]) for before, after in pairs]
    assert all(rise >= 0 and width >= 0 for rise, width in steps)
    assert sum(rise for rise, _ in steps) >= 18_000_000
    assert sum(width for _, width in steps) == run.summary["Max"]["wtime"]


def test_every_option_has_a_short_and_a_long_form(tmp_path: Path) -> None:
    short = [
        "-fa.txt",
        "-j",
        "a.json",
        "-oa.log",
        "-i0.5",
        "-su",
        "-nlo",
        "-d",
        "iomon",
        "-dnvidiamon",
        "-lerror",
        "-m",
    ]
    long = ["--filename=a.txt", "--json-summary", "a.json", "--log-filename=a.log", "--interval", "0.5"]
    long += ["--suppress-hw-info", "--units", "--netdev=lo", "--disable", "iomon", "--disable=nvidiamon"]
    long += ["--level", "error", "--level=memmon:warn", "--fast-memmon"]
    for options in (short, long):
        run = prmon(tmp_path, *options, "--", "sh", "-c", "exit 4")
        assert run.code == 4
        assert {path.name for path in run.folder.iterdir()} == {"a.txt", "a.json", "a.log", "a.json_snapshot"}
        summary = json.loads((run.folder / "a.json").read_bytes())
        assert "rchar" not in summary["Max"]
        assert summary["probe"]["network_devices"] == ["lo"]
        assert (run.folder / "a.log").read_text() == ""


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "neither --pid nor a program"),
        (("-p", "1", "--", "true"), "both --pid and a program"),
        (("--intervall", "3", "--", "true"), "nearest is --interval"),
        (("-i", "0", "--", "true"), "--interval: expected seconds from 0.01, got '0'"),
        (("-i",), "--interval wants a value"),
        (("-b", "0", "--", "true"), "--budget: expected percent from 0.001 to 100, got '0'"),
        (("--budget=101", "--", "true"), "--budget: expected percent"),
        (("-x", "--", "true"), "unknown option -x"),
        (("true",), "unexpected 'true' before --"),
        (("-d", "wallmon", "--", "true"), "wallmon is always on"),
        (("-d", "memon", "--", "true"), "nearest is 'memmon'"),
        (("-l", "loud", "--", "true"), "unknown level 'loud'"),
        (("-p", "4194999"), "cannot watch process 4194999"),
        (("-f", "/none/a.txt", "--", "true"), "cannot write /none/a.txt: no such file"),
    ],
)
def test_a_wrong_argument_is_told_in_one_sentence(
    tmp_path: Path, options: tuple[str, ...], words: str
) -> None:
    run = prmon(tmp_path, *options)
    assert run.code == 1
    assert words in run.stderr
    assert not (run.folder / "prmon.json").exists()


def test_a_program_that_is_not_there_fails_as_in_a_shell(tmp_path: Path) -> None:
    run = prmon(tmp_path, "--", "no-such-program")
    assert run.code == 127
    assert run.stderr == "cannot run 'no-such-program': no such file or directory\n"
    assert prmon(tmp_path, "--", "/etc/passwd").code == 126


def test_help_lists_the_options(tmp_path: Path) -> None:
    run = prmon(tmp_path, "-h")
    assert run.code == 0
    assert "--suppress-hw-info" in run.stdout


def test_monitors_are_switched_off_by_option_and_environment(tmp_path: Path) -> None:
    env = {**os.environ, "PRMON_DISABLE_MONITOR": "netmon,countmon,nomon"}
    run = prmon(tmp_path, "-s", "-d", "memmon", "--", "true", env=env)
    names = run.header.split("\t")
    assert names[:8] == ["Time", "wtime", "rchar", "read_bytes", "wchar", "write_bytes", "stime", "utime"]
    assert not {"pss", "rx_bytes", "nprocs", "minflt"} & set(names)
    assert "PRMON_DISABLE_MONITOR: cannot read the arguments: unknown monitor 'nomon'" in run.log


def test_the_job_keeps_what_its_caller_has(tmp_path: Path) -> None:
    script = (
        "pwd; umask; ulimit -n; nice; echo $MINE; cat; grep -E 'Sig(Blk|Ign)' /proc/self/status; echo err >&2"
    )
    words = ["-s", "-f", tmp_path / "t", "-j", tmp_path / "j", "-o", tmp_path / "l", "--"]

    def output(*command: str) -> subprocess.CompletedProcess[str]:
        shell = ["sh", "-c", 'umask 027; ulimit -n 77; exec nice -n 3 "$@"', "sh"]
        given = {**os.environ, "MINE": "yes"}
        return subprocess.run(
            [*shell, *command],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            input="typed\n",
            env=given,
            check=True,
        )

    plain = output("sh", "-c", script)
    monitored = output(*arguments(*words), "sh", "-c", script)
    assert monitored.stdout == plain.stdout
    assert monitored.stderr == plain.stderr == "err\n"


def test_sigusr1_ends_the_monitoring_and_not_the_job(tmp_path: Path) -> None:
    job = begin(tmp_path, "-s", "--", "sh", "-c", "echo $$; exec sleep 30")
    pid = int(wait_for(lambda: (tmp_path / "output").read_text().strip()))
    wait_for((tmp_path / "prmon.json_snapshot").exists)
    job.send_signal(signal.SIGUSR1)
    assert ended(job) == 0
    assert runs(pid)
    assert "assay" not in Path(f"/proc/{pid}/cgroup").read_text()
    os.kill(pid, signal.SIGKILL)
    probe = Monitored(tmp_path, 0, "", "").summary["probe"]
    assert (probe["partial"], probe["ended_by"], probe["exit"]) == (True, "SIGUSR1", None)
    assert probe["left_processes"] == 1


def test_a_daemon_that_outlives_the_job_goes_on(tmp_path: Path) -> None:
    run = prmon(tmp_path, "-s", "--", "sh", "-c", "setsid sleep 30 >&- 2>&- & echo $!")
    pid = int(run.stdout)
    assert runs(pid)
    assert "assay" not in Path(f"/proc/{pid}/cgroup").read_text()
    os.kill(pid, signal.SIGKILL)
    assert run.summary["probe"]["left_processes"] == 1
    assert run.summary["probe"]["wall_ns"] < 5e9


def test_a_running_process_is_watched_and_left_alone(tmp_path: Path) -> None:
    spin = "while time.process_time() < 0.6: pass"
    script = f"x = b'x' * (40 << 20); import time\n{spin}\ntime.sleep(0.6); print(time.process_time())"
    with subprocess.Popen(["python3", "-c", script], stdout=subprocess.PIPE, text=True) as target:
        time.sleep(0.3)
        group = Path(f"/proc/{target.pid}/cgroup").read_text()
        job = begin(tmp_path, "-i", "0.1", "-s", "--pid", target.pid)
        wait_for((tmp_path / "prmon.json_snapshot").exists)
        assert Path(f"/proc/{target.pid}/cgroup").read_text() == group
        reported, _ = target.communicate(timeout=20)
        assert target.returncode == 0
    assert ended(job) == 0
    run = Monitored(tmp_path, 0, "", "")
    assert run.cpu_s == pytest.approx(float(reported), abs=0.1)
    assert run.summary["Max"]["rss"] > 40 << 10
    assert run.rows[0]["wtime_ms"] > 200
    assert run.summary["probe"]["partial"] is False


def test_an_orphan_of_a_watched_process_is_followed(tmp_path: Path) -> None:
    spin = "import time\nwhile time.process_time() < 0.6: pass\nprint(time.process_time())"
    script = f"sleep 0.5; sh -c '{sys.executable} -c \"{spin}\" & sleep 0.3'; sleep 3"
    with subprocess.Popen(["sh", "-c", script], stdout=subprocess.PIPE, text=True) as target:
        job = begin(tmp_path, "-i", "0.05", "-s", "-p", target.pid)
        reported, _ = target.communicate(timeout=20)
        assert target.returncode == 0
    assert ended(job) == 0
    assert Monitored(tmp_path, 0, "", "").cpu_s == pytest.approx(float(reported), abs=0.15)


def test_a_signal_of_the_terminal_reaches_the_job_once(tmp_path: Path) -> None:
    script = """
import signal, time
heard = []
signal.signal(signal.SIGINT, lambda *_: heard.append(1))
print("ready", flush=True)
end = time.monotonic() + 1
while time.monotonic() < end: time.sleep(0.05)
print("heard", len(heard))
"""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(tmp_path)
        os.execv(PROBE, arguments("-s", "--", sys.executable, "-c", script))
    reported = b""
    while b"ready" not in reported:
        reported += os.read(terminal, 100)
    os.write(terminal, b"\x03")
    while not re.search(rb"heard \d", reported):
        reported += os.read(terminal, 100)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    os.close(terminal)
    assert b"heard 1" in reported
    assert Monitored(tmp_path, 0, "", "").summary["probe"]["ended_by"] == "SIGINT"


def test_arguments_need_not_be_text(tmp_path: Path) -> None:
    done = subprocess.run(
        [*arguments("-s", "--", "printf"), b"\xff\xfe"], capture_output=True, cwd=tmp_path, check=True
    )
    assert done.stdout == b"\xff\xfe"


def test_a_stopped_watch_leaves_the_process_and_says_partial(tmp_path: Path) -> None:
    with subprocess.Popen(["sleep", "30"]) as target:
        job = begin(tmp_path, "-s", "-p", target.pid)
        wait_for((tmp_path / "prmon.json_snapshot").exists)
        job.terminate()
        assert ended(job) == 128 + signal.SIGTERM
        assert runs(target.pid)
        target.kill()
    assert Monitored(tmp_path, 0, "", "").summary["probe"]["partial"] is True


def test_a_snapshot_is_there_while_the_job_runs_and_stays(tmp_path: Path) -> None:
    run = prmon(tmp_path, "-i", "0.5", "-s", "--", "sleep", "1.2")
    snapshot = json.loads((run.folder / "prmon.json_snapshot").read_bytes())
    assert snapshot["probe"]["partial"] is True
    assert set(snapshot) == set(run.summary)
    assert not (run.folder / "prmon.json_tmp").exists()


def test_pss_is_read_seldom_and_repeated_in_between(tmp_path: Path) -> None:
    script = "x = bytearray(100 << 20); import time; time.sleep(1.5)"
    run = prmon(tmp_path, "-i", "0.02", "-s", "--", "python3", "-c", script)
    probe = run.summary["probe"]
    assert probe["pss_repeated"] > probe["pss_readings"] >= 1
    assert "PSS was read" in run.log
    assert all(row["pss"] <= row["rss"] for row in run.rows)


def test_no_group_is_left(tmp_path: Path) -> None:
    prmon(tmp_path, "-s", "--", "true")
    assert not list(Path("/sys/fs/cgroup").glob("**/assay/prmon-*"))


def test_samples_are_left_out_where_the_probe_may_not_pay_for_them(tmp_path: Path) -> None:
    free, bound = (
        prmon(tmp_path, "-s", "-i", 0.01, *budget, "--", "sleep", 2) for budget in ((), ("-b", 0.02))
    )
    # the start alone costs more than 0.4 ms
    assert len(bound.rows) == 2
    assert len(free.rows) > 20
    assert free.summary["probe"]["cost"]["budget_percent"] is None
    assert bound.summary["probe"]["cost"]["budget_percent"] == 0.02
    assert bound.summary["probe"]["interval_s"] == 0.01


def test_memory_is_told_without_the_share_of_memory(tmp_path: Path) -> None:
    run = prmon(tmp_path, "-s", "-d", "pss", "--", "true")
    assert {"rss", "vmem", "swap"} <= run.rows[0].keys()
    assert "pss" not in run.rows[0]
    assert run.summary["probe"]["pss_readings"] is None
    assert "[pss] [info] off, as asked" in run.log
    assert "no PSS" not in run.log
