"""What a job asks of its files, as text that the people who wrote it can use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.model.units import format_bytes
from assay.pages.files import FileRow, FilesPage, FileUse, Looks, PhaseFiles, TraceCost, WorkloadFiles
from assay.report.tables.tables import plain, table

MOST = 15
"""Files of a phase that have a line of their own."""
HEADERS = ("file", "opened", "read", "in sequence", "written", "in sequence", "fsync")
NUMBERS = frozenset({1, 3, 5, 6, 7, 8})
"""Columns of numbers."""
READING = (
    "Calls of the kernel by the job and its children, counted on the baseline (on the treatment where the "
    "baseline asks for none), with their median size and the largest; waited: seconds in them, added up over "
    "processes. What is mapped into memory is not in them."
)


def text_files(page: FilesPage) -> str:
    """Return what each workload asks of its files, phase by phase, with what is waited for on both arms."""
    parts = [
        f"Files of result {page.result}: {page.treatment} beside {page.baseline} (traced: {page.traced})"
    ]
    for one in page.workloads:
        parts += _workload(one, page)
    return "\n\n".join([*map(_lines, parts), READING]) + "\n"


def _lines(text: str) -> str:
    return "\n".join(map(plain, text.splitlines()))


def cost_line(one: WorkloadFiles, page: FilesPage) -> str:
    """Return how much longer a workload's trials took while they were traced."""
    costs = "; ".join(
        f"{label} {text}"
        for label, text in (
            (page.baseline, _cost(one.baseline_cost)),
            (page.treatment, _cost(one.treatment_cost)),
        )
    )
    return f"{one.workload}, while it was traced: {costs}"


def _workload(one: WorkloadFiles, page: FilesPage) -> Iterator[str]:
    yield cost_line(one, page)
    if one.reason is not None:
        yield f"nothing is known of it: {one.reason}"
    for phase in one.phases:
        yield from _phase(phase, page)


def _cost(cost: TraceCost) -> str:
    if cost.traced_s is None:
        return "failed"
    if not cost.untraced_s:
        return f"took {cost.traced_s:.3g} s"
    more = cost.traced_s / cost.untraced_s - 1
    return f"took {cost.traced_s:.3g} s instead of {cost.untraced_s:.3g} s ({more:+.0%})"


def _phase(phase: PhaseFiles, page: FilesPage) -> Iterator[str]:
    yield phase_line(phase, page)
    if phase.files:
        yield table(headers(page), phase_cells(phase), right=NUMBERS)
    if phase.baseline.looked or phase.treatment.looked:
        yield looks_line(phase, page)


def phase_line(phase: PhaseFiles, page: FilesPage) -> str:
    """Return how many files a phase asks for, and what was waited for them on both arms."""
    here = _waited(phase.files, "baseline") + phase.baseline.seconds
    there = _waited(phase.files, "treatment") + phase.treatment.seconds
    return (
        f"{phase.phase}: {len(phase.files)} files; waited {_seconds(here)} on {page.baseline}, "
        f"{_seconds(there)} on {page.treatment}"
    )


def headers(page: FilesPage) -> tuple[str, ...]:
    """Return the heads of the table of a phase's files."""
    return (*HEADERS, f"waited {page.baseline}", f"waited {page.treatment}")


def phase_cells(phase: PhaseFiles, most: int = MOST) -> list[tuple[str, ...]]:
    """Return a row for each of the files that are waited for longest, and one for all others together."""
    cells = [_cells(row) for row in phase.files[:most]]
    return cells + ([_others(phase.files[most:])] if len(phase.files) > most else [])


def looks_line(phase: PhaseFiles, page: FilesPage) -> str:
    """Return how often names were looked at, and in vain."""
    return (
        f"names looked at: {_looks(phase.baseline)} on {page.baseline}, "
        f"{_looks(phase.treatment)} on {page.treatment}"
    )


def _looks(looks: Looks) -> str:
    return f"{looks.looked}, {looks.missing} of them not there, {_seconds(looks.seconds)}"


def _waited(rows: Sequence[FileRow], arm: str) -> float:
    uses = (row.baseline if arm == "baseline" else row.treatment for row in rows)
    return sum(use.seconds for use in uses if use is not None)


def _cells(row: FileRow) -> tuple[str, ...]:
    use = row.baseline or row.treatment
    assert use is not None  # noqa: S101 - a row has one
    return (
        row.path,
        str(use.opens or ""),
        _moved(use.reads, use.read_median_bytes, use.read_most_bytes),
        _share(use.reads_on, use.reads),
        _moved(use.writes, use.write_median_bytes, use.write_most_bytes),
        _share(use.writes_on, use.writes),
        str(use.syncs or ""),
        *(_arm_seconds(one) for one in (row.baseline, row.treatment)),
    )


def _others(rows: Sequence[FileRow]) -> tuple[str, ...]:
    seconds = [_seconds(_waited(rows, arm)) for arm in ("baseline", "treatment")]
    return (f"{len(rows)} others", "", "", "", "", "", "", *seconds)


def _moved(calls: int, median: int | None, most: int | None) -> str:
    """Return ``20 x 4 KiB, most 64 KiB``: calls, the median of what each moves, and the largest."""
    if not calls or median is None or most is None:
        return ""
    text = f"{calls} x {format_bytes(median)}"
    return text if most == median else f"{text}, most {format_bytes(most)}"


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.0%}" if whole else ""


def _arm_seconds(use: FileUse | None) -> str:
    return "-" if use is None else _seconds(use.seconds)


def _seconds(seconds: float) -> str:
    return f"{seconds:.3f} s"
