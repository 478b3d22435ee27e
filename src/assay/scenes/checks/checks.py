"""What no single value shows: names that meet twice, parameters of the wrong tool, files that are
not there.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path as FilePath
from pathlib import PurePosixPath

from assay.model.work.placement import Pinning
from assay.scenes.checks.reading import reading_problems
from assay.scenes.reading.container_run import container_problems, say_container
from assay.scenes.text.errors import Problem
from assay.scenes.text.tree import Path, Tree
from assay.scenes.values.chosen import EVENTS, Own, Ready, members
from assay.workloads import WORKLOADS, measured_by, most_clients
from assay.workloads.command import CPU, JOB, WALL
from assay.workloads.phases import phase_time


def find_problems(workloads: tuple[Ready | Own, ...], tree: Tree, *, folder: FilePath) -> Iterator[Problem]:
    """Yield the problems of a scene's workloads.

    Args:
        workloads: As read.
        tree: The scene file.
        folder: Where relative inputs start.
    """
    yield from _repeated_names(workloads, tree)
    for index, workload in enumerate(workloads):
        yield from _placement_problems(workload, index, tree)
        if isinstance(workload, Ready):
            yield from _foreign_parameters(workload, index, tree)
            yield from _refused_parameters(workload, index, tree)
            yield from container_problems(workload, index, tree)
            yield from _name_problems(workload.called, index, tree)
        else:
            yield from _own_problems(workload, index, tree, folder)
        yield from _cache_problems(workload, index, tree)


def _repeated_names(workloads: tuple[Ready | Own, ...], tree: Tree) -> Iterator[Problem]:
    seen: set[str] = set()
    for index, workload in enumerate(workloads):
        for member in members(workload):
            if member.name in seen:
                sentence = f"expected each workload once, got '{member.name}' again"
                yield tree.problem(("workloads", index), sentence)
            seen.add(member.name)


def _foreign_parameters(workload: Ready, index: int, tree: Tree) -> Iterator[Problem]:
    given = {
        "runtime": workload.parameters.runtime_s,
        "size": workload.sizes or workload.parameters.size_bytes,
        "record": workload.records or workload.parameters.record_bytes,
        "events": workload.events or None,
        "photons": workload.parameters.photons,
        "output": "none" if workload.parameters.no_output else None,
        "users": workload.parameters.users,
        **say_container(workload),
    }
    allowed = WORKLOADS[workload.name].parameters
    for word, value in given.items():
        if value is not None and word not in allowed:
            sentence = (
                f"expected a parameter of {workload.name} ({', '.join(allowed) or 'it has none'}), "
                f"got '{word}'"
            )
            yield tree.problem(("workloads", index, "parameters", word), sentence, key=True)


def _refused_parameters(workload: Ready, index: int, tree: Tree) -> Iterator[Problem]:
    """Yield what the tool itself refuses."""
    fault = WORKLOADS[workload.name].fault
    if fault is None:
        return
    given = workload.parameters
    each = [replace(given, size_bytes=size) for size in workload.sizes]
    each += [replace(given, record_bytes=size) for size in workload.records]
    each += [replace(given, events=count) for count in workload.events]
    for parameters in each or [given]:
        if problem := fault(parameters):
            word, sentence = problem
            yield tree.problem(("workloads", index, "parameters", word), sentence)
            return


def _placement_problems(workload: Ready | Own, index: int, tree: Tree) -> Iterator[Problem]:
    place = _nearest_place(tree, ("workloads", index, "placement"), ("placement",))
    if sentence := placement_fault(workload):
        yield tree.problem(place, sentence, key=True)


def placement_fault(workload: Ready | Own) -> str | None:
    """Return what is wrong with a workload's placement whatever machine it runs on, ``None`` for nothing."""
    inside = isinstance(workload, Ready) and workload.copies_inside
    if workload.copies and inside:
        return f"expected several numbers of copies in the container {workload.name} or of it, got both"
    if len(workload.events) > 1 and (workload.copies or inside):
        return f"expected several event numbers of {workload.name} or several numbers of copies, got both"
    if len(workload.events) > 1 and isinstance(workload, Ready) and (workload.sizes or workload.records):
        return f"expected several event numbers of {workload.name} or several sizes, got both"
    if workload.copies and isinstance(workload, Ready) and (workload.sizes or workload.records):
        return f"expected several sizes of {workload.name} or several numbers of copies, got both"
    return next(filter(None, (_copies_fault(member.chosen) for member in members(workload))), None)


def _copies_fault(workload: Ready | Own) -> str | None:
    wanted, most = workload.placement, _most_copies(workload)
    if fault := _users_fault(workload):
        return fault
    if wanted.copies > 1 and most == 1:
        return (
            f"expected one copy of {workload.name}, whose server talks to one client at a time, got "
            f"{wanted.copies}"
        )
    if most is not None and wanted.copies > most:
        return (
            f"expected at most {most} copies of {workload.name}, whose server serves no more at "
            f"once, got {wanted.copies}"
        )
    lists = {
        "pinning": () if isinstance(wanted.pinning, Pinning) else wanted.pinning,
        "memory-nodes": wanted.memory_nodes,
    }
    for word, sets in lists.items():
        if len(sets) > 1 and len(sets) != wanted.copies:
            return (
                f"expected {word} for each of {wanted.copies} copies of {workload.name}, got "
                f"{len(sets)} lists"
            )
    return None


