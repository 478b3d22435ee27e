"""Several treatments of different kinds: each is read and checked as a scene of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from assay.model.goal import Shape
from assay.scenes.checks.own_host import own_host_problems
from assay.scenes.text.errors import Problem, SceneError
from assay.scenes.text.tree import Path, Tree
from assay.scenes.values.scene import Scene
from assay.scenes.values.swept import MOST_TREATMENTS

T = TypeVar("T")

ONE, SEVERAL = "treatment", "treatments"


def read_several(tree: Tree, read: Callable[[Tree], Scene]) -> Scene:
    """Return the scene that a tree says, with one treatment or several.

    Args:
        tree: The scene file, or the scene at one of its scales.
        read: Reads a tree with one treatment, and checks it.

    Raises:
        SceneError: It is no scene; the problems of all treatments are in it.
    """
    if not isinstance(tree.value, dict) or SEVERAL not in tree.value:
        alone = read(tree)
        if found := [*own_host_problems(alone, tree)]:
            raise SceneError(tree.file, found)
        return alone
    listed = tree.value[SEVERAL]
    if ONE in tree.value:
        raise SceneError(tree.file, [_problem(tree, f"expected either '{ONE}' or '{SEVERAL}', got both")])
    if not isinstance(listed, list) or not listed:
        raise SceneError(tree.file, [_problem(tree, f"expected a list, got {tree.got((SEVERAL,))}")])
    scenes, problems = list[Scene](), dict[Problem, None]()
    for index in range(len(listed)):
        try:
            scenes.append(read(_tree_of(tree, index)))
        except SceneError as error:
            problems |= dict.fromkeys(error.problems)
    if problems:
        raise SceneError(tree.file, [*problems])
    return _joined(scenes, tree)


def _problem(tree: Tree, sentence: str) -> Problem:
    return tree.problem((SEVERAL,), sentence, key=True)


def _tree_of(tree: Tree, index: int) -> Tree:
    """Return the tree of a scene with one of the treatments; each value keeps its place in the file."""
    assert isinstance(tree.value, dict)  # noqa: S101 - a scene is a mapping
    value = {word: one for word, one in tree.value.items() if word != SEVERAL}
    value[ONE] = tree.value[SEVERAL][index]
    at: Path = (SEVERAL, index)

    def moved(by_path: dict[Path, T]) -> dict[Path, T]:
        kept = {path: one for path, one in by_path.items() if path[:1] != (SEVERAL,)}
        taken = {(ONE, *path[2:]): one for path, one in by_path.items() if path[:2] == at}
        return kept | taken

    return Tree(tree.file, value, moved(tree.places), moved(tree.keys), moved(tree.texts))


def _joined(scenes: list[Scene], tree: Tree) -> Scene:
    """Return one scene with the treatments of all; the baseline is that of the first."""
    first, *others = [one for scene in scenes for one in scene.treatments]
    problems = []
    if len(others) >= MOST_TREATMENTS:
        problems.append(_problem(tree, f"expected at most {MOST_TREATMENTS} treatments, got more"))
    if len({scene.processors for scene in scenes}) > 1:
        problems.append(_problem(tree, "expected the same 'processors' and 'threads' of every treatment"))
    shape = scenes[0].design.goal.shape
    if others and shape in {Shape.PAIRS, Shape.CHAINED}:
        sentence = f"expected the shape double or auto with several treatments, got '{shape}'"
        problems.append(tree.problem(("design", "shape"), sentence))
    if len({first, *others}) <= len(others):
        problems.append(_problem(tree, "expected treatments that differ, got one twice"))
    joined = replace(scenes[0], treatment=first, more=tuple(others))
    problems += own_host_problems(joined, tree)
    if problems:
        raise SceneError(tree.file, problems)
    return joined
