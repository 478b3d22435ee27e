"""What a scene that is kept by name may be: a name of its own, and no file beside it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any

from assay.model.work.scripts import Phase
from assay.scenes.text.errors import Problem
from assay.scenes.text.tree import Path, Tree

_HINT = "write the whole path: a scene that is kept by name has no folder that relative paths could start in"


def own_scene_problems(name: str, tree: Tree) -> Iterator[Problem]:
    """Yield why a text cannot be kept by a name.

    Args:
        name: The name.
        tree: The text, which need not be a scene.
    """
    said = tree.value.get("scene") if isinstance(tree.value, dict) else None
    if isinstance(said, str) and said != name:
        sentence = f"expected the name that it is saved under, '{name}', got '{said}'"
        yield tree.problem(("scene",), sentence, hint=f"write  scene: {name}  or save it as {said}")
    for place, path in _references(tree.value, ()):
        if not path.startswith("/"):
            yield tree.problem(place, f"expected an absolute path, got '{path}'", hint=_HINT)


def _references(value: Any, place: Path) -> Iterator[tuple[Path, str]]:
    """Yield the files that a text names, of all its scales, with their places."""
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _references(item, (*place, index))
    for key, item in value.items() if isinstance(value, dict) else ():
        here = (*place, key)
        if key == "inputs" and isinstance(item, list):
            yield from (((*here, index), one) for index, one in enumerate(item) if isinstance(one, str))
        elif key == "data" and isinstance(item, str) and _is_whole(place):
            yield here, item
        elif "scripts" in place and key in set(Phase) and isinstance(item, str):
            yield from ((here, program) for program in _program(item))
        else:
            yield from _references(item, here)


def _is_whole(place: Path) -> bool:
    """Tell whether a place is that of the scene itself or of one of its scales."""
    return not place or (place[0] == "scales" and len(place) == 2)


def _program(command: str) -> Iterator[str]:
    """Yield the program of a command that is named by a path; a mere name is looked up where it runs."""
    try:
        program = next(iter(shlex.split(command)), "")
    except ValueError:  # what is wrong with it is said where commands are read
        return
    if "/" in program:
        yield program
