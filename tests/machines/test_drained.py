"""Nodes of a real Slurm, drained while they are measured by SSH, and given back."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.machines.batch.drained import Drained, DrainedError, left, node_of
from assay.machines.batch.engine import QueuedError
from assay.machines.batch.engines import ENGINES
from assay.machines.batch.slurm import Slurm
from assay.model.errors import MissingError, UnknownNameError
from assay.model.fleet import Drain
from assay.model.machines.machine import Machine, Reach
from tests.command import run
from tests.slurm import Cluster

pytestmark = [pytest.mark.live, pytest.mark.long]
NODE = Machine("wn1", Reach.SSH, "wn1.site.example")


@pytest.fixture(autouse=True)
def ended(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let client programs find it and ask it each time; no job is left, and no node drained."""
    for name, value in cluster.variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("assay.machines.batch.shared.SHARED_S", 0.0)
    monkeypatch.setattr("assay.machines.batch.shared.SHARED_TIMES", 0)
    ENGINES[Reach.SLURM].__init__()  # type: ignore[misc] # what another test's cluster has said is forgotten
    yield
    cluster.ask("scancel", "--user=root")
    cluster.wait_for("", "squeue", "--noheader")
    cluster.ask("scontrol", "update", "nodename=ALL", "state=undrain")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    made = tmp_path / "home"
    made.mkdir()
    return made


def state(cluster: Cluster) -> str:
    """Return the state of the node: ``IDLE``, ``IDLE+DRAIN``; that its daemon is slow does not matter."""
    told = cluster.ask("scontrol", "--oneliner", "show", "node", "wn1")
    return told.partition("State=")[2].split()[0].replace("*", "").replace("+NOT_RESPONDING", "")


def becomes(cluster: Cluster, wanted: str) -> None:
    """Wait until the node is so; the daemon of a busy machine may be taken for lost meanwhile (``*``)."""
    until = time.monotonic() + 60
    while (now := state(cluster)) != wanted:
        assert time.monotonic() < until, now
        time.sleep(0.2)


def busy(cluster: Cluster, node: str = "wn1") -> str:
    return cluster.ask("sbatch", "--parsable", f"--nodelist={node}", "--output=/dev/null", "--wrap=sleep 300")


def test_a_node_without_jobs_is_drained_and_given_back(cluster: Cluster, home: Path) -> None:
    drained = Drained(Drain("slurm", when_idle=False), home=home)
    drained.take(NODE)
    drained.take(NODE)
    assert state(cluster) == "IDLE+DRAIN"
    assert "assay measures it" in cluster.ask("sinfo", "--noheader", "--nodes=wn1", "--format=%E")
    assert left(home) == ()
    drained.give_back(NODE)
    assert state(cluster) == "IDLE"
    drained.give_back(NODE)


@pytest.mark.long
def test_its_jobs_are_waited_for(cluster: Cluster, home: Path) -> None:
    job, drained = busy(cluster), Drained(Drain("slurm", when_idle=False), home=home)
    cluster.wait_for("RUNNING", "squeue", "--noheader", "--format=%T")
    with pytest.raises(QueuedError, match="wn1 is drained, and still has jobs"):
        drained.take(NODE)
    assert state(cluster) == "MIXED+DRAIN"
    cluster.ask("scancel", job)
    becomes(cluster, "IDLE+DRAIN")
    drained.take(NODE)
    drained.give_back(NODE)
    assert state(cluster) == "IDLE"


@pytest.mark.long
def test_a_node_is_left_to_its_jobs_until_it_is_idle(cluster: Cluster, home: Path) -> None:
    job, drained = busy(cluster), Drained(Drain("slurm", when_idle=True), home=home)
    cluster.wait_for("RUNNING", "squeue", "--noheader", "--format=%T")
    with pytest.raises(QueuedError, match="wn1 is left to its jobs"):
        drained.take(NODE)
    assert state(cluster) == "MIXED"
    cluster.ask("scancel", job)
    becomes(cluster, "IDLE")
    drained.take(NODE)
    assert state(cluster) == "IDLE+DRAIN"
    drained.give_back(NODE)


@pytest.mark.long
def test_what_others_have_drained_is_left_alone(cluster: Cluster, home: Path) -> None:
    cluster.ask("scontrol", "update", "nodename=wn1", "state=drain", "reason=a disk is broken")
    with pytest.raises(
        DrainedError, match="cannot drain wn1 of Slurm: it is drained already: a disk is broken"
    ):
        Drained(Drain("slurm", when_idle=False), home=home).take(NODE)
    assert left(home) == ()


