"""What no single word of own metrics and of success shows: words that need another, names that meet twice."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path as FilePath
from pathlib import PurePosixPath

from assay.model.work.reading import Reading
from assay.scenes.text.errors import Problem
from assay.scenes.text.tree import Path, Tree
from assay.scenes.values.chosen import Own
from assay.workloads.command import CPU, JOB, WALL
from assay.workloads.phases import EVENTS, phase_metrics

WAYS = ("pattern", "pointer", "figure")


def reading_problems(workload: Own, index: int, tree: Tree, folder: FilePath) -> Iterator[Problem]:
    """Yield the problems of one workload's own metrics and of its success.

    Args:
        workload: As read.
        index: Its place among the workloads.
        tree: The scene file.
        folder: Where relative inputs start.
    """
    place: Path = ("workloads", index)
    yield from _parser_problems(workload, place, tree)
    taken = _taken(workload)
    for reading in workload.metrics:
        yield from _metric_problems(reading, workload, (*place, "metrics", reading.metric.name), tree, taken)
    yield from _success_problems(workload, (*place, "success"), tree)
    yield from _brought_problems(workload, place, tree, folder)


def _parser_problems(workload: Own, place: Path, tree: Tree) -> Iterator[Problem]:
    if workload.parser is not None and not any(one.figure for one in workload.metrics):
        sentence = f"expected a metric with 'figure' that the parser '{workload.parser}' is for, got none"
        yield tree.problem((*place, "parser"), sentence, key=True)


def _taken(workload: Own) -> dict[str, str]:
    """Return the names that are taken, and by what."""
    phases = workload.phases
    reported = {one.name: "a figure of its phases" for one in (phase_metrics(phases) if phases else ())}
    events = {EVENTS.name: "the rate of its events"} if phases and (phases.events or phases.announce) else {}
    return {metric.name: "a figure of every job" for metric in (WALL, CPU, JOB)} | reported | events


def _metric_problems(
    reading: Reading, workload: Own, place: Path, tree: Tree, taken: dict[str, str]
) -> Iterator[Problem]:
    name = reading.metric.name
    if name in taken:
        sentence = f"expected a name of its own, got '{name}', which is {taken[name]}"
        yield tree.problem(place, sentence, key=True)
    ways = [way for way in WAYS if getattr(reading, way) is not None]
    if len(ways) != 1:
        sentence = f"expected one of {', '.join(WAYS)} for '{name}', got {' and '.join(ways) or 'none'}"
        yield tree.problem(place, sentence, key=True)
    if reading.figure is not None and workload.parser is None:
        yield tree.problem(
            (*place, "figure"), "expected 'parser' beside 'metrics' for a figure, got none", key=True
        )
    if reading.labels and reading.figure is None:
        yield tree.problem((*place, "labels"), "expected 'figure' that labels are for, got none", key=True)
    if reading.of is not None and reading.pointer is not None:
        sentence = "expected 'of' where several numbers may be found, got a pointer, which finds one"
        yield tree.problem((*place, "of"), sentence, key=True)


def _success_problems(workload: Own, place: Path, tree: Tree) -> Iterator[Problem]:
    success = workload.success
    if success is None:
        return
    lines = success.pattern is not None or success.absent is not None
    if not (lines or success.files or (*place, "exit") in tree.places):
        yield tree.problem(place, "expected exit, pattern, absent or files, got none of them", key=True)
    if success.log is not None and not lines:
        sentence = "expected 'pattern' or 'absent' that the log is for, got none"
        yield tree.problem((*place, "log"), sentence, key=True)


def _brought_problems(workload: Own, place: Path, tree: Tree, folder: FilePath) -> Iterator[Problem]:
    """Yield files that are there before the program starts: it would be read what nobody wrote."""
    files: list[tuple[Path, str]] = [
        ((*place, "metrics", one.metric.name, "file"), one.file) for one in workload.metrics if one.file
    ]
    if workload.success is not None:
        reported = (*place, "success")
        files += [((*reported, "files", number), file) for number, file in enumerate(workload.success.files)]
        files += [((*reported, "log"), workload.success.log)] if workload.success.log else []
    for where, file in files:
        if brought := _brings(workload, file, folder):
            yield tree.problem(
                where, f"expected a file that the program writes, got '{file}', which {brought} brings"
            )


def _brings(workload: Own, file: str, folder: FilePath) -> str | None:
    """Return the input that has a file already."""
    first, *rest = PurePosixPath(file).parts
    for path in workload.inputs:
        here = folder / path
        if here.name == first and here.joinpath(*rest).is_file():
            return f"the input '{path}'"
    return None
