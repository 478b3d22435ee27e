"""Nodes of a real HTCondor: listed, held by a job, entered, and given back."""

from __future__ import annotations

import re
import shlex
import shutil
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from assay.machines import UnreachableError, open_door
from assay.machines.batch import engines, held
from assay.machines.batch.condor import HTCondor
from assay.machines.batch.engine import EngineError, QueuedError
from assay.machines.batch.held import job_name, release
from assay.machines.batch.nodes import nodes_of
from assay.model.errors import AssayError, MissingError, UnknownNameError
from assay.model.machines.machine import Machine, Reach
from tests.command import run
from tests.condor import Pool
from tests.machines.administrator import command_of
from tests.machines.test_slurm import in_place_of

pytestmark = [pytest.mark.live, pytest.mark.long]


@pytest.fixture(autouse=True)
def ended(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let client programs be found; no job is left."""
    with monkeypatch.context() as changed:
        changed.setattr(held, "BEGINS_S", 60.0)  # however busy this machine is
        changed.setitem(engines.ENGINES, Reach.HTCONDOR, HTCondor())  # type: ignore[arg-type]
        for name, value in pool.variables.items():
            changed.setenv(name, value)
        yield
    pool.end_jobs()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    made = tmp_path / "home"
    made.mkdir()
    return made


def machine(node: str = "wn0.test", **job: str) -> Machine:
    options = {name.replace("_", "-"): value for name, value in job.items()}
    return Machine(node, Reach.HTCONDOR, node, job=tuple(sorted(options.items())))


def id_of(batch_job: str | None) -> str:
    assert batch_job is not None
    assert re.fullmatch(r"htcondor \d+\.\d+", batch_job)
    return batch_job.removeprefix("htcondor ")


def told_of(pool: Pool, job: str, *attributes: str) -> str:
    return pool.ask("condor_q", job, "-autoformat", *attributes)


def folders(home: Path, node: str = "wn0.test") -> list[Path]:
    """Return the folders of keys that a node's jobs have left."""
    return [*Path("/tmp").glob(f"{job_name(machine(node), home)}-*")]


def test_nodes_are_listed_with_their_system_and_their_processors_level(pool: Pool, home: Path) -> None:
    first, second = HTCondor().nodes()
    assert (first.name, second.name, first.cpus, first.partitions) == ("wn0.test", "wn1.test", 2, ())
    assert first.state == "Unclaimed"
    system, level = first.features
    assert system.startswith("Debian")
    assert level.startswith("x86_64-v")
    open_door(machine(), home=home).close()
    pool.wait_for(
        "1", "condor_status", "-constraint", 'Name == "slot1@wn0.test"', "-autoformat", "NumDynamicSlots"
    )
    assert [node.state for node in HTCondor().nodes()] == ["Claimed", "Unclaimed"]


@pytest.mark.parametrize(
    ("who", "names"),
    [
        (None, ["wn0.test", "wn1.test"]),
        ("wn[0-1].test", ["wn0.test", "wn1.test"]),
        ("wn1.test", ["wn1.test"]),
        ("@Debian13", ["wn0.test", "wn1.test"]),
    ],
)
def test_nodes_are_named_as_htcondor_names_them(who: str | None, names: list[str]) -> None:
    found = nodes_of("htcondor", who, {"cores": "1"})
    assert [entry.name for entry in found] == names
    assert {entry.machine.job for entry in found} == {(("cores", "1"),)}


@pytest.mark.parametrize(
    ("who", "job", "said"),
    [
        ("wn7.test", {}, "unknown node or partition 'wn7.test'"),
        ("@naples", {}, "unknown feature '@naples'"),
        ("wn0.test", {"partition": "main"}, "unknown option of HTCondor's jobs 'partition'"),
        ("wn0.test", {"cores": "1\nqueue"}, "expected printable text"),
    ],
)
def test_what_is_not_there_is_named(who: str, job: dict[str, str], said: str) -> None:
    with pytest.raises(AssayError, match=said):
        nodes_of("htcondor", who, job)


def test_the_inventory_takes_them_and_says_how_they_are_reached(home: Path) -> None:
    taken = run("machine", "nodes", "htcondor", "wn1.test", "--job", "cores=1", home=home)
    assert (taken.code, taken.err) == (0, "1 node taken\n")
    assert re.search(
        r"wn1\.test +htcondor +wn1\.test cores=1 .*Debian13", run("machine", "list", home=home).out
    )
    text = run("machine", "export", home=home).out
    assert '"htcondor": "wn1.test", "job": {"cores": "1"}' in text
    other = home.parent / "other"
    (home.parent / "hosts.yaml").write_text(text)
    assert run("machine", "import", str(home.parent / "hosts.yaml"), home=other).code == 0
    assert run("machine", "export", home=other).out == text


def test_one_job_holds_a_node_until_it_is_given_back(pool: Pool, home: Path) -> None:
    first, second = (open_door(machine(), home=home) for _ in range(2))
    assert first.batch_job == second.batch_job
    job = id_of(first.batch_job)
    told = told_of(pool, job, "JobStatus", "RemoteHost", "RequestCpus", "RequestMemory")
    assert told == "2 slot1_1@wn0.test 2 1000"
    assert (
        first.run(["id", "-un"], timeout_s=20) == f"{pool.account}\n".encode()
    )  # not as the tests' own user
    first.close()
    release(machine(), home=home)  # the other is still in use
    assert second.run(["echo", "still"], timeout_s=20) == b"still\n"
    assert folders(home)
    second.close()
    release(machine(), home=home)
    assert pool.queue() == []
    assert HTCondor().ended(job) == f"via condor_rm (by user {pool.account})"
    assert not folders(home)
    assert not [*Path("/tmp").glob(f"{pool.account}.condor_ssh_to_job_*")]


def test_a_job_has_the_cores_and_their_share_of_the_memory(pool: Pool, home: Path) -> None:
    doors = [
        open_door(machine(cores="1"), home=home),
        open_door(machine("wn1.test", memory="300 MB"), home=home),
    ]
    jobs = [id_of(door.batch_job) for door in doors]
    assert [told_of(pool, job, "RequestCpus", "RequestMemory") for job in jobs] == ["1 500", "2 300"]
    for door in doors:
        door.close()


def test_a_job_is_charged_and_limited_as_it_is_asked_for(pool: Pool, home: Path) -> None:
    door = open_door(machine(accounting_group="group_hep.cms", max_runtime="14400"), home=home)
    told = told_of(pool, id_of(door.batch_job), "AcctGroup", "MaxRuntime")
    door.close()
    assert told == "group_hep.cms 14400"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("cores", "two"),
        ("cores", "0"),
        ("memory", "8 eggs"),
        ("memory", "1 || true"),
        ("accounting_group", "a b"),
        ("max_runtime", "4:00:00"),
    ],
)
def test_what_is_not_of_its_form_is_not_submitted(pool: Pool, home: Path, name: str, value: str) -> None:
    said = f"cannot ask HTCondor for {name.replace('_', '-')}='{value}': expected"
    with pytest.raises(AssayError, match=re.escape(said)):
        open_door(machine(**{name: value}), home=home)
    assert pool.queue() == []


