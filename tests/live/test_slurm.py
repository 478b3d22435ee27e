"""An evaluation on four nodes of a real Slurm: through the queue, killed, resumed, stopped."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.machines.batch.held import job_name
from assay.model.machines.machine import Machine, Reach
from tests.live.parts import Running, run, started
from tests.slurm import Cluster, slurm

pytestmark = pytest.mark.live

SCENE = """\
scene: asleep
title: A job that sleeps
baseline: {machine: local}
treatment: {machine: local}
workloads: [{name: sleep, command: sleep 0.3}]
design: {blocks: 4, wait-quiet: 0 s}
"""
NODES = "wn[0-3]"


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with slurm(5, apart=True) as made, pytest.MonkeyPatch.context() as changed:
        for name, value in made.variables.items():
            changed.setenv(name, value)
        yield made


@pytest.fixture
def scene(tmp_path: Path) -> str:
    (tmp_path / "asleep.yaml").write_text(SCENE)
    return str(tmp_path / "asleep.yaml")


def records(home: Path) -> list[tuple[str, dict[str, object]]]:
    """Return all records with their places."""
    found = sorted(home.glob("activities/*/lanes/*/trials/[0-9]*/trial.json"))
    return [(str(path), json.loads(path.read_text())) for path in found]


def test_four_nodes_are_held_measured_and_given_back(cluster: Cluster, scene: str, tmp_path: Path) -> None:
    home = tmp_path / "home"
    done = run("evaluate", scene, "--engine", "slurm", "--on", NODES, "--json", home=home)
    assert done.code == 0, done.err
    assert {lane["machine"]: lane["state"] for lane in done.page["lanes"]} == dict.fromkeys(
        ("wn0", "wn1", "wn2", "wn3"), "complete"
    )
    jobs = {(record["machine"], record["batch_job"]) for _, record in records(home)}
    assert len(jobs) == 4
    assert all(str(job).startswith("slurm ") for _, job in jobs)
    assert cluster.ask("squeue", "--noheader") == ""
    names = [job_name(Machine(f"wn{n}", Reach.SLURM, f"wn{n}"), home) for n in range(4)]
    assert not [place for name in names for place in Path("/tmp").glob(f"{name}-*")]


@pytest.mark.long
def test_what_would_run_is_told_and_no_node_is_kept(cluster: Cluster, scene: str, tmp_path: Path) -> None:
    words = ("evaluate", scene, "--engine", "slurm", "--on", NODES, "--dry-run", "--json")
    done = run(*words, home=tmp_path / "home")
    assert done.code == 0, done.err
    assert [lane["machine"] for lane in done.page["lanes"]] == ["wn0", "wn1", "wn2", "wn3"]
    assert done.page["who"] == NODES
    assert cluster.ask("squeue", "--noheader") == ""


@pytest.mark.long
def test_all_nodes_are_measured_in_their_partitions_where_none_is_named(
    cluster: Cluster, scene: str, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    done = run("evaluate", scene, "--engine", "slurm", "--json", home=home)
    assert done.code == 0, done.err
    assert "all nodes of slurm: 5\n" in done.err
    assert {lane["machine"]: lane["state"] for lane in done.page["lanes"]} == dict.fromkeys(
        cluster.nodes, "complete"
    )
    assert cluster.ask("squeue", "--noheader") == ""


@pytest.mark.long
@pytest.mark.parametrize("ends", ["at its time limit", "cancelled"])
def test_a_job_that_ends_is_followed_by_another(
    cluster: Cluster, scene: str, tmp_path: Path, ends: str
) -> None:
    home = tmp_path / "home"
    blocks, limit = (60, ("--job", "time=1")) if ends == "at its time limit" else (20, ())
    words = ("evaluate", scene, "--engine", "slurm", "--on", "wn0", "--blocks", str(blocks), *limit)
    with started(*words, home=home, scratch=tmp_path) as running:
        running.wait_for(lambda: len(records(home)) >= 4, "four trials")
        if not limit:
            cluster.ask("scancel", *cluster.ask("squeue", "--noheader", "--format=%i").split())
        done = running.end()
    assert done.code == 0, done.err
    assert "tried again" in done.err
    jobs = [str(record["batch_job"]) for _, record in records(home)]
    assert len({*jobs}) >= 2
    assert cluster.ask("squeue", "--noheader") == ""


@pytest.mark.long
def test_a_node_in_use_is_waited_for_in_the_queue(cluster: Cluster, scene: str, tmp_path: Path) -> None:
    other = cluster.ask(
        "sbatch", "--parsable", "--nodelist=wn0", "--exclusive", "--output=/dev/null", "--wrap=sleep 300"
    )
    words = ("evaluate", scene, "--engine", "slurm", "--on", "wn0")
    with started(*words, home=tmp_path / "home", scratch=tmp_path) as running:
        running.wait_for(lambda: running.said("waits in the queue of Slurm for wn0"), "it waits")
        cluster.ask("scancel", other)
        done = running.end()
    assert done.code == 0, done.err
    assert cluster.ask("squeue", "--noheader") == ""


def killed(scene: str, home: Path, scratch: Path) -> None:
    """Kill an evaluation of four nodes after some of its trials."""
    words = ("evaluate", scene, "--engine", "slurm", "--on", NODES, "--blocks", "8")
    with started(*words, home=home, scratch=scratch) as running:
        running.wait_for(lambda: len(records(home)) >= 12, "twelve trials")
        _kill(running)


def _kill(running: Running) -> None:
    running.send(signal.SIGKILL)
    assert running.end().code == -signal.SIGKILL


@pytest.mark.long
def test_what_was_killed_is_resumed_and_no_trial_is_repeated(
    cluster: Cluster, scene: str, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    killed(scene, home, tmp_path)
    before = {place: os.stat(place).st_mtime_ns for place, _ in records(home)}
    held = cluster.ask("squeue", "--noheader", "--states=running", "--format=%i").split()
    assert len(held) == 4  # the nodes are still ours
    (activity,) = (path.name for path in (home / "activities").iterdir())
    done = run("activity", "resume", activity, "--json", home=home)
    assert done.code == 0, done.err
    after = records(home)
    assert {place: os.stat(place).st_mtime_ns for place in before} == before
    assert len(after) == sum(lane["trials"] for lane in done.page["lanes"])
    assert cluster.ask("squeue", "--noheader") == ""


@pytest.mark.long
def test_nodes_are_given_back_where_nobody_resumes(cluster: Cluster, scene: str, tmp_path: Path) -> None:
    killed(scene, tmp_path / "home", tmp_path)
    cluster.wait_for("", "squeue", "--noheader", wait_s=180.0)


@pytest.mark.long
def test_ctrl_c_gives_back_what_runs_and_what_waits(cluster: Cluster, scene: str, tmp_path: Path) -> None:
    other = cluster.ask(
        "sbatch", "--parsable", "--nodelist=wn1", "--exclusive", "--output=/dev/null", "--wrap=sleep 300"
    )
    home = tmp_path / "home"
    words = ("evaluate", scene, "--engine", "slurm", "--on", NODES, "--blocks", "100")
    with started(*words, home=home, scratch=tmp_path) as running:
        measured = ("wn0", "wn2", "wn3")  # the fourth waits for its node
        running.wait_for(
            lambda: {record["machine"] for _, record in records(home)} >= {*measured}, "trials of three nodes"
        )
        running.press_ctrl_c()
        done = running.end()
    assert done.code == 130, done.err
    assert cluster.ask("squeue", "--noheader", "--format=%i") == other
    cluster.ask("scancel", other)
    cluster.wait_for("", "squeue", "--noheader")
