"""Several machines that do each trial of an arm together: which they may be, and what they can do so."""

from __future__ import annotations

from collections.abc import Iterator

from assay.model.platforms.data import LOCAL, access
from assay.model.work.placement import Pinning
from assay.scenes.text.errors import Problem
from assay.scenes.text.tree import Path, Tree
from assay.scenes.values.chosen import Own, Ready
from assay.scenes.values.scene import OtherMachine, Scene
from assay.workloads import WORKLOADS

_XROOTD = "xrootd"
_WAYS = (LOCAL, _XROOTD)


def beside_problems(scene: Scene, tree: Tree) -> Iterator[Problem]:
    """Yield the problems of a scene's arms of several machines.

    Args:
        scene: As read.
        tree: The scene file.
    """
    yield from _machine_problems(scene.baseline, scene.baseline_beside, tree, ("baseline", "with"))
    for wanted in scene.machines[:1]:  # the levels of a sweep have the same machines
        yield from _machine_problems(wanted.machine, wanted.beside, tree, ("treatment", "with"))
    every = (scene.baseline_beside, *(wanted.beside for wanted in scene.machines))
    counts = {1 + len(one) for one in every if one}
    if not counts:
        return
    yield from _arm_problems(scene, tree)
    yield from _way_problems(scene, tree)
    if scene.scripts:
        yield tree.problem(("scripts",), "expected no 'scripts' beside 'with'", key=True)
    for index, workload in enumerate(scene.workloads):
        if fault := next(filter(None, (share_fault(workload, count) for count in sorted(counts))), None):
            yield tree.problem(("workloads", index), fault)


def _machine_problems(first: str, others: tuple[str, ...], tree: Tree, place: Path) -> Iterator[Problem]:
    seen = {first}
    if others and first == "local":
        sentence = "expected a machine of the inventory beside 'with', got 'local', which conducts them"
        yield tree.problem((place[0], "machine"), sentence)
    for index, name in enumerate(others):
        if name == "local" or name in seen:
            wrong = "'local', which conducts them" if name == "local" else f"'{name}' again"
            yield tree.problem((*place, index), f"expected further machines of the inventory, got {wrong}")
        seen.add(name)


def _arm_problems(scene: Scene, tree: Tree) -> Iterator[Problem]:
    """Yield what an arm of several machines, and what is compared with it, cannot have beside them."""
    if len(scene.machines) < len(scene.treatments) or scene.baseline_guest or scene.baseline_container:
        word = "treatment" if len(scene.machines) < len(scene.treatments) else "baseline"
        yield tree.problem((word,), "expected the machines themselves on both arms beside 'with'", key=True)
    elif not scene.on_itself:
        sentence = f"expected the baseline's machine, '{scene.baseline}', as the first of the treatment's"
        yield tree.problem(("treatment", "machine"), sentence)
    for wanted in scene.machines[:1]:
        if wanted.domain is not None:
            yield tree.problem(("treatment", "domain"), "expected no 'domain' beside 'with'", key=True)
        if _limited(wanted):
            sentence = "expected no factor but data.access beside 'with': each machine is as it is"
            yield tree.problem(("treatment", "factors"), sentence, key=True)


def _limited(wanted: OtherMachine) -> bool:
    plain = OtherMachine(wanted.machine, settings=wanted.settings, domain=wanted.domain, beside=wanted.beside)
    return wanted != plain or any(name != "data.access" for name, _ in wanted.settings)


def _way_problems(scene: Scene, tree: Tree) -> Iterator[Problem]:
    """Yield ways to the data that several machines have not, or one machine alone has not."""
    arms = [("treatment", wanted.settings, wanted.beside) for wanted in scene.machines]
    theirs = scene.machines[0].settings if scene.machines else ()
    arms.append(("baseline", scene.baseline_data or theirs, scene.baseline_beside))
    for word, levels, beside in arms:
        way = access(levels)
        place: Path = (word, "factors", "data.access")
        place = place if place in tree.places else (word,)
        if way not in _WAYS:
            sentence = f"expected data.access local or xrootd of machines beside 'with', got '{way}'"
            yield tree.problem(place, sentence)
        elif way == _XROOTD and not beside:
            sentence = "expected 'with' beside data.access xrootd: the first machine reads its own disk"
            hint = "baseline: {machine: NAME, factors: {data.access: local}}" if word == "baseline" else None
            yield tree.problem(place, sentence, hint=hint)


def share_fault(workload: Ready | Own, machines: int) -> str | None:
    """Return why several machines cannot share the work of a workload, ``None`` where they can.

    Args:
        workload: As written.
        machines: How many, 2 or more.
    """
    if isinstance(workload, Own) or WORKLOADS[workload.name].together is None:
        able = ", ".join(name for name in WORKLOADS.own if WORKLOADS[name].together)
        return f"expected a workload that several machines do together ({able}), got {workload.name}"
    placed = workload.placement
    if not isinstance(placed.pinning, Pinning) or placed.memory_nodes:
        return f"expected no lists of processors or memory nodes of {workload.name} beside 'with'"
    if workload.copies:
        return f"expected one number of copies of {workload.name} beside 'with', got a list"
    turn = machines * sum(weight for _, weight in workload.parameters.users or (("", 1),))
    if placed.copies % turn:
        users = " and their users" if workload.parameters.users else ""
        return (
            f"expected a multiple of {turn} copies of {workload.name}, which {machines} machines{users} "
            f"share, got {placed.copies}"
        )
    return None
