"""Commands around trials: run by a real shell, kept with what they printed, taken down after a kill, too."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assay.activities.interrupts import Interrupts
from assay.activities.plan.arms import Arms
from assay.activities.plan.scripts import planned_scripts
from assay.activities.scripts import ScriptRunner
from assay.activities.visits.visit import Visit
from assay.model.activity import PlannedArm
from assay.model.errors import AssayError, Exit, MissingError
from assay.model.machines.machine import Limits, Machine
from assay.model.platforms.container import PlannedContainer, Runtime
from assay.model.work.scripts import Phase, Role, Scripts
from assay.scenes import read_scene
from assay.workloads import Sizes
from tests.activities.doubles import Watcher
from tests.builders import plan_of
from tests.scenes.wrong import GOOD

NOTE = """#!/bin/sh
echo "$ASSAY_ROLE $ASSAY_PHASE $1 on $ASSAY_MACHINE of $ASSAY_ACTIVITY" >> "$LOG"
echo "hello from $ASSAY_PHASE"
[ "$1" != bad ] || { echo "no such fan" >&2; exit 3; }
"""


def visit(tmp_path: Path, name: str = "node") -> Visit:
    """Return a visit of this machine, whose folder is one of the test's."""

    def run(argv: Sequence[str], *, timeout_s: float) -> bytes:
        log = {"LOG": str(tmp_path / "log"), "PATH": "/usr/bin:/bin"}
        return subprocess.run(argv, env=log, capture_output=True, check=True, timeout=timeout_s).stdout

    def put(here: Path, there: str) -> None:
        Path(there).write_bytes(here.read_bytes())
        Path(there).chmod(0o755)

    made = SimpleNamespace(make=lambda folder: Path(folder).mkdir(parents=True, exist_ok=True))
    return cast(
        "Visit",
        SimpleNamespace(
            machine=name, directory=str(tmp_path / name), run=run, put=put, probe=made, prepared=set()
        ),
    )


@pytest.fixture
def note(tmp_path: Path) -> str:
    (tmp_path / "note.sh").write_text(NOTE)
    return str(tmp_path / "note.sh")


def runner(tmp_path: Path, *scripts: Scripts) -> ScriptRunner:
    folder = tmp_path / "activity"
    folder.mkdir(exist_ok=True)
    return ScriptRunner(plan_of((), scripts=scripts), folder, Interrupts(), cast("Any", Watcher()))


def script(note: str, role: Role = Role.TREATMENT, **commands: tuple[str, ...]) -> Scripts:
    return Scripts(role, **commands, inputs=(note,))  # type: ignore[arg-type] # by name


def log(tmp_path: Path) -> list[str]:
    return (tmp_path / "log").read_text().splitlines()


def test_each_phase_runs_at_its_time_and_what_it_printed_is_kept(tmp_path: Path, note: str) -> None:
    call = "./note.sh"
    scripts = script(note, setup=(call, "a"), check=(call, "b"), start=(call, "c"), teardown=(call, "d"))
    running, here = runner(tmp_path, scripts), visit(tmp_path)
    with running.around([here], Role.TREATMENT, "b000-1", stands=True):
        assert running.left(Role.TREATMENT)
        running.start([here], Role.TREATMENT, "0001-b0")
        running.start([here], Role.BASELINE, "0001-b0")
    assert log(tmp_path) == [
        f"treatment {phase} {word} on node of 0123abcd"
        for phase, word in (("setup", "a"), ("check", "b"), ("start", "c"), ("teardown", "d"))
    ]
    kept = tmp_path / "activity/scripts"
    assert sorted(file.name for file in kept.iterdir()) == [
        "0001-b0-treatment-start.txt", "b000-1-treatment-check.txt", "b000-1-treatment-setup.txt",
        "b000-1-treatment-teardown.txt",
    ]  # fmt: skip
    text = (kept / "b000-1-treatment-setup.txt").read_text()
    assert text.startswith("$ ./note.sh a\nexit code 0 after ")
    assert text.endswith(" s on node\nhello from setup\n")


def test_a_check_that_fails_says_that_the_environment_is_not_as_wanted_and_it_is_taken_down(
    tmp_path: Path, note: str
) -> None:
    scripts = script(note, check=("./note.sh", "bad"), teardown=("./note.sh", "d"))
    running = runner(tmp_path, scripts)
    with (
        pytest.raises(MissingError) as refused,
        running.around([visit(tmp_path)], Role.TREATMENT, "b000-1", stands=True),
    ):
        raise AssertionError
    assert refused.value.exit_code is Exit.MISSING
    assert str(refused.value) == (
        "cannot measure on node: the check of treatment failed (exit code 3); it said: no such fan"
    )
    assert refused.value.hint is not None
    assert "b000-1-treatment-check.txt" in refused.value.hint
    assert log(tmp_path)[-1].startswith("treatment teardown")
    assert not running.left(Role.TREATMENT)


