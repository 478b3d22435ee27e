"""The wrapper of HTCondor's jobs, run as its starter runs it: a job is what it is without it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.exchange.jobs.job import Job, LeftOut
from assay.exchange.jobs.wrapper import wrapper_script
from assay.model.files.native import PROBE
from tests.exchange.jobs.told import told
from tests.probe_native.driver import wait_for
from tests.probe_native.prmon_run import runs

JOB = "4711.0@pilots@submit-1.example.org"


class Farm:
    """A node: where its wrapper is, and what it is told of a job."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.directory = folder, folder / "it's a place"
        (self.directory / "wn01.example.org").mkdir(parents=True)
        (folder / "machine.ad").write_text('Name = "slot1@wn01.example.org"\nMachine = "wn01.example.org"\n')
        (folder / "job.ad").write_text(
            f'ClusterId = 4711\nGlobalJobId = "{JOB.partition("@")[2]}#4711.0#1"\n'
        )
        self.install()

    def install(self, directory: Path | None = None, probe: str | None = None) -> None:
        script = wrapper_script(
            "htcondor",
            str(directory or self.directory),
            probe=str(PROBE.path()) if probe is None else probe,
            interval_s=0.2,
        )
        # a job of some seconds has not the time to pay for its watcher
        assert "--budget 0.1 " in script
        (self.folder / "wrapper").write_text(script.replace("--budget 0.1 ", "--budget 100 "))
        (self.folder / "wrapper").chmod(0o755)

    def start(self, *job: str) -> subprocess.Popen[bytes]:
        variables = {
            "_CONDOR_MACHINE_AD": str(self.folder / "machine.ad"),
            "_CONDOR_JOB_AD": str(self.folder / "job.ad"),
            "_CONDOR_WRAPPER_ERROR_FILE": str(self.error),
        }
        pipe = subprocess.PIPE
        words = [str(self.folder / "wrapper"), *job]
        return subprocess.Popen(words, env={**os.environ, **variables}, stdin=pipe, stdout=pipe, stderr=pipe)

    @property
    def error(self) -> Path:
        return self.folder / "error"

    def file(self, end: str) -> Path:
        return self.directory / "wn01.example.org" / f"{JOB}.{end}"

    def rows(self) -> int:
        return len(self.file("txt").read_text().splitlines()) - 1 if self.file("txt").exists() else 0


@pytest.fixture
def farm(tmp_path: Path) -> Farm:
    return Farm(tmp_path)


@pytest.fixture(params=["watched", "no probe", "a probe that fails", "no folder", "no names", "no setsid"])
def node(request: pytest.FixtureRequest, farm: Farm) -> Iterator[Farm]:
    if request.param == "no probe":
        farm.install(probe="/no/such/assay-probe")
    elif request.param == "a probe that fails":
        farm.install(probe="/bin/false")
    elif request.param == "no folder":
        farm.install(directory=Path("/proc/none"))
    elif request.param == "no names":
        (farm.folder / "machine.ad").unlink()
    elif request.param == "no setsid":
        script = (farm.folder / "wrapper").read_text()
        (farm.folder / "wrapper").write_text(script.replace("/usr/bin/setsid", "/no/such/setsid"))
    yield farm
    assert not farm.error.exists()


def test_a_job_is_what_it_is_without_a_wrapper(node: Farm) -> None:
    told_of_it = 'cat; printf "%s\\0" "$$" "$PPID" "$@"; echo of it >&2; exit 3'
    words = ["a b", 'it\'s "q"', "", "$HOME *", "two\nlines", "--pid", "ü\t\\"]
    job = node.start("/bin/sh", "-c", told_of_it, "job", *words)
    content = bytes(range(256)) * 5000
    out, err = job.communicate(content)
    expected = b"".join(f"{word}\0".encode() for word in [job.pid, os.getpid(), *words])
    assert (job.returncode, out, err) == (3, content + expected, b"of it\n")


@pytest.mark.parametrize("code", [0, 1, 127, 137, 255])
def test_the_exit_code_is_the_jobs(farm: Farm, code: int) -> None:
    job = farm.start("/bin/sh", "-c", f"exit {code}")
    assert (job.communicate(), job.returncode) == ((b"", b""), code)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGUSR1, signal.SIGUSR2])
def test_a_job_ends_by_the_signal_that_it_gets(farm: Farm, number: signal.Signals) -> None:
    job = farm.start("/bin/sh", "-c", "echo ready; exec sleep 60")
    assert job.stdout is not None
    assert job.stdout.readline() == b"ready\n"
    job.send_signal(number)
    assert (job.communicate(), job.returncode) == ((b"", b""), -number)


