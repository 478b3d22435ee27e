"""The text of a scene as it was measured: with the seed of its order, and with nothing that is relative."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.model.work.scripts import Scripts
from assay.scenes.reading.scripts import say_scripts
from assay.scenes.text.errors import Problem, SceneError
from assay.scenes.text.tree import read_tree

GOAL = ("maximum-blocks", "minimum-blocks", "precision", "time-budget")
"""Words of a design that end it before its last block."""


@dataclass(frozen=True)
class Again:
    """What a scene's text does not say of how it was measured.

    Attributes:
        seed: Seed of the order of trials.
        blocks: Number of blocks where that is another than the text's; ``None`` leaves what the text says.
        places: Tells where inputs lie now, absolute, by what the text calls them, all of them at once.
        data: Where the data lies; ``None`` for none, or for data that is made.
        scripts: The commands around the trials, their inputs by absolute paths.
    """

    seed: int
    blocks: int | None
    places: Callable[[Sequence[str]], Mapping[str, str]]
    data: str | None = None
    scripts: Sequence[Scripts] = ()


def again_text(text: str, again: Again, *, file: str) -> str:
    """Return the text of a scene that measures the same again wherever it lies; comments and order stay.

    Args:
        text: The scene's text. Its scales are left out: it was measured as written.
        again: What it does not say.
        file: What messages call it.

    Raises:
        SceneError: The text is no scene's.
        AssayError: What ``places`` raises.
    """
    from ruamel.yaml import YAML

    if not isinstance(read_tree(text, file).value, dict):
        raise SceneError(file, [Problem(1, 1, "expected the words of a scene, got another text")])
    yaml = YAML()
    yaml.width = 110
    words = yaml.load(text)
    words.pop("scales", None)
    _design(words, again)
    with_inputs = [one for one in words.get("workloads") or () if isinstance(one, dict) and one.get("inputs")]
    places = again.places([str(path) for one in with_inputs for path in one["inputs"]])
    for workload in with_inputs:
        workload["inputs"] = [places[str(path)] for path in workload["inputs"]]
    if isinstance(words.get("data"), str):
        words["data"] = again.data
    if again.scripts:
        words["scripts"] = say_scripts(tuple(again.scripts))
    written = io.StringIO()
    yaml.dump(words, written)
    return written.getvalue()


def _design(words: Any, again: Again) -> None:
    design = words.setdefault("design", {})
    design["seed"] = again.seed
    if again.blocks is not None:
        for word in GOAL:
            design.pop(word, None)
        design["blocks"] = again.blocks
