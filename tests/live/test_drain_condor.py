"""Machines by SSH that are nodes of a real HTCondor: drained while they are measured, and given back."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.condor import Pool, condor
from tests.live.parts import run, started
from tests.live.test_drain import await_states, reached
from tests.live.test_slurm import records

pytestmark = [pytest.mark.live, pytest.mark.long]


@dataclass(frozen=True)
class Site:
    """Two nodes of HTCondor that are reached by SSH.

    Attributes:
        pool: The HTCondor.
        variables: Variables of commands on it: a home folder whose ``.ssh`` knows both.
        hosts: The file that brings them into an inventory.
        scene: A scene of seconds.
    """

    pool: Pool
    variables: dict[str, str]
    hosts: Path
    scene: Path

    def states(self) -> list[str]:
        """Return the states of its nodes as they say themselves: ``Unclaimed``, ``Drained``."""
        asked = (
            self.pool.ask("condor_status", "-direct", node, "-autoformat", "State")
            for node in self.pool.nodes
        )
        return [told.split("\n")[0] for told in asked]

    def become(self, wanted: list[str], *, wait_s: float = 60.0) -> None:
        """Wait until its nodes are so: one that is given back is ``Owner`` first."""
        await_states(self.states, wanted, wait_s=wait_s)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("site")
    with condor(2) as pool, reached(folder, pool.nodes) as (user, *files):
        yield Site(pool, {"HOME": str(user), **pool.variables}, *files)


@pytest.fixture
def home(site: Site, tmp_path: Path) -> Iterator[Path]:
    run("machine", "import", str(site.hosts), home=tmp_path / "home", variables=site.variables)
    site.become(["Unclaimed", "Unclaimed"])
    yield tmp_path / "home"
    site.pool.end_jobs()


def words(site: Site, *more: str) -> tuple[str, ...]:
    on = ("--on", ",".join(site.pool.nodes), "--drain", "htcondor", "--when-idle")
    return ("evaluate", str(site.scene), *on, *more)


def test_nodes_are_drained_once_idle_measured_and_given_back(site: Site, home: Path, tmp_path: Path) -> None:
    job = site.pool.take("wn1.test")
    site.pool.wait_for("2", "condor_q", job, "-autoformat", "JobStatus")
    drained = words(site, "--blocks", "20")
    with started(*drained, home=home, scratch=tmp_path, variables=site.variables) as running:
        running.wait_for(lambda: running.said("wn1.test is left to its jobs"), "it waits")
        running.wait_for(lambda: len(records(home)) >= 2, "two trials of the other")
        assert site.states()[0] == "Drained"
        assert site.pool.queue() == ["2"], "the job goes on"
        assert all(record["machine"] == "wn0.test" for _, record in records(home))
        site.pool.ask("condor_rm", job)
        done = running.end()
    assert done.code == 0, done.err
    assert {str(record["machine"]) for _, record in records(home)} == set(site.pool.nodes)
    site.become(["Unclaimed", "Unclaimed"])


def killed(site: Site, home: Path, scratch: Path) -> str:
    """Kill an evaluation after some of its trials; return its id."""
    with started(
        *words(site, "--blocks", "8"), home=home, scratch=scratch, variables=site.variables
    ) as running:
        running.wait_for(lambda: len(records(home)) >= 6, "six trials")
        running.send(signal.SIGKILL)
        assert running.end().code == -signal.SIGKILL
    assert site.states() == ["Drained", "Drained"]
    return next((home / "activities").iterdir()).name


def test_after_a_kill_it_goes_on_with_its_nodes_and_gives_them_back(
    site: Site, home: Path, tmp_path: Path
) -> None:
    activity = killed(site, home, tmp_path)
    before = {place: os.stat(place).st_mtime_ns for place, _ in records(home)}
    done = run("activity", "resume", activity, "--json", home=home, variables=site.variables)
    assert done.code == 0, done.err
    assert {place: os.stat(place).st_mtime_ns for place in before} == before
    site.become(["Unclaimed", "Unclaimed"])


def test_after_a_kill_nodes_are_given_back_by_themselves(site: Site, home: Path, tmp_path: Path) -> None:
    killed(site, home, tmp_path)
    site.become(["Unclaimed", "Unclaimed"], wait_s=240.0)


def test_ctrl_c_gives_them_back(site: Site, home: Path, tmp_path: Path) -> None:
    drained = words(site, "--blocks", "100")
    with started(*drained, home=home, scratch=tmp_path, variables=site.variables) as running:
        running.wait_for(lambda: len(records(home)) >= 2, "two trials")
        running.press_ctrl_c()
        assert running.end().code == 130
    site.become(["Unclaimed", "Unclaimed"])
