"""A setting that helps what is tuned for and hurts another workload of the mix: refused, with the reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.live.parts import Done, World, assert_same_world, run

pytestmark = [pytest.mark.live, pytest.mark.long]

SCENE = Path(__file__).parents[2] / "examples/ciphers.yaml"
ASKED = ("--workload", "aes", "--set", "cpu.model=Westmere", "--allow", "migration", "--budget", "24")


@pytest.fixture(scope="module")
def done(home: Path, before: World) -> Done:
    """Search and confirm."""
    del before
    return run("tune", str(SCENE), *ASKED, "--seed", "3", "--json", home=home, longest_s=1500.0)


@pytest.fixture(scope="module")
def found(done: Done) -> dict[str, Any]:
    """Return the only change-set."""
    assert done.code == 0, done.err
    (one,) = done.page["found"]
    assert isinstance(one, dict)
    return one


def test_what_is_tuned_for_gains_and_that_is_confirmed(found: dict[str, Any]) -> None:
    assert found["changes"] == {"cpu.model": "Westmere"}
    current = next(one for one in found["saved"] if one["over"] == "current")
    assert current["low"] > 0.05


def test_it_is_refused_for_what_it_costs_the_other(found: dict[str, Any]) -> None:
    assert not found["recommended"]
    assert not found["undecided"]
    assert found["reason"].startswith("it costs others of the mix: chacha")
    loss = next(row for row in found["mix"] if (row["workload"], row["metric"]) == ("chacha", "wall_time"))
    assert loss["low"] > 0.05


def test_nothing_is_applied_or_exported_and_the_way_out_is_named(done: Done, home: Path) -> None:
    refused = run("tune", "export", "last", "--format", "virt-xml", home=home)
    assert refused.code != 0, done.err
    assert "chacha" in refused.err


def test_nothing_is_left_behind(home: Path, before: World) -> None:
    assert_same_world(home, before)
