"""Nodes of a real Slurm: listed, held by a job, entered, and given back."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from assay.cli.commands.machine_nodes import ENGINES, JOB
from assay.machines import UnreachableError, open_door
from assay.machines.batch import engines, held
from assay.machines.batch.condor import HTCondor
from assay.machines.batch.engine import EngineError, Node, QueuedError
from assay.machines.batch.held import job_name, release
from assay.machines.batch.hold import CODES, SCRIPT
from assay.machines.batch.nodes import nodes_of
from assay.machines.batch.slurm import Slurm
from assay.model.errors import AssayError, MissingError, UnknownNameError
from assay.model.machines.machine import Machine, Reach
from tests.command import run
from tests.machines.administrator import command_of
from tests.slurm import Cluster

pytestmark = pytest.mark.live


@pytest.fixture(autouse=True)
def ended(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let client programs find it; no job is left."""
    for name, value in cluster.variables.items():
        monkeypatch.setenv(name, value)
    yield
    cluster.ask("scancel", "--user=root")
    cluster.wait_for("", "squeue", "--noheader")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    made = tmp_path / "home"
    made.mkdir()
    return made


def machine(name: str = "wn0", **job: str) -> Machine:
    return Machine(name, Reach.SLURM, name, job=tuple(sorted(job.items())))


def state_of(cluster: Cluster, job: str) -> dict[str, str]:
    words = cluster.ask("scontrol", "--oneliner", "show", "job", job).split()
    return dict(word.partition("=")[::2] for word in words)


def test_nodes_are_listed_with_partitions_and_features() -> None:
    assert Slurm().nodes() == (
        Node("wn0", ("main",), ("milan",), "idle", 2),
        Node("wn1", ("main",), ("rome",), "idle", 2),
        Node("wn2", ("spare",), ("rome",), "idle", 2, by_default=False),
    )


@pytest.mark.parametrize(
    ("who", "names"),
    [
        (None, ["wn0", "wn1", "wn2"]),
        ("wn[0-1]", ["wn0", "wn1"]),
        ("spare", ["wn2"]),
        ("@rome", ["wn1", "wn2"]),
        ("main,wn2", ["wn0", "wn1", "wn2"]),
    ],
)
def test_nodes_are_named_as_slurm_names_them(who: str | None, names: list[str]) -> None:
    found = nodes_of("slurm", who, {"partition": "main"})
    assert [entry.name for entry in found] == names
    assert {entry.machine.job for entry in found} == {(("partition", "main"),)}


@pytest.mark.parametrize(
    ("who", "job", "said"),
    [
        ("wn7", {}, "unknown node or partition 'wn7'"),
        ("@naples", {}, "unknown feature '@naples'"),
        ("wn0", {"partion": "main"}, "nearest: 'partition'"),
        ("wn0", {"account": ""}, "expected printable text"),
        ("wn0", {"account": "a\nb"}, "expected printable text"),
    ],
)
def test_what_is_not_there_is_named(who: str, job: dict[str, str], said: str) -> None:
    with pytest.raises(AssayError, match=said):
        nodes_of("slurm", who, job)


def test_another_batch_system_is_not_known() -> None:
    with pytest.raises(UnknownNameError, match="unknown batch system 'pbs'"):
        nodes_of("pbs", None, {})


def test_the_inventory_takes_them_and_says_how_they_are_reached(home: Path) -> None:
    taken = run("machine", "nodes", "slurm", "main", "--job", "partition=main", home=home)
    assert (taken.code, taken.err) == (0, "2 nodes taken\n")
    assert (
        "2 as they were" in run("machine", "nodes", "slurm", "main", "--job", "partition=main", home=home).err
    )
    listed = run("machine", "list", home=home).out
    assert "wn1      slurm       wn1 partition=main  main    rome" in listed
    text = run("machine", "export", home=home).out
    assert '"slurm": "wn1", "job": {"partition": "main"}' in text
    other = home.parent / "other"
    (home.parent / "hosts.yaml").write_text(text)
    assert run("machine", "import", str(home.parent / "hosts.yaml"), home=other).code == 0
    assert run("machine", "export", home=other).out == text
    refused = run("machine", "edit", "wn1", "--ssh", "root@wn1", home=home)
    assert (refused.code, "slurm gives it" in refused.err) == (3, True)


def test_a_machine_of_another_way_is_not_replaced(home: Path) -> None:
    (home.parent / "hosts.yaml").write_text("machines: [{name: wn0, ssh: root@192.0.2.1}]\n")
    run("machine", "import", str(home.parent / "hosts.yaml"), home=home)
    refused = run("machine", "nodes", "slurm", home=home)
    assert refused.code == 3
    assert "a machine of this name is reached by ssh" in refused.err


