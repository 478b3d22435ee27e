"""Limits are in force before the job starts, for all of its children."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.probe_native.driver import PROBE, Run, probe, reported, start, wait_for

PYTHON = str(Path(sys.executable).resolve())
LAST = max(os.sched_getaffinity(0))
SPIN = "import time\nwhile time.process_time() < 0.6: pass"

pytestmark = pytest.mark.live


def groups() -> list[Path]:
    return [path for path in Path("/sys/fs/cgroup").rglob("assay/*") if path.is_dir()]


def test_processors_hold_for_children_too(tmp_path: Path) -> None:
    script = "grep Cpus_allowed_list /proc/self/status; cat /proc/self/cgroup"
    run = start(tmp_path, "sh", "-c", script, limits={"cpus": [LAST]})
    limits = run.record["limits"]
    assert limits["cpus"] == [LAST]
    assert limits["by"].startswith("cgroup")
    assert f"Cpus_allowed_list:\t{LAST}\n" in run.stdout
    assert "/assay/" in run.stdout


def test_a_child_cannot_leave_its_processors(tmp_path: Path) -> None:
    script = "import os; os.sched_setaffinity(0, range(64)); print(os.sched_getaffinity(0))"
    run = start(tmp_path, PYTHON, "-c", script, limits={"cpus": [LAST]})
    assert run.record["state"] == "ended"
    assert run.stdout == f"{{{LAST}}}\n"


@pytest.mark.skipif(os.cpu_count() == 1, reason="one processor: the supervisor has no other")
def test_the_supervisor_stays_off_the_jobs_processors(tmp_path: Path) -> None:
    run = start(tmp_path, "sleep", "60", limits={"cpus": [LAST]})
    pid = reported("status", run.folder)["pid"]
    wait_for(lambda: os.sched_getaffinity(pid) == os.sched_getaffinity(0) - {LAST})
    reported("stop", run.folder)
    assert run.record["doubts"] == []


def test_without_processors_given_the_job_may_use_all(tmp_path: Path) -> None:
    run = start(tmp_path, "true", limits={"cpus": []})
    assert run.record["limits"]["cpus"] == sorted(os.sched_getaffinity(0))


def test_a_quota_of_half_the_time_halves_the_cpu_time(tmp_path: Path) -> None:
    run = start(tmp_path, PYTHON, "-c", SPIN, limits={"cpus": [LAST], "cpu_quota": 0.5})
    usage, limits = run.record["usage"], run.record["limits"]
    assert limits["cpu_quota"] == pytest.approx(0.5)
    assert (usage["user_s"] + usage["system_s"]) / usage["wall_s"] < 0.62


def test_how_long_a_quota_held_a_job_up_is_told(tmp_path: Path) -> None:
    spin = SPIN.replace("0.6", "0.1")
    usage = start(tmp_path, PYTHON, "-c", spin, limits={"cpus": [LAST], "cpu_quota": 0.05}).record["usage"]
    cpu_s = usage["user_s"] + usage["system_s"]
    # A period of 0.1 s may have begun at either end; a busy kernel looks up to a tick of 4 ms late in each.
    assert cpu_s <= 0.05 * usage["wall_s"] + 0.01 + 0.004 * usage["wall_s"] / 0.1
    assert 0 < usage["throttled_s"] <= usage["wall_s"] - cpu_s + 0.1


def test_without_limits_nothing_is_throttled_and_no_limit_is_hit(tmp_path: Path) -> None:
    usage = start(tmp_path, "true").record["usage"]
    assert (usage["throttled_s"], usage["memory_limit_hits"]) == (0, 0)


def read(spec: Run) -> dict[str, Any]:
    record = spec.record
    assert record["state"] == "ended", record["cause"]
    return record


READER = (str(PROBE), "kernel", "two-phase", "--input", str(PROBE), "--init-bytes", "1048576", "--direct",
"--events", "0")  # fmt: skip


def test_direct_reads_are_held_to_their_rate(tmp_path: Path) -> None:
    limits = {"cpus": [LAST], "read_bytes_per_s": 2_000_000}
    record = read(start(tmp_path, *READER, limits=limits))
    usage = record["usage"]
    assert record["limits"] | limits == record["limits"]
    assert usage["read_bytes"] >= 1 << 20
    assert usage["wall_s"] > 0.8 * (1 << 20) / 2_000_000
    assert record["doubts"] == []


def test_direct_writes_are_held_to_theirs(tmp_path: Path) -> None:
    command = ("dd", "if=/dev/zero", "of=out", "bs=64k", "count=16", "oflag=direct")
    record = read(start(tmp_path, *command, limits={"write_bytes_per_s": 2_000_000}))
    assert record["limits"]["write_bytes_per_s"] == 2_000_000
    assert record["usage"]["wall_s"] > 0.8 * (1 << 20) / 2_000_000


def test_what_lies_on_no_disk_cannot_be_limited(tmp_path: Path) -> None:
    folder = f"/dev/shm/assay-test-{uuid.uuid4().hex[:8]}"
    record = read(start(tmp_path, "true", directory=folder, limits={"read_bytes_per_s": 2_000_000}))
    Path(folder).rmdir()
    assert record["limits"]["read_bytes_per_s"] is None
    assert [doubt["code"] for doubt in record["doubts"]] == ["io-limit-not-applied"]


def test_a_file_that_does_not_fit_into_the_memory_limit_is_read_again(tmp_path: Path) -> None:
    command = [*READER[:3], "--input", "data", "--make", "--init-bytes", str(24 << 20), "--reads", "2",
    "--events", "0"]  # fmt: skip
    usage = read(start(tmp_path, *command, limits={"memory_bytes": 8 << 20}))["usage"]
    assert usage["memory_limit_hits"] > 0
    assert usage["read_bytes"] > 16 << 20


def test_a_job_stands_still_for_its_share_of_the_time_and_can_be_stopped(tmp_path: Path) -> None:
    record = read(start(tmp_path, PYTHON, "-c", SPIN, limits={"cpus": [LAST], "pause": 0.5}))
    usage = record["usage"]
    # Whoever stands still uses nothing.
    share = record["limits"]["pause"]
    assert 0 < share < 1
    assert usage["user_s"] + usage["system_s"] <= (1 - share) * usage["wall_s"] + 0.05
    run = start(tmp_path, "sleep", "60", limits={"pause": 0.9})
    wait_for(lambda: run.state == "running")
    reported("stop", run.folder)
    assert run.record["cause_kind"] == "stopped"


def test_a_job_that_stands_still_is_ended_after_its_supervisor_was_killed(tmp_path: Path) -> None:
    run = start(tmp_path, "sleep", "60", limits={"pause": 0.9})
    pid = wait_for(lambda: reported("status", run.folder).get("pid"))
    wait_for((run.folder / "groups").exists)
    frozen = [Path(line) for line in (run.folder / "groups").read_text().splitlines()]
    frozen = [folder for folder in frozen if (folder / "freezer.state").exists()]
    wait_for(lambda: not frozen or (frozen[0] / "freezer.state").read_text() != "THAWED\n")
    os.kill(pid, signal.SIGKILL)
    wait_for(lambda: run.state == "lost")
    reported("stop", run.folder)
    wait_for(lambda: not any(folder.exists() for folder in frozen))


def test_a_memory_limit_is_in_force_and_its_victim_is_reported(tmp_path: Path) -> None:
    limit = 64 << 20
    run = start(tmp_path, PYTHON, "-c", "x = b'x' * (200 << 20)", limits={"memory_bytes": limit})
    record = run.record
    assert (record["state"], record["exit_code"], record["oom_killed"]) == ("failed", 137, True)
    assert record["limits"]["memory_bytes"] == limit
    assert "want of memory" in record["cause"]
    assert record["usage"]["rss_bytes"] < limit + (8 << 20)


def test_a_child_killed_for_want_of_memory_is_a_doubt_where_the_job_went_on(tmp_path: Path) -> None:
    script = f"{PYTHON} -c \"x = b'x' * (200 << 20)\"; exit 0"
    record = start(tmp_path, "sh", "-c", script, limits={"memory_bytes": 64 << 20}).record
    assert (record["state"], record["oom_killed"]) == ("ended", True)
    assert [doubt["code"] for doubt in record["doubts"]] == ["oom-kill"]


def test_a_job_within_its_memory_is_not_oom_killed(tmp_path: Path) -> None:
    record = start(tmp_path, "true", limits={"memory_bytes": 64 << 20}).record
    assert record["oom_killed"] is False


def test_no_group_is_left(tmp_path: Path) -> None:
    before = set(groups())
    run = start(tmp_path, "sh", "-c", "sleep 60 & exit 1", limits={"cpus": [LAST], "memory_bytes": 64 << 20})
    assert run.record["leftover_processes"] == 1
    assert not set(groups()) - before - others(before)


def others(before: set[Path]) -> set[Path]:
    """Groups of runs beside ours, which have members."""
    return {group for group in set(groups()) - before if (group / "cgroup.procs").read_text()}


def test_a_processor_that_is_not_there_is_missing(tmp_path: Path) -> None:
    spec = tmp_path / "spec.json"
    spec.write_text(
        f'{{"protocol":[1,1],"command":["true"],"directory":"{tmp_path}","limits":{{"cpus":[4095]}}}}'
    )
    done = probe("run", spec, "--into", tmp_path / "run")
    assert done.returncode == 4
    assert done.stderr.startswith("cannot run on processor 4095: usable are [")
    assert not (tmp_path / "run").exists()


NOBODY = 65534


@pytest.fixture
def theirs() -> Iterator[Path]:
    """A folder of a user who can make no group, with the probe in it."""
    folder = Path(tempfile.mkdtemp(prefix="assay-test-"))
    shutil.copy(PROBE, folder / "assay-probe")
    os.chown(folder, NOBODY, NOBODY)
    yield folder
    shutil.rmtree(folder)


def test_without_groups_affinity_holds_and_a_doubt_says_so(theirs: Path) -> None:
    spec = theirs / "spec.json"
    limits = f'{{"cpus":[{LAST}],"memory_bytes":67108864,"cpu_quota":0.5}}'
    command = '["/usr/bin/python3.11","-c","import time\\nwhile time.process_time() < 0.5: pass"]'
    spec.write_text(
        f'{{"protocol":[1,1],"command":{command},"directory":"{theirs}/w","limits":{limits},'
        '"interval_s":0.1}'
    )
    into = theirs / "run"
    become = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    subprocess.run([*become, theirs / "assay-probe", "run", spec, "--into", into], check=True)
    record = Run(into).record
    assert record["state"] == "ended"
    assert (record["limits"]["by"], record["limits"]["cpus"]) == ("affinity", [LAST])
    codes = {doubt["code"] for doubt in record["doubts"]}
    assert codes == {"no-cgroup", "memory-limit-not-applied", "cpu-quota-not-applied"}
    assert record["usage"]["user_s"] + record["usage"]["system_s"] == pytest.approx(0.5, abs=0.1)
    assert record["oom_killed"] is None


@pytest.fixture
def namespace() -> Iterator[str]:
    """A network namespace of ours."""
    name = f"assay-test-{uuid.uuid4().hex[:8]}"
    subprocess.run(["ip", "netns", "add", name], check=True)
    yield name
    subprocess.run(["ip", "netns", "delete", name], check=True)


def test_a_job_runs_in_its_network_namespace(tmp_path: Path, namespace: str) -> None:
    run = start(tmp_path, "readlink", "/proc/self/ns/net", network_namespace=namespace)
    assert run.record["state"] == "ended"
    inode = Path(f"/run/netns/{namespace}").stat().st_ino
    assert run.stdout.strip() == f"net:[{inode}]"


def test_an_absent_namespace_is_missing(tmp_path: Path) -> None:
    spec = tmp_path / "spec.json"
    spec.write_text(
        f'{{"protocol":[1,1],"command":["true"],"directory":"{tmp_path}","network_namespace":"none-such"}}'
    )
    done = probe("run", spec, "--into", tmp_path / "run")
    assert done.returncode == 4
    assert done.stderr == "cannot run: network namespace 'none-such' is not in /run/netns\n"


def test_the_limit_holds_for_each_of_the_disks_that_are_named(tmp_path: Path) -> None:
    made = []
    try:
        for number in range(2):
            file = tmp_path / f"disk{number}"
            os.truncate(os.open(file, os.O_CREAT | os.O_WRONLY), 4 << 20)
            told_ = subprocess.run(
                ("losetup", "--find", "--show", file), capture_output=True, text=True, check=True
            )
            made.append(told_.stdout.strip())
        script = "; ".join(f"dd if={disk} of=/dev/null bs=64k count=16 iflag=direct" for disk in made)
        limits = {"read_bytes_per_s": 2_000_000, "disks": made}
        record = read(start(tmp_path, "sh", "-c", script, limits=limits))
    finally:
        for disk in made:
            subprocess.run(("losetup", "-d", disk), check=True)
    assert record["limits"]["disks"] == sorted(Path(disk).name for disk in made)
    assert record["usage"]["wall_s"] > 0.8 * (2 << 20) / 2_000_000
    assert record["doubts"] == []
