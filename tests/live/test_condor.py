"""An evaluation on two nodes of a real HTCondor: measured, cancelled, killed and resumed."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.machines.batch.held import job_name
from assay.model.machines.machine import Machine, Reach
from tests.condor import Pool, condor
from tests.live.parts import run, started
from tests.live.test_slurm import SCENE, records

pytestmark = [pytest.mark.live, pytest.mark.long]

NODES = "wn[0-1].test"


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with condor(2, apart=True) as made, pytest.MonkeyPatch.context() as changed:
        for name, value in made.variables.items():
            changed.setenv(name, value)
        yield made


@pytest.fixture(autouse=True)
def ended(pool: Pool) -> Iterator[None]:
    yield
    pool.end_jobs()


@pytest.fixture
def scene(tmp_path: Path) -> str:
    (tmp_path / "asleep.yaml").write_text(SCENE)
    return str(tmp_path / "asleep.yaml")


def on(*words: str) -> tuple[str, ...]:
    return ("evaluate", *words, "--engine", "htcondor")


def test_two_nodes_are_held_measured_and_given_back(pool: Pool, scene: str, tmp_path: Path) -> None:
    home = tmp_path / "home"
    done = run(*on(scene, "--on", NODES, "--json"), home=home)
    assert done.code == 0, done.err
    states = {lane["machine"]: lane["state"] for lane in done.page["lanes"]}
    assert states == dict.fromkeys(pool.nodes, "complete")
    jobs = {(record["machine"], record["batch_job"]) for _, record in records(home)}
    assert len(jobs) == 2
    assert all(str(job).startswith("htcondor ") for _, job in jobs)
    assert pool.queue() == []
    names = [job_name(Machine(node, Reach.HTCONDOR, node), home) for node in pool.nodes]
    assert not [place for name in names for place in Path("/tmp").glob(f"{name}-*")]


def test_what_was_killed_is_resumed_and_no_trial_is_repeated(pool: Pool, scene: str, tmp_path: Path) -> None:
    home = tmp_path / "home"
    with started(*on(scene, "--on", NODES, "--blocks", "8"), home=home, scratch=tmp_path) as running:
        running.wait_for(lambda: len(records(home)) >= 6, "six trials")
        running.send(signal.SIGKILL)
        assert running.end().code == -signal.SIGKILL
    before = {place: os.stat(place).st_mtime_ns for place, _ in records(home)}
    assert pool.queue() == ["2", "2"]  # the nodes are still ours
    (activity,) = (path.name for path in (home / "activities").iterdir())
    done = run("activity", "resume", activity, "--json", home=home)
    assert done.code == 0, done.err
    assert {place: os.stat(place).st_mtime_ns for place in before} == before
    assert len(records(home)) == sum(lane["trials"] for lane in done.page["lanes"])
    assert pool.queue() == []


def test_a_job_that_is_removed_is_followed_by_another(pool: Pool, scene: str, tmp_path: Path) -> None:
    home = tmp_path / "home"
    words = on(scene, "--on", "wn0.test", "--blocks", "20")
    with started(*words, home=home, scratch=tmp_path) as running:
        running.wait_for(lambda: len(records(home)) >= 4, "four trials")
        pool.ask("condor_rm", "-all")
        done = running.end()
    assert done.code == 0, done.err
    assert "tried again" in done.err
    assert len({str(record["batch_job"]) for _, record in records(home)}) >= 2
    assert pool.queue() == []


def test_a_job_that_is_held_is_followed_by_another(pool: Pool, scene: str, tmp_path: Path) -> None:
    home = tmp_path / "home"
    words = on(scene, "--on", "wn0.test", "--blocks", "20")
    with started(*words, home=home, scratch=tmp_path) as running:
        running.wait_for(lambda: len(records(home)) >= 4, "four trials")
        pool.ask("condor_hold", "-all")
        done = running.end()
    assert done.code == 0, done.err
    assert len({str(record["batch_job"]) for _, record in records(home)}) >= 2
    pool.wait_for_no_jobs()


def test_ctrl_c_gives_back_what_runs_and_what_waits(pool: Pool, scene: str, tmp_path: Path) -> None:
    other, home = pool.take("wn1.test"), tmp_path / "home"
    pool.wait_for("2", "condor_q", other, "-autoformat", "JobStatus")
    words = on(scene, "--on", NODES, "--blocks", "100")
    with started(*words, home=home, scratch=tmp_path) as running:
        running.wait_for(lambda: running.said("waits in the queue of HTCondor for wn1.test"), "it waits")
        running.wait_for(lambda: len(records(home)) >= 2, "two trials of one node")
        running.press_ctrl_c()
        done = running.end()
    assert done.code == 130, done.err
    assert pool.queue("ClusterId") == [other.partition(".")[0]]


def test_a_node_in_use_is_waited_for_in_the_queue(pool: Pool, scene: str, tmp_path: Path) -> None:
    other = pool.take("wn0.test")
    pool.wait_for("2", "condor_q", other, "-autoformat", "JobStatus")
    with started(*on(scene, "--on", "wn0.test"), home=tmp_path / "home", scratch=tmp_path) as running:
        running.wait_for(lambda: running.said("waits in the queue of HTCondor for wn0.test"), "it waits")
        pool.ask("condor_rm", other)
        done = running.end()
    assert done.code == 0, done.err
    assert pool.queue() == []


def test_nodes_are_given_back_where_nobody_resumes(pool: Pool, scene: str, tmp_path: Path) -> None:
    home = tmp_path / "home"
    with started(*on(scene, "--on", NODES, "--blocks", "8"), home=home, scratch=tmp_path) as running:
        running.wait_for(lambda: len(records(home)) >= 2, "two trials")
        running.send(signal.SIGKILL)
        running.end()
    pool.wait_for_no_jobs(wait_s=180.0)
