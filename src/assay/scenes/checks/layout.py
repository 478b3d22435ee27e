"""What no single word of a layout shows: cores, memory and copies that cannot be cut into so many parts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath

from assay.factors.cpu.pin_sets import WORDS
from assay.model.platforms.layout import LEAST_BYTES, divides, memory_share
from assay.model.units import format_bytes
from assay.model.work.placement import Pinning
from assay.scenes.text.errors import Problem
from assay.scenes.text.tree import Path, Tree
from assay.scenes.values.chosen import Own, Ready
from assay.scenes.values.scene import Guest, Scene
from assay.workloads import WORKLOADS

_LAYOUT: Path = ("treatment", "layout")


def layout_problems(scene: Scene, tree: Tree) -> Iterator[Problem]:
    """Yield the problems of a scene's layouts.

    Args:
        scene: As read.
        tree: The scene file.
    """
    boxes = [box.layout.guests for box in scene.containers if box.layout.guests > 1]
    several = [guest for guest in scene.guests if guest.layout.guests > 1]
    for sentence in dict.fromkeys(filter(None, map(_guest_fault, several))):
        yield tree.problem(_first(tree, (*_LAYOUT, "guests"), _LAYOUT), sentence)
    if not several and not boxes:
        return
    for name, level in dict.fromkeys(level for guest in several for level in guest.settings):
        if name == "cpu.vcpupin" and level not in WORDS:
            sentence = (
                f"expected {', '.join(WORDS)} of '{name}' where each guest has its own cores, got '{level}'"
            )
            yield tree.problem(("treatment", "factors", name), sentence, key=True)
    counts = sorted({*boxes, *(guest.layout.guests for guest in several)})
    for index, workload in enumerate(scene.workloads):
        if fault := split_fault(workload, counts):
            yield tree.problem(_place(tree, index, "copies"), fault)


def _guest_fault(guest: Guest) -> str | None:
    count, memory = guest.layout.guests, guest.memory_bytes
    if memory_share(count, memory) < LEAST_BYTES:
        each, least = format_bytes(memory_share(count, memory)), format_bytes(LEAST_BYTES)
        return (
            f"expected at least {least} of memory for each guest, got {each} (memory.size "
            f"{format_bytes(memory)} for {count})"
        )
    if guest.vcpus is not None and not divides(count, guest.vcpus):
        return (
            f"expected a number of guests that divides cpu.vcpus ({guest.vcpus}), or a larger one, "
            f"got {count}"
        )
    return None


def split_fault(workload: Ready | Own, guests: list[int]) -> str | None:
    """Return why the copies of a workload cannot be shared out between guests, ``None`` where they can.

    Args:
        workload: As written.
        guests: Numbers of guests, each above 1.
    """
    if _serves_one(workload):
        return (
            "expected workloads whose server has several clients where several guests share the work, got "
            f"{workload.name}"
        )
    placed = workload.placement
    for copies in workload.copies or (placed.copies,):
        if uneven := next((count for count in guests if copies % count), None):
            return f"expected copies of {workload.name} that {uneven} guests can share evenly, got {copies}"
    if not isinstance(placed.pinning, Pinning) or placed.memory_nodes:
        return (
            f"expected no lists of processors or memory nodes of {workload.name} where several "
            "guests share its copies"
        )
    return None


def _serves_one(workload: Ready | Own) -> bool:
    if isinstance(workload, Own):
        return PurePath(workload.command[0]).name == "iperf3"
    return WORKLOADS[workload.name].most_copies == 1


def _place(tree: Tree, index: int, word: str) -> Path:
    places: tuple[Path, ...] = (
        ("workloads", index, "placement", word),
        ("placement", word),
        ("workloads", index),
    )
    return _first(tree, *places)


def _first(tree: Tree, *places: Path) -> Path:
    """Return the first of some places that the file has."""
    return next((place for place in places if place in tree.places), places[-1])