def test_one_job_holds_a_node_until_it_is_given_back(cluster: Cluster, home: Path) -> None:
    first, second = (open_door(machine(), home=home) for _ in range(2))
    assert first.batch_job == second.batch_job
    assert first.batch_job is not None
    job = first.batch_job.removeprefix("slurm ")
    told = state_of(cluster, job)
    assert (told["JobState"], told["NodeList"], told["NumCPUs"]) == ("RUNNING", "wn0", "2")
    assert first.run(["id", "-u"], timeout_s=20) == f"{os.getuid()}\n".encode()
    first.close()
    release(machine(), home=home)  # the other is still in use
    assert second.run(["echo", "still"], timeout_s=20) == b"still\n"
    second.close()
    release(machine(), home=home)
    cluster.wait_for("", "squeue", "--noheader")
    assert state_of(cluster, job)["JobState"] == "COMPLETED"
    assert not [*Path("/tmp").glob(f"{job_name(machine(), home)}-*")]


def test_a_job_has_the_cores_and_the_memory_that_are_asked_for(cluster: Cluster, home: Path) -> None:
    door = open_door(machine(cores="1", memory="200M", partition="main"), home=home)
    told = state_of(cluster, str(door.batch_job).removeprefix("slurm "))
    door.close()
    assert (told["NumCPUs"], told["MinMemoryNode"], told["Partition"]) == ("1", "200M", "main")


@pytest.mark.parametrize("who", ["spare", "wn2"])
def test_a_node_outside_the_default_partition_is_held_in_its_own(
    cluster: Cluster, home: Path, who: str
) -> None:
    (entry,) = nodes_of("slurm", who, {})
    door = open_door(entry.machine, home=home)
    told = state_of(cluster, str(door.batch_job).removeprefix("slurm "))
    door.close()
    assert (told["JobState"], told["NodeList"], told["Partition"]) == ("RUNNING", "wn2", "spare")