def _users_fault(workload: Ready | Own) -> str | None:
    """Return why users cannot share the workers of an analysis by their weights, ``None`` where they can."""
    users = workload.parameters.users if isinstance(workload, Ready) else None
    turn, copies = sum(weight for _, weight in users or ()), workload.placement.copies
    if not turn or copies % turn == 0:
        return None
    weights = ", ".join(f"{name} {weight}" for name, weight in users or ())
    return f"expected a multiple of {turn} copies of {workload.name} for its users ({weights}), got {copies}"


def _most_copies(workload: Ready | Own) -> int | None:
    """Return the copies of a workload that its server serves at once; ``None`` where nothing limits them."""
    if isinstance(workload, Ready):
        return WORKLOADS[workload.name].most_copies
    return most_clients(workload.command)


def _nearest_place(tree: Tree, *places: Path) -> Path:
    return next((place for place in places if place in tree.keys), places[-1])


def _phase_problems(workload: Own, index: int, tree: Tree) -> Iterator[Problem]:
    place: Path = ("workloads", index, "phases")
    if workload.phases is None:
        return
    reported = workload.phases
    if not (reported.marks or reported.events or reported.announce):
        yield tree.problem(place, "expected marks, events or announce, got none of them", key=True)
    seen: dict[str, str] = {metric.name: "a figure of the job" for metric in (WALL, CPU, JOB)}
    for mark in reported.marks:
        name = phase_time(mark.phase).name
        if name in seen:
            sentence = (
                f"expected a phase whose '{name}' is no other's, got '{mark.phase}': it is {seen[name]}"
            )
            yield tree.problem((*place, "marks", mark.phase), sentence, key=True)
        seen[name] = f"that of '{mark.phase}'"


def _name_problems(name: str | None, index: int, tree: Tree) -> Iterator[Problem]:
    if name is not None and measured_by(name) is not None:
        sentence = f"expected a name of its own, got '{name}', which is a ready workload"
        yield tree.problem(("workloads", index, "name"), sentence)


def _own_problems(workload: Own, index: int, tree: Tree, folder: FilePath) -> Iterator[Problem]:
    place = ("workloads", index)
    yield from _name_problems(workload.name, index, tree)
    yield from _events_problems(workload, index, tree)
    yield from _input_problems(workload, index, tree, folder)
    yield from _phase_problems(workload, index, tree)
    yield from reading_problems(workload, index, tree, folder)
    if not workload.prepare and not _program_is_there(workload.command[0], workload):
        sentence = f"expected a program that an input brings, got '{workload.command[0]}'"
        hint = f"relative paths start in the trial's scratch folder; add  inputs: [{workload.command[0]}]"
        yield tree.problem((*place, "command"), sentence, hint=hint)
    yield from _prepare_problems(workload, index, tree)


def _prepare_problems(workload: Own, index: int, tree: Tree) -> Iterator[Problem]:
    place: Path = ("workloads", index, "prepare")
    for number, command in enumerate(workload.prepare):
        here = (*place, number) if (*place, number) in tree.places else place
        if any("{server}" in word for word in command):
            yield tree.problem(here, "expected no {server} in what is prepared: nothing listens then")
        if number == 0 and not _program_is_there(command[0], workload):
            sentence = f"expected a program that an input brings, got '{command[0]}'"
            hint = f"relative paths start in the folder of what is prepared; add  inputs: [{command[0]}]"
            yield tree.problem(here, sentence, hint=hint)


def _events_problems(workload: Own, index: int, tree: Tree) -> Iterator[Problem]:
    asks = any(EVENTS in word for one in (workload.command, *workload.prepare) for word in one)
    if workload.events and not asks:
        sentence = f"expected {EVENTS} in the command that 'events' is for, got none"
        yield tree.problem(("workloads", index, "events"), sentence, key=True)
    if asks and not workload.events:
        sentence = f"expected the key 'events' for {EVENTS} in the command, got none"
        yield tree.problem(("workloads", index, "command"), sentence)


def _input_problems(workload: Own, index: int, tree: Tree, folder: FilePath) -> Iterator[Problem]:
    seen: set[str] = set()
    for position, path in enumerate(workload.inputs):
        place, here = ("workloads", index, "inputs", position), folder / path
        name = here.resolve().name if path.rstrip("/").endswith(".") else PurePosixPath(path).name
        if name in seen:
            yield tree.problem(place, f"expected inputs of different names, got '{name}' again")
        seen.add(name)
        if not here.exists():
            yield tree.problem(
                place, f"expected an existing file or folder, got '{path}', and {here} is not there"
            )
        elif not os.access(here, os.R_OK):
            yield tree.problem(place, f"expected a readable file or folder, got '{path}', and {here} is not")


def _cache_problems(workload: Ready | Own, index: int, tree: Tree) -> Iterator[Problem]:
    """Yield files that no input brings; those of the scene-wide word are looked for in each workload."""
    place: tuple[str | int, ...] = ("workloads", index, "cache")
    place = place if place in tree.places else ("cache",)
    brought = workload.inputs if isinstance(workload, Own) else ()
    inputs = {(PurePosixPath(path).name,) for path in brought}
    for position, path in enumerate((workload.cache.files if workload.cache else None) or ()):
        if not path.startswith("/") and PurePosixPath(path).parts[:1] not in inputs:
            sentence = (
                f"expected an absolute path or a file that an input of {workload.name} brings, got '{path}'"
            )
            yield tree.problem((*place, "files", position), sentence)


def _program_is_there(word: str, workload: Own) -> bool:
    """Tell whether a relative program lies in an input; names and absolute paths are looked up there."""
    program = PurePosixPath(word)
    if "/" not in word or program.is_absolute() or "{" in word:
        return True
    return program.parts[:1] in {(PurePosixPath(path).name,) for path in workload.inputs}
