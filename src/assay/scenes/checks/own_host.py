"""Guests on other machines than the baseline's: each needs its machine among the treatments."""

from __future__ import annotations

from collections.abc import Iterator

from assay.scenes.text.errors import Problem
from assay.scenes.text.tree import Path, Tree
from assay.scenes.values.scene import OtherMachine, Scene


def own_host_problems(scene: Scene, tree: Tree) -> Iterator[Problem]:
    """Yield the problems of guests on machines that are not measured themselves.

    Args:
        scene: As read, with all of its treatments.
        tree: The scene file.
    """
    measured = {one.machine for one in scene.machines if one == OtherMachine(one.machine)}
    for name in dict.fromkeys(guest.machine for guest in scene.guests if guest.machine is not None):
        if name not in measured:
            sentence = f"expected {{machine: {name}}} among 'treatments', too: the guest's losses are over it"
            yield tree.problem(_place(tree, name), sentence)
        elif scene.baseline_guest is not None or scene.baseline_container is not None:
            sentence = f"expected the machine itself as baseline, as that of the guest on {name} is, too"
            yield tree.problem(("baseline", "platform"), sentence)


def _place(tree: Tree, name: str) -> Path:
    """Return where the first guest on a machine says so."""
    listed = tree.value.get("treatments", ()) if isinstance(tree.value, dict) else ()
    for index, one in enumerate(listed):
        if one.get("machine") == name and "platform" in one:
            return "treatments", index, "machine"
    return "treatment", "machine"