def test_a_node_that_nobody_uses_is_given_back(
    cluster: Cluster, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(held, "UNUSED_S", 2)
    door = open_door(machine(), home=home)
    job = str(door.batch_job).removeprefix("slurm ")
    door.close()
    cluster.wait_for("", "squeue", "--noheader")
    assert state_of(cluster, job)["JobState"] == "COMPLETED"


@pytest.mark.long
def test_a_job_that_waits_says_for_what_and_is_not_asked_for_twice(
    cluster: Cluster, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(held, "BEGINS_S", 1.0)
    cluster.ask("sbatch", "--nodelist=wn0", "--exclusive", "--output=/dev/null", "--wrap=sleep 60")
    for _ in range(2):
        with pytest.raises(
            QueuedError, match=r"waits in the queue of Slurm for wn0: (Resources|Priority|None)"
        ):
            open_door(machine(), home=home)
    name = f"--name={job_name(machine(), home)}"
    assert cluster.ask("squeue", "--noheader", name, "--format=%T") == "PENDING"
    release(machine(), home=home)
    assert cluster.ask("squeue", "--noheader", name) == ""


def test_what_slurm_refuses_is_its_own_last_line(home: Path) -> None:
    with pytest.raises(EngineError, match="invalid partition specified: nothing"):
        open_door(machine(partition="nothing"), home=home)
    with pytest.raises(EngineError, match="Invalid --time specification"):
        open_door(machine(time="soon"), home=home)


def test_a_job_that_ends_at_once_says_why(
    home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    script = tmp_path / "hold.sh"
    script.write_text("#!/bin/sh\nexit 42\n")
    monkeypatch.setattr("assay.machines.batch.slurm.SCRIPT", script)
    with pytest.raises(EngineError, match="there is no ssh-keygen or flock on the node"):
        open_door(machine(), home=home)


def test_a_job_that_is_cancelled_ends_the_connection(cluster: Cluster, home: Path) -> None:
    door = open_door(machine(), home=home)
    cluster.ask("scancel", str(door.batch_job).removeprefix("slurm "))
    cluster.wait_for("", "squeue", "--noheader")
    with pytest.raises(AssayError, match="the connection was lost") as error:
        door.run(["true"], timeout_s=20)
    door.close()
    assert error.value.exit_code == 7


def test_an_administrator_ends_our_jobs_by_their_names(cluster: Cluster, home: Path) -> None:
    other = cluster.ask(
        "sbatch", "--parsable", "--job-name=assay", "--nodelist=wn1", "--output=/dev/null", "--wrap=sleep 60"
    )
    open_door(machine(), home=home).close()
    subprocess.run(["sh", "-c", command_of("scancel")], check=True)
    cluster.wait_for(other, "squeue", "--noheader", "--format=%i")
    assert not [*Path("/tmp").glob(f"{job_name(machine(), home)}-*")]


def test_what_its_client_says_is_told(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held, "SSHD", ("-i", "-o", "Nothing=yes"))
    with pytest.raises(
        UnreachableError, match=r"cannot enter job \d+ on wn0: .*(onfiguration|terminat|exit)"
    ):
        open_door(machine(), home=home)


def test_a_key_that_was_cut_off_is_made_again_and_a_damaged_one_named(home: Path) -> None:
    (home / "keys").mkdir()
    (home / "keys" / "jobs.part").write_text("-----BEGIN OPENSSH")
    open_door(machine(), home=home).close()
    (home / "keys" / "jobs").write_text("-----BEGIN OPENSSH")
    with pytest.raises(MissingError, match="cannot use the key by which jobs are entered"):
        open_door(machine(), home=home)


def test_a_word_that_its_job_does_not_know_is_refused_before_it_is_submitted(
    cluster: Cluster, home: Path
) -> None:
    with pytest.raises(UnknownNameError, match="unknown option of Slurm's jobs 'partion'"):
        open_door(machine(partion="main"), home=home)
    assert cluster.ask("squeue", "--noheader") == ""


def in_place_of(program: str, folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a script of ours be found where a client program is looked for."""
    (folder / program).write_text(f"#!/bin/sh\n{script}\n")
    (folder / program).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


def test_all_lanes_share_one_answer_of_the_queue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, engine = tmp_path / "asked", Slurm()
    in_place_of("squeue", tmp_path, f'echo . >>{asked}; exec {shutil.which("squeue")} "$@"', monkeypatch)
    monkeypatch.setattr("assay.machines.batch.shared.SHARED_S", 60.0)
    with ThreadPoolExecutor(16) as pool:
        assert {*pool.map(engine.find, map(str, range(200)))} == {None}
    assert asked.read_text() == ".\n"
    job = engine.submit("assay-x", "wn0", {}, ["/tmp/none", "key", "1"])
    found = engine.find("assay-x")
    assert (found.id if found else None, asked.read_text()) == (job, ".\n.\n")


def test_a_queue_that_does_not_answer_is_not_asked_by_each_lane(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, engine = tmp_path / "asked", Slurm()
    with monkeypatch.context() as changed:
        in_place_of("squeue", tmp_path, f"echo . >>{asked}; echo out of order >&2; exit 1", changed)
        for _ in range(3):
            with pytest.raises(EngineError, match="out of order"):
                engine.find("assay-x")
    assert asked.read_text() == ".\n"


@pytest.mark.parametrize(("program", "line"), [("squeue", "12|RUN"), ("sinfo", "wn0|main|idle|many|rome")])
def test_what_cannot_be_read_is_quoted(
    program: str, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = re.escape(f"cannot read what {program} of Slurm says: '{line}'")
    with monkeypatch.context() as changed:
        in_place_of(program, tmp_path, f"echo '{line}'", changed)
        with pytest.raises(EngineError, match=said):
            Slurm().find("assay-x") if program == "squeue" else Slurm().nodes()


def test_each_look_would_be_a_job_so_nodes_are_not_watched(cluster: Cluster, home: Path) -> None:
    run("machine", "nodes", "slurm", "wn0", home=home)
    refused = run("machine", "watch", "wn0", "--once", home=home)
    assert (refused.code, "each look would be a job" in refused.err) == (3, True)
    watched = run("machine", "watch", "wn0,local", "--once", "--json", home=home)
    assert watched.code == 0
    assert "1 node of a batch system left out" in watched.err
    assert [one["machine"] for one in json.loads(watched.out)["machines"]] == ["local"]
    assert cluster.ask("squeue", "--noheader") == ""


def test_the_help_names_what_can_be_asked_of_a_job() -> None:
    assert all(re.search(rf"\b{name}\b", str(JOB["help"])) for name in (*Slurm.options, *HTCondor.options))
    assert tuple(map(str, engines.ENGINES)) == ENGINES


def test_an_account_without_a_name_is_told() -> None:
    account = ["setpriv", "--reuid=54321", "--regid=54321", "--clear-groups", "--"]
    words = [*account, "sh", "-s", "--", "/tmp/none", "key", "1", "1"]
    done = subprocess.run(words, input=SCRIPT.read_bytes(), capture_output=True, check=False)
    assert CODES[str(done.returncode)] == "the job's account has no name on the node"


@pytest.mark.long
def test_where_there_are_no_clients_is_said(
    home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with monkeypatch.context() as changed:
        changed.setenv("PATH", str(tmp_path))
        # a job of an earlier test that still holds the node is asked for, else one is submitted
        with pytest.raises(MissingError, match=r"there is no (squeue|sbatch) here"):
            open_door(machine(), home=home)
