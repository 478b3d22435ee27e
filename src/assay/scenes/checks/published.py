"""What no single word of a scene's published figures shows: figures that stand beside nothing
that there is.
"""

from __future__ import annotations

from collections.abc import Iterator

from assay.model.figures.published import COMPARED, WEIGHT, PublishedSpec, Quantity
from assay.scenes.published import published_figures
from assay.scenes.text.errors import Problem
from assay.scenes.text.tree import Tree
from assay.scenes.values.chosen import members, name_of
from assay.scenes.values.expected import nearest
from assay.scenes.values.scene import Scene


def published_problems(scene: Scene, tree: Tree) -> Iterator[Problem]:
    """Yield the problems of a scene's published figures.

    Args:
        scene: As read.
        tree: The scene file.
    """
    for index, wanted in enumerate(scene.published):
        place = ("published", index, "beside")
        for at, beside in enumerate(wanted.beside):
            if sentence := _fault(scene, wanted, beside):
                listed = (*place, at)
                yield tree.problem(listed if listed in tree.places else place, sentence)
        if wanted.turned and _quantity(wanted) not in {Quantity.LOSS, Quantity.GAIN}:
            sentence = "expected 'turned' for a loss or a gain alone"
            yield tree.problem(("published", index, "turned"), sentence, key=True)


def _quantity(wanted: PublishedSpec) -> Quantity:
    return published_figures()[wanted.figures][0].quantity


def _fault(scene: Scene, wanted: PublishedSpec, beside: str) -> str | None:
    """Return what is wrong with one place beside the figures, ``None`` for nothing."""
    quantity = _quantity(wanted)
    if quantity not in COMPARED:
        return (
            f"expected no 'beside' for figures of {quantity}, of which a result has none of its own, "
            f"got '{beside}'"
        )
    if quantity is Quantity.MEMORY:
        fits = beside == WEIGHT and bool(scene.guests)
        return None if fits else f"expected '{WEIGHT}' of guests beside figures of memory, got '{beside}'"
    if quantity is Quantity.EVENTS:
        names = [name_of(chosen) for chosen in scene.workloads if len(chosen.events) > 1]
    else:
        every = [name_of(chosen) for chosen in scene.workloads]
        names = [*every, *(member.name for chosen in scene.workloads for member in members(chosen))]
    if (name := beside.partition(" ")[0]) in names:
        return None
    near = nearest(name, names)
    what = (
        "a workload at several event numbers" if quantity is Quantity.EVENTS else "a workload of this scene"
    )
    return f"expected {what}, got '{name}'" + (f"; nearest: '{near}'" if near else "")