def test_a_command_that_does_not_end_is_ended(tmp_path: Path) -> None:
    slow = replace(Scripts(Role.HOST, setup=("sleep", "60")), time_limit_s=1.0)
    running = runner(tmp_path, slow)
    with (
        pytest.raises(AssayError, match=r"the setup of host failed on node \(no end within 1 s\)"),
        running.around([visit(tmp_path)], Role.HOST, "host", stands=True),
    ):
        raise AssertionError


def test_a_teardown_that_fails_is_told_and_hides_no_other_error(tmp_path: Path, note: str) -> None:
    running = runner(tmp_path, script(note, teardown=("./note.sh", "bad")))
    with (
        pytest.raises(ZeroDivisionError),
        running.around([visit(tmp_path)], Role.TREATMENT, "b000-1", stands=True),
    ):
        raise ZeroDivisionError
    (told,) = cast("Any", running.watcher).warned
    assert "the teardown of treatment failed on node (exit code 3)" in told


def test_what_a_killed_process_had_set_up_is_taken_down_by_the_next(tmp_path: Path, note: str) -> None:
    scripts = script(note, setup=("./note.sh", "a"), teardown=("./note.sh", "d"))
    killed = runner(tmp_path, scripts).around([visit(tmp_path)], Role.TREATMENT, "b002-1", stands=True)
    killed.__enter__()
    after = runner(tmp_path, scripts)
    assert after.left(Role.TREATMENT) == ("b002-1",)
    assert not after.left(Role.HOST)
    after.take_down_left(visit(tmp_path), Role.TREATMENT, "b002-1")
    assert not after.left(Role.TREATMENT)
    assert [line.split()[1] for line in log(tmp_path)] == ["setup", "teardown"]
    assert (tmp_path / "activity/scripts/b002-1-left-treatment-teardown.txt").is_file()
    assert len(log(tmp_path)) == 2
    killed.gen.close()  # type: ignore[attr-defined] # as the garbage collector would


def test_what_is_made_for_a_visit_needs_no_note_of_it(tmp_path: Path, note: str) -> None:
    running = runner(tmp_path, script(note, teardown=("./note.sh", "d")))
    with running.around([visit(tmp_path)], Role.TREATMENT, "b000-1", stands=False):
        assert not running.left(Role.TREATMENT)


def test_each_guest_of_a_layout_has_its_own_run(tmp_path: Path, note: str) -> None:
    running = runner(tmp_path, script(note, setup=("./note.sh", "a")))
    guests = [visit(tmp_path, "guest-0"), visit(tmp_path, "guest-1")]
    with running.around(guests, Role.TREATMENT, "b000-1", stands=False):
        pass
    assert [line.split()[4] for line in log(tmp_path)] == ["guest-0", "guest-1"]
    names = {file.name for file in (tmp_path / "activity/scripts").iterdir()}
    assert names == {"b000-1-0-treatment-setup.txt", "b000-1-1-treatment-setup.txt"}


def test_programs_start_in_the_folder_of_their_inputs_and_containers_have_none(tmp_path: Path) -> None:
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools/set.sh").write_text(NOTE)
    file = tmp_path / "scene.yaml"
    text = GOOD + "scripts: {treatment: {setup: tools/set.sh --fast, check: test -e /etc}}\n"
    scene = read_scene(text.encode(), file=str(file))
    host = PlannedArm("host", Machine("local"), Limits((0,)))
    arms = Arms(host, replace(host, label="other"), Sizes(None, 1 << 30, 1))
    (planned,) = planned_scripts(scene, arms)
    assert planned.setup == ("./set.sh", "--fast")
    assert planned.check == ("test", "-e", "/etc")
    assert planned.inputs == (str(tmp_path / "tools/set.sh"),)
    box = replace(arms, treatment=replace(host, label="runc", container=PlannedContainer(Runtime.RUNC)))
    with pytest.raises(AssayError, match="cannot run the scripts of treatment in runc"):
        planned_scripts(scene, box)


def test_every_phase_has_its_command() -> None:
    scripts = Scripts(Role.HOST, ("a",), ("b",), ("c",), ("d",))
    assert [scripts.command(phase) for phase in Phase] == [("a",), ("b",), ("c",), ("d",)]
