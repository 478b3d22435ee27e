"""Commands around trials as a scene says them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assay.model.work.scripts import Role, Scripts
from assay.scenes import SceneError, read_scene
from assay.scenes.changes.write import write_scene
from tests.scenes.wrong import GOOD

WORDS = """\
scripts:
  host: {setup: "./tune.sh 'a b'", teardown: ./tune.sh undo, time-limit: 90 s}
  treatment: {check: my/checks/run -v, start: sync, inputs: [./my, /etc/hostname]}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tune.sh").write_text("#!/bin/sh\n")
    (tmp_path / "my/checks").mkdir(parents=True)
    (tmp_path / "my/checks/run").write_text("#!/bin/sh\n")
    return tmp_path


def test_commands_are_read_by_role_with_the_programs_that_they_name(folder: Path) -> None:
    read = read_scene((GOOD + WORDS).encode(), file=str(folder / "trial.yaml"))
    assert read.scripts == (
        Scripts(
            Role.HOST,
            setup=("./tune.sh", "a b"),
            teardown=("./tune.sh", "undo"),
            inputs=("./tune.sh",),
            time_limit_s=90.0,
        ),
        Scripts(
            Role.TREATMENT,
            check=("my/checks/run", "-v"),
            start=("sync",),
            inputs=("./my", "/etc/hostname"),
        ),
    )
    written = write_scene(read)
    assert read_scene(written.encode(), file=str(folder / "trial.yaml")) == replace(read, source=written)
    plain = read_scene(GOOD.encode(), file=str(folder / "trial.yaml"))
    assert read.digest != plain.digest


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("host: {}", "trial.yaml:6:11: expected a command: setup, check, start or teardown"),
        (
            "host: {start: sync}",
            "trial.yaml:6:18: expected 'start' of baseline or treatment, which have trials",
        ),
        ("hst: {setup: sync}", "got the unknown key 'hst'; nearest: 'host'"),
        ("host: {setup: ''}", "trial.yaml:6:25: expected"),
        ("host: {setup: ./none.sh}", "got './none.sh', which is not there"),
        ("host: {setup: sync, inputs: [./none]}", "got './none', which is not there"),
        ("host: {setup: sync, inputs: [./tune.sh, my/../tune.sh]}", "got 'tune.sh' twice"),
        ("host: {setup: sync, time-limit: 5}", "expected a time with its unit"),
        ("host: {set-up: sync}", "nearest: 'setup'"),
    ],
)
def test_what_is_wrong_with_them_is_said_at_its_place(folder: Path, words: str, problem: str) -> None:
    with pytest.raises(SceneError) as refused:
        read_scene(f"{GOOD}scripts: {{{words}}}\n".encode(), file=str(folder / "trial.yaml"))
    assert problem in str(refused.value).replace(f"{folder}/", "")
