"""Options of placement and observation, as a person types them."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.cli.observing import Names
from assay.model.work.observation import GROUPS
from tests.command import Done, run
from tests.results.test_outcome import PLAN

GROUP_NAMES = Names("group", GROUPS)


def scene_text(*options: str, home: Path) -> Done:
    return run("evaluate", "--command", "true", *options, "--dry-run", "--json", home=home)


def completed(words: str, home: Path) -> list[str]:
    """Return what bash would offer for the last of some words."""
    count = len(words.split(" ")) - 1
    reported = {"_ASSAY_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(count)}
    done = run(home=home, variables=reported)
    return [line.removeprefix("plain,") for line in done.out.split()]


def test_names_are_completed_one_after_the_other(tmp_path: Path) -> None:
    assert completed("assay evaluate --watch p", tmp_path) == ["pressure", "pss"]
    assert completed("assay evaluate --watch pss,p", tmp_path) == ["pss,pressure"]
    assert completed("assay evaluate --counters instr", tmp_path) == ["instructions"]


def test_ablations_scenes_and_results_are_completed(tmp_path: Path, measured: Path) -> None:
    assert completed("assay explain --ablate disk-", tmp_path) == [
        "disk-cache", "disk-read-limit", "disk-write-limit",
    ]  # fmt: skip
    assert completed("assay evaluate noise", tmp_path) == ["noise-floor", "noise-floor-guest"]
    assert completed("assay explain ", measured) == ["last", PLAN.id]
    assert completed(f"assay report {PLAN.id[:2]}", measured) == [PLAN.id]


def test_completing_makes_no_home(tmp_path: Path) -> None:
    assert completed("assay explain ", tmp_path / "none") == []
    assert not (tmp_path / "none").exists()


def test_a_wrong_name_is_told_with_the_nearest(tmp_path: Path) -> None:
    done = scene_text("--watch", "delay,presure", home=tmp_path)
    assert done.code == 2
    assert "unknown group 'presure'; nearest: 'pressure'" in done.err
    done = scene_text("--counters", "cycle", home=tmp_path)
    assert "unknown counter 'cycle'; nearest: 'cycles'" in done.err


@pytest.mark.parametrize("options", [("--profile", "fast"), ("--profile", "0"), ("--profile=1001",)])
def test_a_wrong_rate_says_how_to_leave_it_out(tmp_path: Path, options: tuple[str, ...]) -> None:
    done = scene_text(*options, home=tmp_path)
    assert done.code == 2
    assert "expected samples a second from 1 to 1000" in done.err
    assert "for 99, write --profile last" in done.err


def test_a_stagger_has_a_unit(tmp_path: Path) -> None:
    done = scene_text("--stagger", "2", home=tmp_path)
    assert done.code == 2
    assert "expected a time with its unit, like '90 s'" in done.err


def test_options_hold_for_a_command_as_for_a_scene(tmp_path: Path) -> None:
    options = (
        "--copies",
        "2",
        "--threads=1",
        "--stagger",
        "10 ms",
        "--watch",
        "pressure,delay",
        "--blocks=3",
    )
    for what in (("--command", "true", "--against", "local"), ("cpu-quota",)):
        done = run("evaluate", *what, *options, "--dry-run", "--json", home=tmp_path)
        assert done.code == 0, done.err
        assert done.page["blocks"] == 3


def test_copies_of_a_scene_that_cannot_have_them_are_refused(tmp_path: Path) -> None:
    done = run("evaluate", "quick", "--copies", "2", "--dry-run", home=tmp_path)
    assert done.code == 3
    assert "cannot change the scene quick: expected one copy of iperf3" in done.err
