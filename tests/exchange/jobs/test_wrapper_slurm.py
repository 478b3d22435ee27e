"""The task prolog on a real Slurm: jobs by srun and sbatch, watched on their nodes."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.exchange.jobs.job import Job, LeftOut
from assay.exchange.jobs.wrapper import wrapper_script
from assay.model.files.native import PROBE
from tests.exchange.jobs.told import told
from tests.probe_native.driver import wait_for
from tests.slurm import Cluster, slurm

pytestmark = [pytest.mark.live, pytest.mark.long]

SPIN = "import time; until = time.monotonic() + 4\nwhile time.monotonic() < until: pass"


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("watched")
    for node in ("wn0", "wn1"):
        (made / node).mkdir()
    return made


@pytest.fixture(scope="module")
def cluster(directory: Path) -> Iterator[Cluster]:
    script = wrapper_script("slurm", str(directory), probe=str(PROBE.path()), interval_s=0.2)
    prolog = directory.with_name("prolog")
    prolog.write_text(script.replace("--budget 0.1 ", "--budget 100 "))
    prolog.chmod(0o755)
    with slurm(2, more=f"TaskProlog={prolog}") as made:
        yield made


def done(
    cluster: Cluster, *words: str, given: bytes = b"", folder: Path
) -> subprocess.CompletedProcess[bytes]:
    """Return what a client program did."""
    variables = {**os.environ, **cluster.variables}
    return subprocess.run(
        words, env=variables, cwd=folder, input=given, capture_output=True, check=False, timeout=90
    )


def test_tasks_keep_their_codes_and_files(cluster: Cluster, tmp_path: Path) -> None:
    content = bytes(range(256)) * 100
    for code in (0, 3):
        words = ("srun", "sh", "-c", f"cat; exit {code}")
        ended = done(cluster, *words, given=content, folder=tmp_path)
        assert (ended.returncode, ended.stdout) == (code, content)
    ended = done(cluster, "srun", "sh", "-c", "kill -KILL $$", folder=tmp_path)
    assert (ended.returncode, b"Killed" in ended.stderr) == (137, True)


def test_jobs_are_watched_by_node_and_job(cluster: Cluster, directory: Path, tmp_path: Path) -> None:
    (tmp_path / "spin.py").write_text(SPIN)
    script = "#!/bin/sh\nsleep 2\n/usr/bin/python3 spin.py\nsrun --ntasks=1 sleep 2\n"
    (tmp_path / "job.sh").write_text(script)
    asked = done(cluster, "sbatch", "--parsable", "job.sh", folder=tmp_path)
    job = asked.stdout.decode().strip()
    wait_for(lambda: len(lines(directory / "wn0" / f"{job}.txt")) > 3)
    assert not (directory / "wn0" / f"{job}.json").exists()
    cluster.wait_for("", "squeue", "--noheader")
    for name in (f"{job}.json", f"{job}.0.0.json"):
        wait_for((directory / "wn0" / name).exists)
    (seen,) = told(directory / "wn0" / f"{job}.txt")
    assert isinstance(seen, Job)
    assert (seen.name, seen.node) == (job, "wn0")
    assert seen.init_s is not None
    assert 1 < seen.init_s < seen.wall_s - 1


def test_a_job_that_is_cancelled_leaves_what_was_seen(
    cluster: Cluster, directory: Path, tmp_path: Path
) -> None:
    (tmp_path / "job.sh").write_text("#!/bin/sh\nexec sleep 60\n")
    job = done(cluster, "sbatch", "--parsable", "job.sh", folder=tmp_path).stdout.decode().strip()
    series = directory / "wn0" / f"{job}.txt"
    wait_for(lambda: len(lines(series)) > 3)
    cluster.ask("scancel", job)
    cluster.wait_for("", "squeue", "--noheader")
    (seen,) = told(series)
    assert isinstance(seen, Job) or seen == LeftOut("failed")
    assert len(lines(series)) > 3


def lines(file: Path) -> list[str]:
    """Return the lines of a file that may not be there yet."""
    return file.read_text().splitlines() if file.exists() else []
