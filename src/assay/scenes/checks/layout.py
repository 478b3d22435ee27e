"""What no single word of a layout shows: cores, memory and copies that cannot be cut into so many parts."""

from __future__ import annotations

from collections.abc import Iterator

from assay.factors.cpu.pin_sets import WORDS
from assay.model.platforms.layout import LEAST_BYTES, divides, memory_share
from assay.model.units import format_bytes
from assay.model.work.placement import Pinning
from assay.scenes.text.errors import Problem
from assay.scenes.text.tree import Path, Tree
from assay.scenes.values.chosen import Own, Ready
from assay.scenes.values.scene import Guest, Scene
from assay.workloads import WORKLOADS, most_clients

_LAYOUT: Path = ("treatment", "layout")
_BASELINE: Path = ("baseline", "layout")
PIN = "cpu.vcpupin"


def layout_problems(scene: Scene, tree: Tree) -> Iterator[Problem]:
    """Yield the problems of a scene's layouts.

    Args:
        scene: As read.
        tree: The scene file.
    """
    yield from _baseline_problems(scene, tree)
    boxes = [box.layout.guests for box in scene.containers if box.layout.guests > 1]
    treatments = [guest for guest in scene.guests if guest.layout.guests > 1]
    for sentence in dict.fromkeys(filter(None, map(_guest_fault, treatments))):
        yield tree.problem(_first(tree, (*_LAYOUT, "guests"), _LAYOUT), sentence)
    for sentence in dict.fromkeys(fault for guest in treatments for fault in _pin_faults(guest)):
        yield tree.problem(("treatment", "factors", PIN), sentence, key=True)
    counts = sorted({*boxes, *(guest.layout.guests for guest in (*treatments, *_several_as_baseline(scene)))})
    for index, workload in enumerate(scene.workloads):
        if counts and (fault := split_fault(workload, counts)):
            yield tree.problem(_place(tree, index, "copies"), fault)


def _baseline_problems(scene: Scene, tree: Tree) -> Iterator[Problem]:
    """Yield what is wrong with the layout of a baseline: it is one, and of a guest."""
    if _BASELINE not in tree.keys:
        return
    if scene.baseline_guest is None:
        sentence = "expected 'platform: guest' beside the baseline's 'layout': the machine itself has none"
        yield tree.problem(_BASELINE, sentence, key=True)
        return
    for word in ("guests", "stagger", "at-once", "preload"):
        if (*_BASELINE, word, 0) in tree.places:
            sentence = f"expected one value of {word}, since the baseline is one layout, got a list"
            yield tree.problem((*_BASELINE, word), sentence)
    for guest in _several_as_baseline(scene):
        if fault := _guest_fault(guest):
            yield tree.problem(_first(tree, (*_BASELINE, "guests"), _BASELINE), fault)
        for fault in _pin_faults(guest):
            yield tree.problem(_first(tree, ("baseline", "factors", PIN), _BASELINE), fault, key=True)


def _several_as_baseline(scene: Scene) -> list[Guest]:
    """Return the baseline where it is several guests; empty where it is not."""
    guest = scene.baseline_guest
    return [] if guest is None or guest.layout.guests == 1 else [guest]


def _pin_faults(guest: Guest) -> Iterator[str]:
    """Yield why the pins of a guest cannot be those of several."""
    level = dict(guest.settings).get(PIN)
    if level is not None and level not in WORDS:
        yield f"expected {', '.join(WORDS)} of '{PIN}' where each guest has its own cores, got '{level}'"


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
    for copies in _shared(workload):
        if uneven := next((count for count in guests if copies % count), None):
            return f"expected copies of {workload.name} that {uneven} guests can share evenly, got {copies}"
    if not isinstance(placed.pinning, Pinning) or placed.memory_nodes:
        return (
            f"expected no lists of processors or memory nodes of {workload.name} where several "
            "guests share its copies"
        )
    return None


def _shared(workload: Ready | Own) -> Iterator[int]:
    """Yield the numbers of copies that guests share; of a single container those in it, as far as said."""
    for copies in workload.copies or (workload.placement.copies,):
        if copies > 1 or isinstance(workload, Own) or workload.parameters.container is None:
            yield copies
        else:
            yield from workload.copies_inside or filter(None, (workload.parameters.container.copies,))


def _serves_one(workload: Ready | Own) -> bool:
    if isinstance(workload, Own):
        return most_clients(workload.command) == 1
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
