"""A scene as a job script."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from assay.model.errors import AssayError
from assay.scenes import read_scene
from assay.scenes.changes.script import job_script
from assay.scenes.find import ready_names
from tests.command import run

SCENE = """\
scene: own
title: It's "mine", $HOME and `date`
baseline: {machine: local}
treatment: {machine: local}
workloads: [{name: job, command: ./job, inputs: [bin/job, 'a b.txt', /etc/hostname]}]
design: {blocks: 3}
"""


def made(folder: Path, text: str = SCENE) -> str:
    (folder / "bin").mkdir(exist_ok=True)
    (folder / "bin" / "job").write_text("#!/bin/sh\n")
    (folder / "a b.txt").write_text("b")
    return job_script(read_scene(text.encode(), file=str(folder / "own.yaml")))


def submitted(folder: Path, script: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a job in a folder of its own."""
    (folder / "submitted").mkdir(exist_ok=True)
    return subprocess.run(
        ["sh", "-c", script],
        cwd=folder / "submitted",
        env={"PATH": "/usr/bin:/bin", "TMPDIR": str(folder), **variables},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def program(folder: Path, text: str) -> str:
    """Return the path of a program that stands in for assay."""
    (folder / "stand-in").write_text(f"#!/bin/sh\n{text}\n")
    (folder / "stand-in").chmod(0o755)
    return str(folder / "stand-in")


def test_the_job_brings_the_scene_as_it_is_with_its_inputs(tmp_path: Path) -> None:
    stand_in = program(tmp_path, 'cat "$2"; cat "${2%/*}/a b.txt"; ls "${2%/*}/bin" >&2')
    done = submitted(tmp_path, made(tmp_path), ASSAY=stand_in)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{SCENE}b", "job\n")
    assert not [*tmp_path.glob("assay-job-*")]


def test_its_result_is_kept_whatever_the_exit_code(tmp_path: Path) -> None:
    stand_in = program(tmp_path, 'mkdir -p "$ASSAY_HOME/activities/1f2e3d4c"; exit 3')
    done = submitted(tmp_path, made(tmp_path), ASSAY=stand_in)
    place = tmp_path / "submitted" / "1f2e3d4c"
    assert (done.returncode, done.stdout) == (3, f"result: {place}\n")
    assert place.is_dir()
    assert [*place.parent.iterdir()] == [place]


def test_a_time_limit_is_passed_on_and_its_end_is_waited_for(tmp_path: Path) -> None:
    ends = (
        "trap 'mkdir -p \"$ASSAY_HOME/activities/1f2e3d4c\"; exit 130' TERM; touch began; sleep 60 & wait $!"
    )
    (tmp_path / "submitted").mkdir()
    with subprocess.Popen(
        ["sh", "-c", made(tmp_path)],
        cwd=tmp_path / "submitted",
        env={"PATH": "/usr/bin:/bin", "TMPDIR": str(tmp_path), "ASSAY": program(tmp_path, ends)},
    ) as job:
        while not (tmp_path / "submitted" / "began").exists():
            assert job.poll() is None
        job.terminate()
        assert job.wait(30) == 130
    assert (tmp_path / "submitted" / "1f2e3d4c").is_dir()


def test_a_node_without_assay_says_so(tmp_path: Path) -> None:
    done = submitted(tmp_path, made(tmp_path), ASSAY="/nowhere/assay")
    assert (done.returncode, "set ASSAY" in done.stderr) == (4, True)
    done = submitted(tmp_path, made(tmp_path), ASSAY="true", RESULTS="/nowhere")
    assert (done.returncode, "set RESULTS" in done.stderr) == (4, True)


def test_what_lies_above_the_scene_is_found_too(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    text = SCENE.replace("'a b.txt'", "'../a b.txt'").replace("bin/job", "../bin/job")
    made(tmp_path)
    script = job_script(read_scene(text.encode(), file=str(tmp_path / "below" / "own.yaml")))
    done = submitted(
        tmp_path, script, ASSAY=program(tmp_path, 'cat "${2%/*}/../a b.txt" "${2%/*}/../bin/job"')
    )
    assert (done.returncode, done.stdout) == (0, "b#!/bin/sh\n")


def test_the_folder_of_the_scene_is_no_input(tmp_path: Path) -> None:
    text = SCENE.replace("'a b.txt'", ".")
    made(tmp_path)
    with pytest.raises(AssayError, match=r"its input '\.' holds the scene itself"):
        job_script(read_scene(text.encode(), file=str(tmp_path / "own.yaml")))


@pytest.mark.parametrize("name", sorted(ready_names()))
def test_every_ready_scene_is_a_job(name: str, tmp_path: Path) -> None:
    done = run("evaluate", name, "--engine", "script", home=tmp_path)
    assert done.code == 0, done.err
    assert subprocess.run(["sh", "-nc", done.out], check=False).returncode == 0


@pytest.mark.parametrize("words", [["--on", "wn01"], ["--job", "time=1"]])
def test_it_is_for_any_node(words: list[str], tmp_path: Path) -> None:
    refused = run("evaluate", "quick", "--engine", "script", *words, home=tmp_path)
    assert (refused.code, "prints a job for any node" in refused.err) == (2, True)