def test_a_job_may_hear_a_signal_and_go_on(farm: Farm) -> None:
    job = farm.start(
        "/bin/sh", "-c", "trap 'echo heard; exit 7' TERM; echo ready; while :; do sleep 0.1; done"
    )
    assert job.stdout is not None
    assert job.stdout.readline() == b"ready\n"
    job.terminate()
    assert (job.communicate(), job.returncode) == ((b"heard\n", b""), 7)


def test_a_job_that_cannot_be_executed_is_the_wrappers_failure(farm: Farm) -> None:
    for program in ("/no/such/job", str(farm.folder / "job.ad")):
        job = farm.start(program)
        job.communicate()
        assert job.returncode in (126, 127)
        assert farm.error.read_text() == f"cannot execute {program}\n"
        farm.error.unlink()


def test_a_job_is_seen_until_its_end_and_its_start_is_told_from_its_work(farm: Farm) -> None:
    # of an earlier run of the same job
    farm.file("json").write_text("{}")
    spin = "import time\ntime.sleep(2.5)\nuntil = time.monotonic() + 4\nwhile time.monotonic() < until: pass"
    job = farm.start("/usr/bin/python3", "-c", spin)
    wait_for(lambda: farm.rows() > 3)
    assert job.poll() is None
    assert not farm.file("json").exists()
    job.communicate()
    wait_for(farm.file("json").exists)
    wait_for(lambda: farm.file("json").read_text().endswith("}\n"))
    (seen,) = told(farm.file("txt"))
    assert isinstance(seen, Job)
    assert (seen.node, seen.from_prmon) == ("wn01.example.org", True)
    assert seen.init_s is not None
    assert 1 < seen.init_s < seen.wall_s - 1
    summary = json.loads(farm.file("json").read_text())
    assert summary["probe"]["cost"]["budget_percent"] == 100
    assert summary["probe"]["cost"]["cpu_ns"] > 0
    assert "pss" not in summary["Max"]
    assert "rss" in summary["Max"]


def test_a_job_killed_with_its_watcher_leaves_what_was_seen(farm: Farm) -> None:
    job = farm.start("/bin/sleep", "60")
    wait_for(lambda: farm.rows() > 3)
    watcher = next(
        int(place.parent.name)
        for place in Path("/proc").glob("[0-9]*/cmdline")
        if f"--pid\0{job.pid}\0".encode() in _content(place)
    )
    assert os.getsid(watcher) != os.getsid(0)
    os.kill(watcher, signal.SIGKILL)
    job.kill()
    job.communicate()
    assert not farm.file("json").exists()
    (seen,) = told(farm.file("txt"))
    assert isinstance(seen, Job)
    assert seen.wall_s > 1
    assert told(farm.file("json_snapshot")) == [LeftOut("not ended")]


@pytest.mark.parametrize("case", ["a folder of somebody else's", "a link in its way"])
def test_nothing_is_written_where_others_can_lay_traps(farm: Farm, tmp_path: Path, case: str) -> None:
    victim = tmp_path / "victim"
    victim.write_text("kept\n")
    node = farm.file("txt").parent
    if case == "a link in its way":  # that cannot be removed: it is somebody else's in a sticky folder
        script = (farm.folder / "wrapper").read_text()
        (farm.folder / "wrapper").write_text(script.replace("  rm -f", "  true"))
        farm.file("txt").symlink_to(victim)
    else:
        os.chown(node, 65534, 65534)
    job = farm.start("/bin/sleep", "2")
    job.communicate()
    time.sleep(0.3)
    assert victim.read_text() == "kept\n"
    assert not farm.file("json").exists()
    assert job.returncode == 0


def test_a_watcher_ends_with_its_job(farm: Farm) -> None:
    job = farm.start("/bin/sleep", "60")
    wait_for(lambda: farm.rows() > 0)
    job.kill()
    job.communicate()
    wait_for(farm.file("json").exists)
    time.sleep(0.1)
    left = [
        place
        for place in Path("/proc").glob("[0-9]*/cmdline")
        if f"\0{job.pid}\0".encode() in _content(place)
    ]
    assert not [place for place in left if runs(int(place.parent.name))]


def _content(place: Path) -> bytes:
    try:
        return place.read_bytes()
    except OSError:
        return b""
