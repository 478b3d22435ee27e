"""Slurm's client programs as scripts: what they print is read, and what they are asked for is noted.

A real Slurm is held to the same by ``test_slurm.py``, but for ``sacct``, which takes a database.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.machines.batch.drained import Drained, DrainedError
from assay.machines.batch.engine import Node
from assay.machines.batch.engines import ENGINES
from assay.machines.batch.held import job_name
from assay.machines.batch.nodes import nodes_of
from assay.machines.batch.slurm import Slurm
from assay.model.fleet import Drain
from assay.model.machines.machine import Machine, Reach
from tests.command import run
from tests.machines.administrator import command_of

SINFO = """\
cat <<'END'
wn0|main*|idle|2|milan
wn1|main*|idle|2|rome
wn1|long|idle|2|rome
wn2|long|mixed|2|rome
wn2|spare|mixed|2|rome
wn3|spare|down*|2|(null)
END"""
Client = Callable[[str, str], Path]


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Client:
    """Return what makes a client program of a script; what it is called with is in the file beside it."""
    folder = tmp_path / "clients"
    folder.mkdir()
    monkeypatch.setitem(ENGINES, Reach.SLURM, Slurm())  # what others have said is forgotten
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")

    def made(program: str, script: str) -> Path:
        asked = folder / f"{program}.asked"
        (folder / program).write_text(f'#!/bin/sh\necho "$*" >>{asked}\n{script}\n')
        (folder / program).chmod(0o755)
        return asked

    return made


@pytest.mark.parametrize(
    ("said", "how"),
    [
        ("COMPLETED|0:0", "COMPLETED"),
        ("TIMEOUT|0:0", "TIMEOUT"),
        ("CANCELLED by 0|0:15", "CANCELLED by 0"),
        ("OUT_OF_MEMORY|0:125", "OUT_OF_MEMORY"),
        ("FAILED|42:0", "there is no ssh-keygen or flock on the node"),
        ("FAILED|1:0", "FAILED"),
    ],
)
def test_accounting_says_how_a_job_ended(client: Client, said: str, how: str) -> None:
    asked = client("sacct", f"echo '{said}'")
    controller = client("scontrol", "exit 1")
    assert Slurm().ended("12") == how
    assert asked.read_text() == "--noheader --parsable2 --allocations --jobs=12 --format=State,ExitCode\n"
    assert not controller.exists()


@pytest.mark.parametrize(
    "sacct",
    ["", "echo 'RUNNING|0:0'", "echo 'PENDING|0:0'", "echo Slurm accounting storage is disabled >&2; exit 1"],
    ids=["not known there", "not told yet", "not told of its start", "none"],
)
@pytest.mark.parametrize(
    ("scontrol", "how"),
    [
        ("echo 'JobId=12 JobName=assay-x JobState=TIMEOUT Reason=TimeLimit ExitCode=0:0'", "TIMEOUT"),
        (
            "echo 'JobId=12 JobName=assay-x JobState=FAILED ExitCode=41:0'",
            "there is no /usr/sbin/sshd on the node",
        ),
        ("echo 'JobId=12 JobName=assay-x JobState=RUNNING ExitCode=0:0'", None),
        ("echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1", None),
    ],
    ids=["ended", "failed", "runs", "forgotten"],
)
def test_what_accounting_does_not_know_the_controller_is_asked(
    client: Client, sacct: str, scontrol: str, how: str | None
) -> None:
    client("sacct", sacct)
    asked = client("scontrol", scontrol)
    assert Slurm().ended("12") == how
    assert asked.read_text() == "--oneliner show job 12\n"


def test_nodes_know_whether_a_job_that_asks_for_no_partition_may_run_on_them(client: Client) -> None:
    client("sinfo", SINFO)
    assert Slurm().nodes() == (
        Node("wn0", ("main",), ("milan",), "idle", 2),
        Node("wn1", ("long", "main"), ("rome",), "idle", 2),
        Node("wn2", ("long", "spare"), ("rome",), "mixed", 2, by_default=False),
        Node("wn3", ("spare",), (), "down", 2, by_default=False),
    )


@pytest.mark.parametrize(
    ("who", "asked", "partitions"),
    [
        ("wn[0-1]", {}, {"wn0": None, "wn1": None}),
        ("main", {}, {"wn0": "main", "wn1": "main"}),
        ("spare", {}, {"wn2": "spare", "wn3": "spare"}),
        ("spare,long", {}, {"wn1": "long", "wn2": "long,spare", "wn3": "spare"}),
        ("wn2,spare", {}, {"wn2": "spare", "wn3": "spare"}),
        ("wn2,wn3", {}, {"wn2": "long,spare", "wn3": "spare"}),
        ("@rome", {}, {"wn1": None, "wn2": "long,spare"}),
        (None, {}, {"wn0": None, "wn1": None, "wn2": "long,spare", "wn3": "spare"}),
        ("spare", {"partition": "long"}, {"wn2": "long", "wn3": "long"}),
    ],
)
def test_the_job_of_a_node_asks_for_a_partition_that_the_node_is_in(
    client: Client, who: str | None, asked: dict[str, str], partitions: dict[str, str | None]
) -> None:
    client("sinfo", SINFO)
    found = nodes_of("slurm", who, {"account": "hep", **asked})
    jobs = {entry.name: dict(entry.machine.job) for entry in found}
    assert {name: job.pop("partition", None) for name, job in jobs.items()} == partitions
    assert all(job == {"account": "hep"} for job in jobs.values())


def test_without_nodes_that_are_named_a_job_is_submitted_for_each(client: Client, tmp_path: Path) -> None:
    client("sinfo", SINFO)
    client("squeue", "")
    asked = client("sbatch", "echo 'sbatch: error: none today' >&2; exit 1")
    done = run("evaluate", "quick", "--engine", "slurm", "--dry-run", home=tmp_path / "home")
    assert done.code == 4, done.err
    assert "all nodes of slurm: 4\n" in done.err
    for name, partition in {"wn0": None, "wn1": None, "wn2": "long,spare", "wn3": "spare"}.items():
        (line,) = (line for line in asked.read_text().splitlines() if f"--nodelist={name} " in line)
        assert ("--partition" in line) == (partition is not None)
        assert partition is None or f" --partition={partition} " in line
        assert f"{name}: cannot use sbatch of Slurm: none today" in done.err


def test_administrators_end_our_jobs_and_no_others_by_name(client: Client, tmp_path: Path) -> None:
    ours = job_name(Machine("wn1", Reach.SLURM, "wn1"), tmp_path)
    others = ("assay", "my-assay-0", "assay-run", "reco assay-1f", f"{ours}-x")
    names = "\n".join(f"{at} {name}" for at, name in enumerate((*others, ours)))
    client("squeue", f"cat <<'END'\n{names}\nEND")
    asked = client("scancel", "")
    subprocess.run(["sh", "-c", command_of("scancel")], check=True)
    assert asked.read_text() == f"{len(others)}\n"
    (pattern,) = re.findall(r'regexp\("(.*)", JobBatchName\)', command_of("condor_rm"))
    assert [name for name in (*others, ours) if re.search(pattern, name)] == [ours]


def test_a_node_that_is_waited_for_is_looked_up_once(client: Client, tmp_path: Path) -> None:
    listed = client("sinfo", SINFO)
    asked = client("scontrol", "echo 'NodeName=wn2 CPUAlloc=1 State=MIXED+DRAIN Reason=by hand [root@2026]'")
    drained = Drained(Drain("slurm", when_idle=True), home=tmp_path)
    for _ in range(3):
        with pytest.raises(DrainedError, match="it is drained already: by hand"):
            drained.take(Machine("wn2", Reach.SSH, "wn2.site.example"))
    assert len(listed.read_text().splitlines()) == 1
    assert {*asked.read_text().splitlines()} == {"--oneliner show node"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--job", "partition=main"], "it goes with --engine"),
        (["--engine", "slurm", "--against", "wn0"], "they do not go with --against"),
        (["--engine", "slurm", "--dry-run", "--as", "."], "it does not go with --on or --engine"),
        (["--engine", "slurm", "--drain", "slurm"], "--drain takes --on"),
    ],
)
def test_words_that_do_not_go_with_a_batch_system_are_refused(
    words: list[str], said: str, tmp_path: Path
) -> None:
    refused = run("evaluate", "quick", *words, home=tmp_path / "home")
    assert refused.code == 2
    assert said in " ".join(refused.err.split())
