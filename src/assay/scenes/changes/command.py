"""The scene that ``assay evaluate --command`` means: one program of the user's own, here and in a guest."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from assay.scenes.changes.write import write_scene
from assay.scenes.text.errors import Problem, SceneError
from assay.scenes.values.chosen import Own
from assay.scenes.values.scene import Design, Guest, Scene
from assay.workloads import measured_by
from assay.workloads.command import TIME_LIMIT_S

FILE = "--command"
"""Where such a scene says it was read from."""


def command_scene(
    argv: Sequence[str],
    *,
    inputs: Sequence[str] = (),
    folder: Path,
    time_limit_s: float = TIME_LIMIT_S,
    design: Design = Design(),  # noqa: B008 - a frozen value
) -> Scene:
    """Return the scene of one command: the program on this machine against the same in a guest.

    A program named by a relative path is brought along like an input, so that ``./my-job`` means the one
    in the folder where the command was given.

    Args:
        argv: Argument list, not empty.
        inputs: Files and folders to bring along.
        folder: Where relative paths start.
        time_limit_s: Seconds after which a trial has failed.
        design: How precisely.

    Raises:
        SceneError: no program, or an input that is not there.
    """
    own = _own(_checked(argv), inputs, folder.absolute(), time_limit_s)
    title = f"What a guest costs {PurePosixPath(argv[0]).name}"
    scene = Scene("command", title, "local", Guest(), (own,), design, source="", file=str(folder / FILE))
    return replace(scene, source=write_scene(scene))


def _own(argv: Sequence[str], inputs: Sequence[str], folder: Path, time_limit_s: float) -> Own:
    brought = [_existing(path, folder) for path in inputs]
    program = argv[0]
    if _is_relative(program) and PurePosixPath(program).parts[:1] not in {(path.name,) for path in brought}:
        if (folder / program).is_dir():
            raise SceneError(FILE, [Problem(0, 0, f"expected a program, got '{program}', which is a folder")])
        brought.append(_existing(program, folder))
        program = f"./{brought[-1].name}"
    return Own(_name(program), (program, *argv[1:]), tuple(map(str, brought)), time_limit_s)


def _checked(argv: Sequence[str]) -> Sequence[str]:
    if not argv or not argv[0]:
        raise SceneError(FILE, [Problem(0, 0, "expected a program and its arguments, got nothing")])
    return argv


def _is_relative(program: str) -> bool:
    return "/" in program and not program.startswith(("/", "{"))


def _existing(path: str, folder: Path) -> Path:
    here = folder / path
    if not here.exists():
        sentence = f"expected an existing file or folder, got '{path}', and {here} is not there"
        raise SceneError(FILE, [Problem(0, 0, sentence)])
    return here.resolve() if here.name in {"", "..", "."} else here


def _name(program: str) -> str:
    """Return a workload's name for a program: its own, in the letters that names have."""
    letters = re.sub(r"[^a-z0-9]+", "-", PurePosixPath(program).name.lower()).strip("-")
    name = letters[:50] if letters[:1].isalpha() else f"job-{letters[:50]}".strip("-")
    return f"own-{name}" if measured_by(name) is not None else name
