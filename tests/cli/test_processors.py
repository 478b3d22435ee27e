"""Processors, the controller and recorded machines, as a person types them."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.model.errors import Exit
from tests.command import run

SCENE = """\
scene: mine
title: Half against whole
baseline: {machine: local}
treatment: {machine: local}
workloads: [flops]
"""
RECORDED = Path(__file__).parents[2] / "probe/tests/machines"


@pytest.fixture
def scene(tmp_path: Path) -> str:
    file = tmp_path / "mine.yaml"
    file.write_text(SCENE)
    return str(file)


def test_all_processors_are_measured_and_the_controller_shares_them(scene: str, tmp_path: Path) -> None:
    planned = run(
        "evaluate", scene, "--processors", "all", "--dry-run", "--json", home=tmp_path / "home"
    ).page
    every = planned["sharing"]["processors"]
    assert planned["sharing"]["controller"] == "shared"
    assert [arm["processors"] for arm in planned["arms"]] == [every, every]
    assert [(arm["machine"], arm["guests"]) for arm in planned["arms"]] == [("local", [])] * 2
    said = run("evaluate", scene, "--processors", "all", "--dry-run", home=tmp_path / "home").out
    assert f"processors: {len(every)} of {len(every)}" in said
    assert "the controller shares them" in said


def test_a_recorded_machine_stands_for_this_one(scene: str, tmp_path: Path) -> None:
    folder = str(RECORDED / "tcg-nehalem")
    planned = run("evaluate", scene, "--as", folder, "--dry-run", "--json", home=tmp_path / "home").page
    assert planned["recorded"] == folder
    assert [arm["processors"] for arm in planned["arms"]] == [[1, 2, 3]] * 2
    one = run(
        "evaluate", scene, "--as", folder, "--processors", "0,2-3", "--dry-run", "--json",
        home=tmp_path / "home",
    ).page  # fmt: skip
    assert [arm["processors"] for arm in one["arms"]] == [[0, 2, 3]] * 2
    assert one["sharing"]["kept"] == [1]


def test_a_recorded_machine_cannot_be_measured(scene: str, tmp_path: Path) -> None:
    done = run("evaluate", scene, "--as", str(RECORDED / "tcg-nehalem"), home=tmp_path / "home")
    assert done.code == Exit.USAGE
    assert "it goes with --dry-run" in done.err


def test_a_folder_that_is_no_recorded_machine_is_said_so(scene: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = run("evaluate", scene, "--as", str(tmp_path / "empty"), "--dry-run", home=tmp_path / "home")
    assert done.code not in {0, 1}
    assert "Traceback" not in done.err


@pytest.mark.parametrize("word", ["al", "0", "-1", "1.5", "3-1", "70000", ""])
def test_what_is_no_choice_of_processors_is_refused(scene: str, tmp_path: Path, word: str) -> None:
    done = run("evaluate", scene, f"--processors={word}", "--dry-run", home=tmp_path / "home")
    assert done.code == Exit.USAGE
    assert "expected all, all-cores, a number from 1 or a list like 0,2-5" in done.err


def test_more_than_there_are_end_with_exit_code_4(scene: str, tmp_path: Path) -> None:
    done = run("evaluate", scene, "--processors", "4096", "--dry-run", home=tmp_path / "home")
    assert done.code == Exit.MISSING
    assert "cannot give an arm 4096 processors" in done.err
    elsewhere = run("evaluate", scene, "--controller", "elsewhere", "--dry-run", home=tmp_path / "home")
    assert elsewhere.code not in {0, 1}
    assert "cannot keep the controller elsewhere" in elsewhere.err


def test_a_publications_scale_is_refused_where_the_machine_is_too_small(tmp_path: Path) -> None:
    done = run(
        "evaluate", "powheg-filesystem", "--scale", "publication", "--dry-run",
        "--as", str(RECORDED / "tcg-nehalem"), home=tmp_path / "home",
    )  # fmt: skip
    assert done.code == Exit.MISSING
    assert "it needs 128 cores, there are 4; it needs 480 GiB of memory" in done.err
    assert "assay scene show powheg-filesystem: its other scales" in done.err
