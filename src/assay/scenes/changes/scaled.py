"""A scene at one of its scales: the words of the scale stand in the place of the scene's own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeVar

from assay.scenes.changes.several import ONE, SEVERAL
from assay.scenes.text.errors import Problem
from assay.scenes.text.tree import Path, Tree
from assay.scenes.values.scene import Scene

T = TypeVar("T")

SCALES = "scales"
ABOUT = "about"
"""The one word of a scale that is none of a scene."""
TAKES = "takes"
"""How long a scene takes as written says nothing of its scales."""


def scaled_tree(tree: Tree, name: str) -> Tree:
    """Return the tree of a scene at one of its scales; each value keeps the place where it is written.

    Args:
        tree: The scene's, whose form was found good.
        name: One of its scales.
    """
    assert isinstance(tree.value, dict)  # noqa: S101 - a scene is a mapping
    own = {word: value for word, value in tree.value.items() if word not in {SCALES, TAKES}}
    words = {word: value for word, value in tree.value[SCALES][name].items() if word != ABOUT}
    if any(word in words for word in (ONE, SEVERAL)):
        own = {word: value for word, value in own.items() if word not in {ONE, SEVERAL}}
    at = (SCALES, name)

    def moved(by_path: dict[Path, T]) -> dict[Path, T]:
        kept = {path: value for path, value in by_path.items() if _in(path, own) and not _in(path, words)}
        taken = {
            path[2:]: value for path, value in by_path.items() if path[:2] == at and _in(path[2:], words)
        }
        return kept | taken

    return Tree(tree.file, own | words, moved(tree.places), moved(tree.keys), moved(tree.texts))


def scale_problems(scene: Scene, tree: Tree) -> Iterator[Problem]:
    """Yield what is wrong with a scene's scales beside what is wrong at each of them."""
    if scene.scale is not None and scene.scales:
        sentence = (
            "expected 'scales' to choose from or the one 'scale' that this text was written at, got both"
        )
        yield tree.problem(("scale",), sentence, key=True)
    for name, _ in scene.scales:
        if set(tree.value[SCALES][name]) == {ABOUT}:  # type: ignore[index] # a scene is a mapping
            sentence = f"expected words of a scene beside '{ABOUT}' in the scale '{name}', got none"
            yield tree.problem((SCALES, name), sentence, key=True)


def _in(path: Path, words: dict[str, object]) -> bool:
    return bool(path) and path[0] in words


def labelled(scene: Scene, name: str) -> Scene:
    """Return a scene that was read at a scale, with the scale's name in it and in its text, which is written
    anew.
    """
    from assay.scenes.changes.write import write_scene

    scaled = replace(scene, scale=name)
    return replace(scaled, source=write_scene(scaled))
