"""The commands around trials, from a scene's words and back, and what is wrong with them."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path as FilePath
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from assay.model.work.scripts import TIME_LIMIT_S, Phase, Role, Scripts
from assay.scenes.text.errors import Problem
from assay.scenes.text.tree import Path, Tree

if TYPE_CHECKING:
    from assay.scenes.forms.form import RoleForm, ScriptsForm


def to_scripts(form: ScriptsForm | None) -> tuple[Scripts, ...]:
    """Return the commands of each role that has any."""
    if form is None:
        return ()
    forms = {Role.HOST: form.host, Role.BASELINE: form.baseline, Role.TREATMENT: form.treatment}
    return tuple(_of_role(role, one) for role, one in forms.items() if one is not None)


def _of_role(role: Role, form: RoleForm) -> Scripts:
    """Return the commands of a role; a program that is named relative to the scene is an input by itself."""
    commands = {phase: getattr(form, phase) or () for phase in Phase}
    programs = (command[0] for command in commands.values() if command)
    inputs = [*form.inputs, *(program for program in programs if _is_relative(program))]
    tops = {FilePath(path).name for path in form.inputs}
    brought = [path for path in inputs if path in form.inputs or _top(path) not in tops]
    return Scripts(role, **commands, inputs=tuple(dict.fromkeys(brought)), time_limit_s=form.time_limit)


def _is_relative(program: str) -> bool:
    return "/" in program and not program.startswith("/")


def _top(path: str) -> str:
    return PurePosixPath(path).parts[0]


def say_scripts(every: tuple[Scripts, ...]) -> dict[str, object]:
    """Return the words of the commands."""
    return {str(one.role): _words(one) for one in every}


def _words(one: Scripts) -> dict[str, object]:
    words: dict[str, object] = {
        str(phase): shlex.join(one.command(phase)) for phase in Phase if one.command(phase)
    }
    if one.inputs:
        words["inputs"] = list(one.inputs)
    if one.time_limit_s != TIME_LIMIT_S:
        words["time-limit"] = f"{one.time_limit_s:.15g} s"
    return words


def script_problems(every: tuple[Scripts, ...], tree: Tree, *, folder: FilePath) -> Iterator[Problem]:
    """Yield what is wrong with the commands around trials.

    Args:
        every: As read.
        tree: The scene file.
        folder: Where relative inputs start.
    """
    for one in every:
        place: Path = ("scripts", str(one.role))
        if not any(map(one.command, Phase)):
            yield tree.problem(place, "expected a command: setup, check, start or teardown", key=True)
        if one.role is Role.HOST and one.start:
            sentence = "expected 'start' of baseline or treatment, which have trials; got it of host"
            yield tree.problem((*place, "start"), sentence, key=True)
        for path in one.inputs:
            if not (folder / path).exists():
                at = next((word for word in _places(one, path, place) if word in tree.places), place)
                yield tree.problem(at, f"expected a file or folder, got '{path}', which is not there")
        names = [FilePath(path).name for path in one.inputs]
        if twice := next((name for name in names if names.count(name) > 1), None):
            yield tree.problem((*place, "inputs"), f"expected inputs of different names, got '{twice}' twice")


def _places(one: Scripts, path: str, place: Path) -> Iterator[Path]:
    """Yield where in the file a path may stand: as the program of a command, or among the inputs."""
    for phase in Phase:
        command = one.command(phase)
        if command and command[0] == path:
            yield (*place, str(phase))
    yield (*place, "inputs")
