"""Jobs that start at once on disks which control groups limit: what is fitted to the probe's files of them,
and what is forecast for those that were held out.

A guest's page cache is a file that no other guest reads: all machines here have one kernel.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.model.files.native import PROBE
from assay.platforms.mounts import mount_of, read_mounts
from tests.command import run

pytestmark = [pytest.mark.live, pytest.mark.long]

GROUPS = Path("/sys/fs/cgroup/blkio")
MACHINES, GUESTS = 4, 8
BATCHES = (1, 8, 2, 4)
ALONE_S, FILE_BYTES, CHUNK = 4.0, 16_000_000, 400_000
FED = 3
"""Guests whose reading fits into what the disk of a machine lets through."""
JOB = f"""
import os, sys, time
file = os.open(sys.argv[1], os.O_RDONLY)
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
began = time.monotonic()
for chunk in range({FILE_BYTES // CHUNK}):
    due = time.monotonic() + {ALONE_S * CHUNK / FILE_BYTES}
    os.read(file, {CHUNK})
    time.sleep(max(0.0, due - time.monotonic()))
ends = time.monotonic() + 18
while time.monotonic() < ends:
    until = time.thread_time() + 0.005
    while time.thread_time() < until:
        pass
    time.sleep(0.045)
"""


@pytest.fixture
def groups(tmp_path: Path) -> Iterator[list[Path]]:
    """Yield a group for each machine, whose disk lets through what three guests read."""
    disk = mount_of(tmp_path.resolve(), read_mounts())
    assert disk is not None
    made = [Path(tempfile.mkdtemp(prefix="jobs-", dir=GROUPS)) for _ in range(MACHINES)]
    for group in made:
        limit = FED * FILE_BYTES / ALONE_S
        (group / "blkio.throttle.read_bps_device").write_text(f"{disk.device} {limit:.0f}\n")
    yield made
    for group in made:
        group.rmdir()


def start(group: Path, guest: Path, job: int, folder: Path) -> subprocess.Popen[bytes]:
    """Start a job of a guest, watched by the probe."""
    files = ["--filename", str(folder / f"{job}.txt"), "--json-summary", str(folder / f"{job}.json")]
    enter = 'echo $$ > "$0"/cgroup.procs; exec "$@"'
    watched = [
        str(PROBE.path()),
        "prmon",
        "--interval",
        "0.2",
        "--disable",
        "pss",
        "--log-filename",
        "/dev/null",
        *files,
        "--",
    ]
    words = ["sh", "-c", enter, str(group), *watched, sys.executable, "-c", JOB, str(guest)]
    return subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def test_a_limit_of_disks_is_found_and_jobs_held_out_are_forecast(groups: list[Path], tmp_path: Path) -> None:
    lines = ["node,kind,class,cores,on"]
    for machine in range(MACHINES):
        lines.append(f"vm{machine}-[0-{GUESTS - 1}],virtual,A,1,wn{machine}")
        for guest in range(GUESTS):
            (tmp_path / f"software-{machine}-{guest}").write_bytes(bytes([guest + 1]) * FILE_BYTES)
            (tmp_path / "jobs" / f"vm{machine}-{guest}").mkdir(parents=True)
    (tmp_path / "nodes.csv").write_text("\n".join(lines) + "\n")
    for batch in range(len(BATCHES)):
        jobs = []
        forget(*tmp_path.glob("software-*"))
        for machine, group in enumerate(groups):
            for guest in range(BATCHES[(batch + machine) % len(BATCHES)]):
                name = f"{machine}-{guest}"
                folder = tmp_path / "jobs" / f"vm{name}"
                jobs.append(start(group, tmp_path / f"software-{name}", batch, folder))
        assert {job.wait(120) for job in jobs} == {0}
        for file in tmp_path.glob(f"jobs/*/{batch}.txt"):
            an_hour_later(file, batch)
    found = run(
        "exchange",
        "starts",
        "jobs",
        "--nodes",
        "nodes.csv",
        "--json",
        home=tmp_path / "home",
        folder=tmp_path,
    )
    assert found.code == 0, found.out + found.err
    (row,) = found.page["rows"]
    told = json.dumps(row, indent=1)
    assert (row["machines"], row["guests"], row["held_out"]) == (MACHINES, MACHINES * GUESTS, "machines"), (
        told
    )
    assert row["jobs"] == MACHINES * sum(BATCHES), told
    assert row["alone_s"]["value"] == pytest.approx(ALONE_S, rel=0.15), told
    assert row["fed"]["value"] == pytest.approx(FED, rel=0.25), told
    assert row["read_bytes"] == pytest.approx(FILE_BYTES, rel=0.15), told
    assert row["disk_bytes_s"] == pytest.approx(FED * FILE_BYTES / ALONE_S, rel=0.25), told
    assert row["error"] < row["trivial_error"] / 2, told
    assert row["wall_error"] < row["trivial_wall_error"], told
    eight = next(one for one in row["forecasts"] if one["guests"] == GUESTS)
    assert eight["init_s"]["value"] == pytest.approx(ALONE_S * GUESTS / FED, rel=0.25), told
    assert eight["loss"]["low"] > 0.1, told


def forget(*files: Path) -> None:
    """Put files onto the disk, and out of the page cache."""
    subprocess.run(["sync", *files], check=True)
    for file in files:
        subprocess.run(["dd", f"of={file}", "oflag=nocache", "conv=notrunc,fdatasync", "count=0"], check=True,
                       capture_output=True)  # fmt: skip
    time.sleep(0.2)


def an_hour_later(file: Path, batch: int) -> None:
    """Write a series as if its batch had begun two hours after the one before, so that memory has gone."""
    heading, *rows = (line.split("\t") for line in file.read_text().splitlines())
    columns = {name: heading.index(name) for name in ("Time", "time_ns")}
    for row in rows:
        row[columns["Time"]] = str(int(row[columns["Time"]]) + 7200 * batch)
        row[columns["time_ns"]] = str(int(row[columns["time_ns"]]) + 7200 * batch * 10**9)
    file.write_text("".join("\t".join(row) + "\n" for row in (heading, *rows)))
