"""Scales of a scene, as a person types them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.cli.test_observing import completed
from tests.command import run
from tests.results.test_outcome import PLAN

FILE = """\
scene: sized
title: Two sizes
baseline: {machine: local}
treatment: {machine: local}
workloads: [flops]
scales:
  minutes: {about: one second each, workloads: [{use: flops, parameters: {runtime: 1 s}}]}
"""


def test_a_scene_is_shown_with_its_scales_and_at_one_of_them(tmp_path: Path) -> None:
    shown = run("scene", "show", "event-scan", "--json", home=tmp_path).page
    assert [scale["name"] for scale in shown["scales"]] == ["minutes", "chain", "publication"]
    assert all(scale["about"] for scale in shown["scales"])
    large = run("scene", "show", "event-scan", "--scale", "publication", "--json", home=tmp_path).page
    assert (large["name"], large["scale"], large["scales"]) == ("event-scan", "publication", [])
    assert "4000" in large["text"]
    assert large["digest"] != shown["digest"]
    assert "scales:" in run("scene", "show", "event-scan", home=tmp_path).out


def test_validating_says_which_scales_were_checked(tmp_path: Path) -> None:
    (tmp_path / "sized.yaml").write_text(FILE)
    done = run("scene", "validate", str(tmp_path / "sized.yaml"), home=tmp_path)
    assert done.err.endswith("scene 'sized' is valid, at its scales too: minutes\n")


def test_a_plan_is_of_the_scale_that_was_asked_for(tmp_path: Path) -> None:
    (tmp_path / "sized.yaml").write_text(FILE)
    done = run(
        "evaluate", str(tmp_path / "sized.yaml"), "--scale", "minutes", "--dry-run", "--json", home=tmp_path
    )
    assert done.code == 0, done.err
    assert done.page["scale"] == "minutes"


def test_a_plan_tells_what_its_scene_says_of_the_time_until_its_size_is_another(tmp_path: Path) -> None:
    says, evaluate = "about 5 min, as the scene says", ("evaluate", "noise-floor", "--dry-run")
    assert says in run(*evaluate, "--seed", "7", home=tmp_path).out
    assert says not in run(*evaluate, "--blocks", "4", home=tmp_path).out


def test_an_unknown_scale_is_a_wrong_input_with_the_nearest(tmp_path: Path) -> None:
    done = run("evaluate", "event-scan", "--scale", "minuts", "--dry-run", home=tmp_path)
    assert done.code == 3
    said = "unknown scale of event-scan 'minuts'; nearest: 'minutes' (known: chain, minutes, publication)"
    assert said in done.err


def test_a_command_has_no_scale(tmp_path: Path) -> None:
    done = run("evaluate", "--command", "true", "--scale", "minutes", home=tmp_path)
    assert done.code == 2
    assert "--scale goes with a scene that has scales" in done.err


def test_a_plan_s_label_names_its_scale() -> None:
    plan = replace(PLAN, scale="minutes")
    assert plan.label == "quick (minutes)"


def test_scales_are_completed(tmp_path: Path) -> None:
    assert completed("assay evaluate event-scan --scale m", tmp_path) == ["minutes"]
    assert completed("assay evaluate quick --scale ", tmp_path) == []
