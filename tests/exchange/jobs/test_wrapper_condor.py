"""The job wrapper on a real HTCondor: a starter runs jobs by it, and they are watched."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.exchange.jobs.job import Job
from assay.exchange.jobs.wrapper import wrapper_script
from assay.model.files.native import PROBE
from tests.condor import Pool, condor
from tests.exchange.jobs.told import told
from tests.probe_native.driver import wait_for

pytestmark = [pytest.mark.live, pytest.mark.long]


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("watched")
    (made / "wn0.test").mkdir()
    return made


@pytest.fixture(scope="module")
def pool(directory: Path) -> Iterator[Pool]:
    script = wrapper_script("htcondor", str(directory), probe=str(PROBE.path()), interval_s=0.2)
    wrapper = directory.with_name("wrapper")
    wrapper.write_text(script.replace("--budget 0.1 ", "--budget 100 "))
    wrapper.chmod(0o755)
    with condor(1, more=f"USER_JOB_WRAPPER = {wrapper}") as made:
        yield made


def submit(pool: Pool, folder: Path, script: str, **lines: str) -> str:
    """Submit a job that a shell runs; return its number."""
    (folder / "job.sh").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "job.sh").chmod(0o755)
    given = {
        "executable": str(folder / "job.sh"),
        "transfer_executable": "false",
        "output": str(folder / "out"),
        "error": str(folder / "err"),
        **lines,
    }
    text = "".join(f"{name} = {value}\n" for name, value in given.items())
    return pool.ask("condor_submit", "-terse", given=f"{text}queue\n").split()[0]


def history(pool: Pool, job: str) -> dict[str, Any]:
    """Return what the history has of a job, once it has ended."""
    pool.wait_for("", "condor_q", job, "-autoformat", "ClusterId")
    found: list[dict[str, Any]] = json.loads(pool.ask("condor_history", job, "-json"))
    return found[0]


def test_a_job_has_its_arguments_its_files_and_its_code(pool: Pool, tmp_path: Path) -> None:
    content = bytes(range(256)) * 300
    (tmp_path / "in").write_bytes(content)
    words = "'a b' 'it''s \"\"q\"\"' $HOME"
    job = submit(
        pool,
        tmp_path,
        'cat; printf "%s|" "$@"; exit 3',
        input=str(tmp_path / "in"),
        arguments=f'"{words}"',
    )
    ended = history(pool, job)
    assert (ended["ExitBySignal"], ended["ExitCode"]) == (False, 3)
    assert (tmp_path / "out").read_bytes() == content + b'a b|it\'s "q"|$HOME|'
    assert (tmp_path / "err").read_bytes() == b""


def test_a_job_that_a_signal_ends_is_ended_by_it(pool: Pool, tmp_path: Path) -> None:
    ended = history(pool, submit(pool, tmp_path, "kill -USR2 $$"))
    assert (ended["ExitBySignal"], ended["ExitSignal"]) == (True, 12)


def test_a_job_is_watched_while_it_runs_and_named_as_in_its_history(
    pool: Pool, directory: Path, tmp_path: Path
) -> None:
    job = submit(pool, tmp_path, "sleep 2.5; timeout 4 sh -c 'while :; do :; done'; exit 0")
    wait_for(lambda: [one for one in directory.glob(f"*/{job}@*.txt") if one.read_text().count("\n") > 3])
    ended = history(pool, job)
    (series,) = directory.glob(f"*/{job}@*.txt")
    assert series.parent.name == ended["LastRemoteHost"].partition("@")[2]
    (seen,) = told(series)
    assert isinstance(seen, Job)
    assert seen.init_s is not None
    assert 1 < seen.init_s < seen.wall_s - 1
    scheduler, number, _ = ended["GlobalJobId"].split("#")
    assert seen.number == f"{number}@{scheduler}"


def test_a_removed_job_leaves_what_was_seen(pool: Pool, directory: Path, tmp_path: Path) -> None:
    job = submit(pool, tmp_path, "sleep 60")
    wait_for(lambda: [one for one in directory.glob(f"*/{job}@*.txt") if one.read_text().count("\n") > 3])
    pool.ask("condor_rm", job)
    history(pool, job)
    (series,) = directory.glob(f"*/{job}@*.txt")
    assert series.read_text().count("\n") > 3


def test_a_program_that_is_not_there_ends_no_job_well(pool: Pool, tmp_path: Path) -> None:
    job = submit(pool, tmp_path, "", executable=str(tmp_path / "none"))
    wait_for(
        lambda: pool.ask("condor_q", job, "-autoformat", "NumShadowStarts") not in ("", "0", "undefined")
    )
    pool.ask("condor_rm", job)
    assert history(pool, job)["JobStatus"] == 3
