"""Where the arms may be: another machine than this one is the baseline of its own guests, of itself, and of
places that a service makes; and on which processors.
"""

from __future__ import annotations

from collections.abc import Iterator

from assay.scenes.text.errors import Problem
from assay.scenes.text.tree import Tree
from assay.scenes.values.elsewhere import made_elsewhere
from assay.scenes.values.scene import Guest, Scene


def place_problems(scene: Scene, tree: Tree) -> Iterator[Problem]:
    """Yield the problems of words for processors that contradict each other, and of a baseline that carries
    none of what it is compared with.

    Args:
        scene: As read.
        tree: The scene file.
    """
    for arm in ((), ("treatment",), ("baseline",)):
        place = (*arm, "processors")
        if (*arm, "threads") in tree.keys and (*place, 0) in tree.places:
            sentence = "expected no 'threads' beside a list of processors, which names each of them"
            yield tree.problem((*arm, "threads"), sentence, key=True)
    guests = isinstance(scene.treatment, Guest) and scene.baseline_container is None
    plain = scene.baseline_guest is None and scene.baseline_container is None
    itself = plain and scene.on_itself
    served = plain and made_elsewhere(scene)
    if scene.baseline != "local" and not (guests or itself or served):
        sentence = f"expected 'local' where the treatment is no guest, got '{scene.baseline}'"
        hint = "another machine has its own guests (treatment: {platform: guest}), or itself, beside it"
        yield tree.problem(("baseline", "machine"), sentence, hint=hint)
