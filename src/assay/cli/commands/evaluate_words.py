"""Words of ``assay evaluate``: which do not go together, and what they say."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.model.errors import AssayError, UnknownNameError

if TYPE_CHECKING:
    from assay.scenes import Scene

_SCENES = (".yaml", ".yml")
"""How the name of a scene file ends."""


def check_words(
    scene: str | None,
    program: str | None,
    *,
    inputs: tuple[str, ...],
    scale: str | None,
    against: str | None,
    several: bool,
) -> None:
    """Refuse words that say what is measured in two ways; raises ``click.UsageError``."""
    if scene is not None and program is None and _is_program(scene):
        msg = f"'{scene}' is a program and no scene: assay evaluate --command {shlex.quote(scene)}"
        raise click.UsageError(msg)
    if (scene is None) == (program is None):
        msg = "expected a SCENE or --command, and not both (scenes: assay scene list)"
        raise click.UsageError(msg)
    if inputs and program is None:
        msg = "--input goes with --command; a scene names its own inputs"
        raise click.UsageError(msg)
    if scale is not None and program is not None:
        msg = "--scale goes with a scene that has scales (assay scene show SCENE); a command has none"
        raise click.UsageError(msg)
    if several and against is not None:
        msg = "--on and --engine measure machines against themselves: they do not go with --against"
        raise click.UsageError(msg)


def _is_program(scene: str) -> bool:
    """Tell whether what stands where a scene belongs is a command line: words that are no file, or a program.

    A program that is not there or may not be run is one, too, where arguments follow it: a scene has none.
    """
    from assay.scenes.find import ready_names

    if scene in ready_names():
        return False
    try:
        first, *arguments = shlex.split(scene)
    except ValueError:
        return False
    if arguments and not Path(scene).exists():
        return not scene.endswith(_SCENES) or shutil.which(first) is not None
    return "/" in first and not first.endswith(_SCENES) and shutil.which(first) is not None


def scene_named(scene: str, scale: str | None) -> Scene:
    """Return a scene by its name or path; where it is none, the error names ``--command`` as well.

    Raises:
        AssayError: There is no such scene, or something in it is wrong.
    """
    from assay.cli.scenes import named_scene

    try:
        return named_scene(scene, scale=scale)
    except AssayError as error:
        no_such_scale = isinstance(error, UnknownNameError) and error.kind != "scene"
        if not scene.endswith(_SCENES) and not no_such_scale:
            own = f"of a program of your own: assay evaluate --command {shlex.quote(scene)}"
            error.hint = own if error.hint is None else f"{error.hint}; {own}"
        raise


def check_engine_words(
    who: str | None, engine: str | None, job: tuple[str, ...], drain: str | None, *, when_idle: bool
) -> None:
    """Refuse words on a batch system that lack what they go with; raises ``click.UsageError``."""
    if engine == "script":
        if who is not None or job or drain is not None:
            msg = "--engine script prints a job for any node: it takes no --on, --job or --drain"
            raise click.UsageError(msg)
        return
    if job and engine is None:
        msg = "--job says what a batch system's job is asked for: it goes with --engine"
        raise click.UsageError(msg)
    if when_idle and drain is None:
        msg = "--when-idle says how nodes are drained: it goes with --drain"
        raise click.UsageError(msg)
    if drain is not None and (who is None or engine is not None):
        msg = "--drain takes --on with machines by SSH, and no --engine: a job needs no drained node"
        raise click.UsageError(msg)


def check_plan_words(
    blocks: int | None, recorded: Path | None, placed: Mapping[str, Any], *, several: bool, dry_run: bool
) -> None:
    """Refuse words that contradict each other on how it is measured; raises ``click.UsageError``."""
    if blocks is not None and any(placed[name] for name in ("precision", "maximum_blocks", "time_budget_s")):
        msg = "--blocks is a fixed number: it does not go with --precision, --maximum-blocks or --time-budget"
        raise click.UsageError(msg)
    if recorded is not None and not dry_run:
        msg = "--as plans for a machine that is not here: it goes with --dry-run"
        raise click.UsageError(msg)
    if recorded is not None and several:
        msg = "--as plans for one machine that is not here: it does not go with --on or --engine"
        raise click.UsageError(msg)


def settings_of(texts: tuple[str, ...], memory: str | None) -> dict[str, str]:
    """Return levels by factor; raises ``click.UsageError``."""
    settings: dict[str, str] = {}
    for text in (*texts, *([] if memory is None else [f"memory.size={memory}"])):
        name, mark, levels = text.partition("=")
        if not (name and mark):
            msg = f"expected a factor and its level, like --set disk.cache=none, got '{text}'"
            raise click.UsageError(msg)
        if name in settings:
            msg = f"{name} is set twice: {settings[name]} and {levels} (a sweep is --set {name}=A,B)"
            raise click.UsageError(msg)
        settings[name] = levels
    return settings


def words_of(program: str, option: str = "--command") -> list[str]:
    """Return the words of a command line; raises ``click.UsageError``."""
    try:
        words = shlex.split(program)
    except ValueError as error:
        msg = f"{option} cannot be split into words: {str(error).lower()}"
        raise click.UsageError(msg) from error
    if not words:
        msg = f"{option} is empty"
        raise click.UsageError(msg)
    return words
