"""A real browser, a real activity, a machine that is reached by a real sshd: from adding it to the report."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fleet_hosts import Fleet, fleet_hosts
from tests.hosts import SshHost, ssh_host
from tests.live.parts import Done, World, assert_same_world, run
from tests.live.web_way import BLOCKS, FURTHER, SCENE
from tests.web.conftest import serving

pytestmark = pytest.mark.live
VISITS = 3
"""Trials of a block: a machine against itself is measured once more."""
CHECKOUT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshHost]:
    with ssh_host(tmp_path_factory.mktemp("host")) as made:
        yield made


@pytest.fixture(scope="module")
def way(host: SshHost, home: Path, before: World) -> dict[str, str]:
    """Return what each step of the way has shown."""
    return gone(host, home, "whole", "bench", f"{host.user}@{host.address}:{host.port}")


def gone(host: SshHost | Fleet, home: Path, *given: str) -> dict[str, str]:
    """Serve a home where the machine can be reached, and go a way in a browser there."""
    with serving(home, wrap=host.inside, variables={"HOME": str(host.home)}) as served:
        words = [sys.executable, "-m", "tests.live.web_way", served.at, *given]
        done = subprocess.run(
            host.inside(words), cwd=CHECKOUT, capture_output=True, text=True, timeout=600, check=False
        )
    assert done.returncode == 0, done.stderr
    return {line.partition(" ")[0]: line.partition(" ")[2] for line in done.stdout.splitlines()}


def test_a_machine_is_added_and_looked_at(way: dict[str, str]) -> None:
    assert way["added"] == "bench"


def test_a_scene_is_saved_planned_and_measured_while_the_page_follows(way: dict[str, str]) -> None:
    assert way["saved"] == "A job that sleeps"
    assert "3 blocks" in way["planned"] or "1 machine" in way["planned"]
    assert way["measured"].endswith("complete")


def test_its_result_is_drawn_reported_and_compared(way: dict[str, str]) -> None:
    assert int(way["drawn"]) > 0
    assert way["report"] == "200 True"
    assert way["compared"] == "Comparison of 2 results"
    assert way["between"] == "True", "that of this machine, and that of the one that was added"
    assert int(way["differences"]) > 0, "the time of the job is in both"
    assert way["several"] == "A job that sleeps"


@pytest.mark.long
def test_it_is_extended_stopped_and_resumed(host: SshHost, home: Path, way: dict[str, str]) -> None:
    further, whole = gone(host, home, "extend", way["activity"]), VISITS * (BLOCKS + FURTHER)
    assert VISITS * BLOCKS <= int(further["stopped"]) < whole
    assert int(further["resumed"]) == whole


@pytest.mark.long
def test_a_machine_that_was_taken_out_is_measured_again(
    tmp_path_factory: pytest.TempPathFactory, way: dict[str, str]
) -> None:
    del way  # its machine is one of another network, which is gone by then
    folder = tmp_path_factory.mktemp("retry")
    (folder / "scene.yaml").write_text(SCENE)
    with fleet_hosts(folder, 2) as fleet:

        def call(*words: str) -> Done:
            variables = {"HOME": str(fleet.home)}
            return run(*words, home=folder / "home", wrap=fleet.inside, variables=variables)

        (folder / "hosts.yaml").write_text(fleet.inventory())
        assert call("machine", "import", str(folder / "hosts.yaml")).code == 0
        fleet.rekey(fleet.hosts[1])
        begun = call("evaluate", str(folder / "scene.yaml"), "--on", "farm", "--json")
        assert {lane["state"] for lane in begun.page["lanes"]} == {"complete", "out"}, begun.err
        (row,) = call("activity", "list", "--json").page["activities"]
        fleet.trust()
        assert gone(fleet, folder / "home", "retry", row["id"])["retried"] == "complete"
        (row,) = call("activity", "list", "--json").page["activities"]
    assert row["ended"] == 2 * VISITS * BLOCKS


def test_nothing_is_left_behind(way: dict[str, str], home: Path, before: World) -> None:
    assert_same_world(home, before)
