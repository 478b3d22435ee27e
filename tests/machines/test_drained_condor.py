"""Nodes of a real HTCondor, drained once they are idle while they are measured by SSH, and given back."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.machines.batch.drained import Drained, DrainedError, left
from assay.machines.batch.engine import EngineError, QueuedError
from assay.machines.batch.engines import ENGINES
from assay.model.errors import MissingError
from assay.model.fleet import Drain
from assay.model.machines.machine import Machine, Reach
from tests.command import run
from tests.condor import Pool, condor
from tests.machines.test_slurm import in_place_of

pytestmark = [pytest.mark.live, pytest.mark.long]
NODE = Machine("wn1", Reach.SSH, "wn1.test")
WHEN_IDLE = Drain("htcondor", when_idle=True)


def enter(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let client programs find a pool, and ask it each time."""
    for name, value in pool.variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("assay.machines.batch.shared.SHARED_S", 0.0)
    monkeypatch.setattr("assay.machines.batch.shared.SHARED_TIMES", 0)
    ENGINES[Reach.HTCONDOR].__init__()  # type: ignore[misc] # what another test's pool has said is forgotten


@pytest.fixture
def drains(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> Iterator[Pool]:
    """A pool; no job is left afterwards, and no node drained."""
    enter(pool, monkeypatch)
    yield pool
    pool.ask("condor_drain", "-cancel", "wn1.test")
    pool.end_jobs()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    made = tmp_path / "home"
    made.mkdir()
    return made


def state(pool: Pool) -> str:
    """Return the state of the node's own slot, as the node itself says: ``Unclaimed``, ``Drained``."""
    return pool.ask("condor_status", "-direct", "wn1.test", "-autoformat", "State").split("\n")[0]


def becomes(pool: Pool, wanted: str) -> None:
    """Wait until the node is so: once it is given back it is ``Owner`` first."""
    until = time.monotonic() + 60
    while (now := state(pool)) != wanted:
        assert time.monotonic() < until, now
        time.sleep(0.1)


def reason(pool: Pool) -> str:
    return pool.ask("condor_status", "-direct", "wn1.test", "-autoformat", "DrainReason")


def busy(pool: Pool) -> str:
    """Return the id of another's job that runs on the node, which the collector knows of."""
    job = pool.take("wn1.test")
    pool.wait_for("2", "condor_q", job, "-autoformat", "JobStatus")
    words = ("-constraint", 'Machine == "wn1.test" && SlotType == "Dynamic"', "-autoformat", "State")
    pool.wait_for("Claimed", "condor_status", *words)
    return job


def test_a_node_without_jobs_is_drained_and_given_back(drains: Pool, home: Path) -> None:
    drained = Drained(WHEN_IDLE, home=home)
    drained.take(NODE)
    drained.take(NODE)
    assert (state(drains), reason(drains).startswith("assay measures it (")) == ("Drained", True)
    assert left(home) == ()
    drained.give_back(NODE)
    assert (state(drains) != "Drained", reason(drains)) == (True, "undefined")
    drained.give_back(NODE)


def test_a_drained_node_stays_so_and_takes_no_job_until_it_is_given_back(drains: Pool, home: Path) -> None:
    """What the negotiator does meanwhile is seen by a job that the other node takes."""
    drained = Drained(WHEN_IDLE, home=home)
    drained.take(NODE)
    waits, other = drains.take("wn1.test"), drains.take("wn0.test")
    drains.wait_for("2", "condor_q", other, "-autoformat", "JobStatus")
    assert drains.ask("condor_q", waits, "-autoformat", "JobStatus") == "1"
    drained.take(NODE)
    assert state(drains) == "Drained"
    drained.give_back(NODE)
    drains.wait_for("2", "condor_q", waits, "-autoformat", "JobStatus")


@pytest.mark.parametrize("when_idle", [True, False])
def test_a_node_is_left_to_its_jobs_until_it_is_idle(drains: Pool, home: Path, when_idle: bool) -> None:
    """That is so even where nobody has asked for it: ``condor_drain`` would evict them."""
    job, drained = busy(drains), Drained(Drain("htcondor", when_idle=when_idle), home=home)
    for _ in range(2):
        with pytest.raises(QueuedError, match=r"wn1 is left to its jobs|wn1\.test of HTCondor has a job"):
            drained.take(NODE)
    assert (state(drains), drains.queue()) == ("Unclaimed", ["2"])
    drains.ask("condor_rm", job)
    drains.wait_for_no_jobs()
    drained.take(NODE)
    assert state(drains) == "Drained"
    drained.give_back(NODE)
    becomes(drains, "Unclaimed")


def test_a_job_that_comes_between_look_and_drain_goes_on(
    drains: Pool, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The client that drains has a job run on the node first."""
    lines = (
        "executable = /bin/sleep\ntransfer_executable = false\narguments = 300\nrequest_cpus = 1\n"
        'requirements = Machine == "wn1.test"\nqueue\n'
    )
    (tmp_path / "job").write_text(lines)
    runs = "condor_status -direct wn1.test -autoformat Activity | grep -q Busy"
    script = f"condor_submit {tmp_path}/job >&2; until {runs}; do sleep 0.2; done\n"
    drained = Drained(WHEN_IDLE, home=home)
    with monkeypatch.context() as changed:
        text = f'{script}exec {drains.place}/bin/condor_drain "$@"'
        in_place_of("condor_drain", tmp_path, text, changed)
        changed.setattr("assay.machines.batch.client.ANSWER_S", 90.0)
        with pytest.raises(QueuedError, match=r"wn1\.test of HTCondor has a job, or is drained by others"):
            drained.take(NODE)
    assert (state(drains), drains.queue()) == ("Unclaimed", ["2"])
    drained.give_back(NODE)
    assert left(home) == ()
    drains.end_jobs()
    drained.take(NODE)
    drained.give_back(NODE)


def test_what_others_drain_between_look_and_drain_is_theirs(
    drains: Pool, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drained, real = Drained(WHEN_IDLE, home=home), f"{drains.place}/bin/condor_drain"
    with monkeypatch.context() as changed:
        text = f'{real} -reason "a disk is broken" wn1.test; exec {real} "$@"'
        in_place_of("condor_drain", tmp_path, text, changed)
        with pytest.raises(QueuedError, match="or is drained by others"):
            drained.take(NODE)
    with pytest.raises(DrainedError, match="it is drained already: a disk is broken"):
        drained.take(NODE)
    drained.give_back(NODE)
    assert (state(drains), reason(drains), left(home)) == ("Drained", "a disk is broken", ())


def test_what_others_have_drained_is_left_alone(drains: Pool, home: Path) -> None:
    drains.ask("condor_drain", "-reason", 'a "disk" is broken', "wn1.test")
    said = r'cannot drain wn1\.test of HTCondor: it is drained already: a "disk" is broken'
    with pytest.raises(DrainedError, match=said):
        Drained(WHEN_IDLE, home=home).take(NODE)
    assert (state(drains), left(home)) == ("Drained", ())


def test_what_others_drain_meanwhile_is_not_given_back(drains: Pool, home: Path) -> None:
    drained = Drained(WHEN_IDLE, home=home)
    drained.take(NODE)
    drains.ask("condor_drain", "-cancel", "wn1.test")
    drains.ask("condor_drain", "-reason", "a disk is broken", "wn1.test")
    drained.give_back(NODE)
    assert (state(drains), reason(drains)) == ("Drained", "a disk is broken")


KILLED = """\
import os, signal, sys
from pathlib import Path
from assay.machines.batch.drained import Drained
from assay.model.fleet import Drain
from assay.model.machines.machine import Machine, Reach
drained = Drained(Drain("htcondor", when_idle=True), home=Path(sys.argv[1]))
drained.take(Machine("wn1", Reach.SSH, "wn1.test"))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_was_drained_by_a_process_that_was_killed_is_given_back(drains: Pool, home: Path) -> None:
    killed = subprocess.run([sys.executable, "-c", KILLED, str(home)], timeout=60, check=False)
    assert (killed.returncode, state(drains), left(home)) == (-signal.SIGKILL, "Drained", ("wn1",))
    done = run("machine", "undrain", home=home)
    assert (done.code, done.err) == (0, "given back: wn1\n")
    becomes(drains, "Unclaimed")
    assert run("machine", "undrain", home=home).err == "nothing to give back\n"


def test_it_is_taken_up_again_by_whoever_goes_on(drains: Pool, home: Path) -> None:
    subprocess.run([sys.executable, "-c", KILLED, str(home)], timeout=60, check=False)
    drained = Drained(WHEN_IDLE, home=home)
    drained.take(NODE)
    assert left(home) == ()
    with pytest.raises(QueuedError, match="drained by another assay of this home"):
        Drained(WHEN_IDLE, home=home).take(NODE)
    drained.give_back(NODE)
    becomes(drains, "Unclaimed")


def test_htcondor_itself_refuses_by_the_expression_that_it_is_asked_with(
    drains: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that it could not parse would be ignored, and the jobs evicted."""
    engine = ENGINES[Reach.HTCONDOR]
    with monkeypatch.context() as changed:
        changed.setattr("assay.machines.batch.condor._MEANWHILE", ())
        busy(drains)
        with pytest.raises(EngineError, match=r"check expression is false on slot1_1@wn1\.test"):
            engine.drain("wn1.test", "because")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--on", "wn1"], "--drain htcondor takes --when-idle: HTCondor evicts jobs of a node"),
        (["--when-idle", "--on", "n01"], "unknown node of HTCondor 'n01'"),
        (["--when-idle", "--on", "wn2"], "cannot drain 'wn2': a job holds it"),
    ],
)
@pytest.mark.usefixtures("drains")
def test_words_that_do_not_go_together_are_refused(words: list[str], said: str, home: Path) -> None:
    (home.parent / "hosts.yaml").write_text(
        "machines: [{name: n01}, {name: wn1, ssh: wn1.test}, {name: wn2, htcondor: wn2.test}]\n"
    )
    run("machine", "import", str(home.parent / "hosts.yaml"), home=home)
    refused = run("evaluate", "quick", "--drain", "htcondor", *words, home=home)
    assert refused.code in {2, 3}
    assert said in " ".join(refused.err.split())


def test_a_user_who_may_not_drain_is_told_so(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with condor(1, administered=False) as pool:
        enter(pool, monkeypatch)
        drained, node = Drained(WHEN_IDLE, home=home), Machine("wn0", Reach.SSH, "wn0.test")
        with pytest.raises(
            MissingError, match=r"cannot drain wn0\.test of HTCondor: administrators of it may"
        ):
            drained.take(node)
        drained.give_back(node)
        assert left(home) == ()
        with pytest.raises(MissingError, match="root may not"):
            ENGINES[Reach.HTCONDOR].undrain("wn0.test")
