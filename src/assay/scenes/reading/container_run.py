"""A container of hep-workloads as a scene says it, read and written."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.scenes.text.errors import Problem
from assay.scenes.text.tree import Tree
from assay.scenes.values.chosen import Ready
from assay.workloads.parameters import ContainerRun
from assay.workloads.tools.hep.definition import NAME

if TYPE_CHECKING:
    from assay.scenes.forms.workload import ParametersForm

_WORDS = ("image", "score", "engine", "threads", "copies", "arguments")
_UNSAID = ContainerRun(image="", score="")


def to_container(form: ParametersForm) -> ContainerRun | None:
    """Return what the parameters say of a container; ``None`` where they say nothing."""
    given = {word: value for word in _WORDS if (value := getattr(form, word)) is not None}
    if not given:
        return None
    copies = form.copies or ()
    one = copies[0] if len(copies) == 1 else None
    return ContainerRun(**{"image": "", "score": ""} | given | {"copies": one})


def to_copies_inside(form: ParametersForm) -> tuple[int, ...]:
    """Return the numbers of copies inside of a container where these are several."""
    return form.copies if form.copies is not None and len(form.copies) > 1 else ()


def say_container(workload: Ready) -> dict[str, object]:
    """Return the words that say a container; a value that stands where nothing is said is left out."""
    run = workload.parameters.container
    if run is None:
        return {}
    words = {word: getattr(run, word) for word in _WORDS if getattr(run, word) != getattr(_UNSAID, word)}
    words |= {"copies": list(workload.copies_inside)} if workload.copies_inside else {}
    return {word: shlex.join(value) if isinstance(value, tuple) else value for word, value in words.items()}


def container_problems(workload: Ready, index: int, tree: Tree) -> Iterator[Problem]:
    """Yield what a container lacks: without its image and a score it cannot be run or measured."""
    if workload.name != NAME:
        return
    run = workload.parameters.container
    for word in ("image", "score"):
        if run is None or not getattr(run, word):
            sentence = f"expected the {word} of {NAME}, got none"
            yield tree.problem(("workloads", index), sentence)