@pytest.mark.long
def test_what_others_drain_meanwhile_is_not_given_back(cluster: Cluster, home: Path) -> None:
    drained = Drained(Drain("slurm", when_idle=False), home=home)
    drained.take(NODE)
    cluster.ask("scontrol", "update", "nodename=wn1", "state=drain", "reason=a disk is broken")
    drained.give_back(NODE)
    assert state(cluster) == "IDLE+DRAIN"


KILLED = """\
import os, signal, sys
from pathlib import Path
from assay.machines.batch.drained import Drained
from assay.model.fleet import Drain
from assay.model.machines.machine import Machine, Reach
drained = Drained(Drain("slurm", when_idle=False), home=Path(sys.argv[1]))
drained.take(Machine("wn1", Reach.SSH, "wn1"))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_was_drained_by_a_process_that_was_killed_is_given_back(cluster: Cluster, home: Path) -> None:
    killed = subprocess.run([sys.executable, "-c", KILLED, str(home)], timeout=60, check=False)
    assert (killed.returncode, state(cluster), left(home)) == (-signal.SIGKILL, "IDLE+DRAIN", ("wn1",))
    unknown = run("machine", "undrain", "wn2", home=home)
    assert (unknown.code, "unknown drained machine that nobody measures 'wn2'" in unknown.err) == (3, True)
    done = run("machine", "undrain", home=home)
    assert (done.code, done.err, state(cluster)) == (0, "given back: wn1\n", "IDLE")
    assert run("machine", "undrain", home=home).err == "nothing to give back\n"


@pytest.mark.long
def test_it_is_taken_up_again_by_whoever_goes_on(cluster: Cluster, home: Path) -> None:
    subprocess.run([sys.executable, "-c", KILLED, str(home)], timeout=60, check=False)
    drained = Drained(Drain("slurm", when_idle=False), home=home)
    drained.take(NODE)
    assert left(home) == ()
    assert run("machine", "undrain", home=home).err == "nothing to give back\n"
    with pytest.raises(QueuedError, match="drained by another assay of this home"):
        Drained(Drain("slurm", when_idle=False), home=home).take(NODE)
    drained.give_back(NODE)
    assert state(cluster) == "IDLE"


@pytest.mark.parametrize(
    ("name", "host", "node"),
    [("wn1", None, "wn1"), ("box", "wn1", "wn1"), ("box", "wn1.site.example", "wn1")],
)
def test_a_machine_is_the_node_of_its_name_or_address(name: str, host: str | None, node: str) -> None:
    assert node_of(Machine(name, Reach.SSH, host), Slurm()) == node


def test_a_machine_that_is_no_node_is_named() -> None:
    with pytest.raises(UnknownNameError, match="unknown node of Slurm 'box'"):
        node_of(Machine("box", Reach.SSH, "10.0.0.2"), Slurm())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--when-idle"], "it goes with --drain"),
        (["--drain", "slurm"], "--drain takes --on"),
        (["--drain", "slurm", "--engine", "slurm", "--on", "wn1"], "no --engine"),
        (["--drain", "slurm", "--on", "n01"], "unknown node of Slurm 'n01'"),
        (["--drain", "slurm", "--on", "wn2"], "cannot drain 'wn2': a job holds it"),
    ],
)
def test_words_that_do_not_go_together_are_refused(words: list[str], said: str, home: Path) -> None:
    (home.parent / "hosts.yaml").write_text("machines: [{name: n01}, {name: wn2, slurm: wn2}]\n")
    run("machine", "import", str(home.parent / "hosts.yaml"), home=home)
    refused = run("evaluate", "quick", *words, home=home)
    assert refused.code in {2, 3}
    assert said in refused.err


def test_a_user_who_may_not_drain_is_told_so(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    as_other = f'case $1 in update) exec setpriv --reuid=65534 {shutil.which("scontrol")} "$@";; esac'
    (tmp_path / "scontrol").write_text(f'#!/bin/sh\n{as_other}\nexec {shutil.which("scontrol")} "$@"\n')
    (tmp_path / "scontrol").chmod(0o755)
    drained = Drained(Drain("slurm", when_idle=False), home=home)
    with monkeypatch.context() as changed:
        changed.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
        with pytest.raises(MissingError, match="operators of it may, root may not"):
            drained.take(NODE)
    drained.give_back(NODE)
    assert left(home) == ()