def test_names_and_words_stay_what_they_are(
    pool: Pool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a submit description would take for its own language comes to the job as it is."""
    said = tmp_path / "said"
    script_of(tmp_path, f'printf "%s\\n" "$@" >{said}', monkeypatch)
    words = ["it's", 'a "key" \\ \' ', "", "1"]
    job = HTCondor().submit("assay-0", "wn0.test", {}, words)
    pool.wait_for_no_jobs()
    assert said.read_text() == "\n".join((*words, job, ""))
    with pytest.raises(EngineError, match="HTCondor has no machine of this name"):
        HTCondor().submit("assay-0", 'wn0.test" || true || "', {}, ["a", "b", "1"])
    for word in ("a\nqueue 100", "$(ClusterId)", "$$(Cpus)"):
        with pytest.raises(AssayError, match=r"expected printable text without '\$'"):
            HTCondor().submit("assay-0", "wn0.test", {}, [word])


def test_a_word_that_its_job_does_not_know_is_refused_before_it_is_submitted(pool: Pool, home: Path) -> None:
    with pytest.raises(UnknownNameError, match="unknown option of HTCondor's jobs 'time'"):
        open_door(machine(time="1"), home=home)
    assert pool.queue() == []


def test_a_node_that_nobody_uses_is_given_back(
    pool: Pool, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(held, "UNUSED_S", 8)
    door = open_door(machine(), home=home)
    door.close()
    pool.wait_for_no_jobs()
    assert HTCondor().ended(id_of(door.batch_job)) == "exit code 0"
    assert not folders(home)


def test_a_job_that_waits_says_for_what_and_is_not_asked_for_twice(
    pool: Pool, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(held, "BEGINS_S", 6.0)
    other = pool.take("wn0.test")
    pool.wait_for("2", "condor_q", other, "-autoformat", "JobStatus")
    for _ in range(2):
        with pytest.raises(
            QueuedError, match=r"waits in the queue of HTCondor for wn0.test: (no match|it is idle)"
        ):
            open_door(machine(), home=home)
    assert sorted(pool.queue()) == ["1", "2"]
    release(machine(), home=home)
    assert pool.queue("JobStatus") == ["2"]


def test_a_machine_that_is_not_there_is_not_waited_for(pool: Pool, home: Path) -> None:
    with pytest.raises(EngineError, match=r"cannot hold wn9\.test: HTCondor has no machine of this name"):
        open_door(machine("wn9.test"), home=home)
    assert pool.queue() == []


def test_a_node_in_parts_is_not_taken_whole(
    pool: Pool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slot = (
        '{"Machine":"wn0.test","SlotType":"Static","State":"Owner","TotalSlotCpus":1.0,"TotalSlotMemory":500}'
    )
    in_place_of("condor_status", tmp_path, f"echo '[{slot},{slot}]'", monkeypatch)
    with pytest.raises(EngineError, match="divided it into 2 slots") as refused:
        HTCondor().submit("assay-0", "wn0.test", {}, ["a", "b", "1"])
    assert refused.value.hint == "--job cores=1"
    (node,) = HTCondor().nodes()
    assert (node.cpus, node.state, node.features) == (2, "Owner", ())
    HTCondor().submit("assay-0", "wn0.test", {"cores": "1"}, ["a", "b", "1"])
    assert pool.queue("RequestMemory") == ["500"]


def test_what_htcondor_refuses_is_its_own_last_line(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.machines.batch.condor.SCRIPT", Path("/none/hold.sh"))
    with pytest.raises(EngineError, match=r"cannot use condor_submit of HTCondor: .*/none/hold\.sh"):
        open_door(machine(), home=home)


def script_of(folder: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    script = folder / "other.sh"
    script.write_text(f"#!/bin/sh\n{text}\n")
    script.chmod(0o755)
    monkeypatch.setattr("assay.machines.batch.condor.SCRIPT", script)


@pytest.mark.parametrize(
    ("ends", "said"),
    [
        ("exit 42", "there is no ssh-keygen or flock on the node"),
        ("exit 9", "exit code 9"),
        ("kill -9 $$", "signal 9"),
    ],
)
def test_a_job_that_ends_at_once_says_why(
    home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, ends: str, said: str
) -> None:
    script_of(tmp_path, ends, monkeypatch)
    with pytest.raises(EngineError, match=f"job .* of HTCondor has ended: {said}"):
        open_door(machine(), home=home)


def test_a_job_on_hold_is_at_its_end_and_leaves_the_queue(
    pool: Pool, home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    script_of(tmp_path, "", monkeypatch)
    (tmp_path / "other.sh").write_text("#!/no/such/shell\n")
    with pytest.raises(EngineError, match=r"has ended: it was held: .*(other\.sh|No such file)"):
        open_door(machine(), home=home)
    pool.wait_for_no_jobs()


def test_a_job_that_is_removed_ends_the_connection(pool: Pool, home: Path) -> None:
    door = open_door(machine(), home=home)
    job = id_of(door.batch_job)
    pool.ask("condor_rm", job)
    pool.wait_for_no_jobs()
    with pytest.raises(AssayError, match="the connection was lost") as error:
        door.run(["true"], timeout_s=20)
    door.close()
    assert error.value.exit_code == 7
    HTCondor().cancel(job)  # it has ended: nothing is changed


def test_an_administrator_ends_our_jobs_by_their_names(pool: Pool, home: Path) -> None:
    open_door(machine(), home=home).close()
    pool.ask(*shlex.split(command_of("condor_rm")))
    pool.wait_for_no_jobs()
    assert not folders(home)


def test_a_job_that_was_killed_leaves_nothing_for_long(pool: Pool, home: Path) -> None:
    """The keys of a job that could not clean up are removed by the next one on the node."""
    open_door(machine(), home=home).close()
    (left,) = folders(home)
    kept = left.with_name(f"{left.name}9")
    shutil.copytree(left, kept)
    assert stat.S_IMODE(left.stat().st_mode) == 0o700
    release(machine(), home=home)
    pool.wait_for_no_jobs()
    open_door(machine(), home=home).close()
    assert not kept.exists()


def test_what_its_client_says_is_told(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held, "SSHD", ("-i", "-o", "Nothing=yes"))
    with pytest.raises(
        UnreachableError, match=r"cannot enter job \d+\.0 on wn0.test: .*(onfiguration|terminat)"
    ):
        open_door(machine(), home=home)


def test_all_lanes_share_one_answer_of_the_queue(
    pool: Pool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, engine = tmp_path / "asked", HTCondor()
    in_place_of("condor_q", tmp_path, f'echo . >>{asked}; exec {pool.place}/bin/condor_q "$@"', monkeypatch)
    monkeypatch.setattr("assay.machines.batch.shared.SHARED_S", 60.0)
    with ThreadPoolExecutor(16) as threads:
        assert {*threads.map(engine.find, map(str, range(200)))} == {None}
    assert asked.read_text() == ".\n"
    job = engine.submit("assay-0", "wn0.test", {}, ["/tmp/none", "key", "1"])
    found = engine.find("assay-0")
    assert (found.id if found else None, asked.read_text()) == (job, ".\n.\n")


@pytest.mark.parametrize(
    ("program", "text"),
    [
        ("condor_q", "[{"),
        ("condor_q", '{"ClusterId": 1}'),
        ("condor_q", '[{"ClusterId": "1", "ProcId": 0, "JobStatus": 1}]'),
        ("condor_status", '[{"Machine": 1}]'),
        ("condor_submit", "submitted"),
    ],
)
def test_what_cannot_be_read_is_quoted(
    program: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_place_of(program, tmp_path, f"echo '{text}'", monkeypatch)
    engine = HTCondor()
    with pytest.raises(EngineError, match=f"cannot read what {program} of HTCondor says: "):
        engine.find("assay-0") if program == "condor_q" else engine.submit("assay-0", "wn0.test", {}, ["a"])


def test_a_schedd_that_does_not_answer_is_told(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_place_of("condor_q", tmp_path, "echo 'ERROR: Failed to fetch ads' >&2; exit 1", monkeypatch)
    with pytest.raises(EngineError, match="cannot use condor_q of HTCondor: Failed to fetch ads") as refused:
        open_door(machine(), home=home)
    assert refused.value.hint == "condor_status -schedd"
    in_place_of("condor_rm", tmp_path, "exit 1", monkeypatch)
    with pytest.raises(EngineError, match="Failed to fetch ads"):
        HTCondor().cancel("1.0")


def test_without_a_history_it_is_not_known_how_a_job_has_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_place_of("condor_history", tmp_path, "exit 1", monkeypatch)
    assert HTCondor().ended("99999.0") is None


def test_where_there_are_no_clients_is_said(
    home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with monkeypatch.context() as changed:
        changed.setenv("PATH", str(tmp_path))
        with pytest.raises(MissingError, match="there is no condor_q here"):
            open_door(machine(), home=home)
