"""What a job asks of its files, as text that the people who wrote it can use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.model.units import format_bytes
from assay.pages.files import FileRow, FilesPage, FileUse, Looks, PhaseFiles, TraceCost, WorkloadFiles
from assay.report.tables.tables import plain, table

MOST = 15
"""Files of a phase that have a line of their own."""
HEADERS = ("file", "opened", "read", "in sequence", "written", "in sequence", "fsync")
READING = (
    "Calls of the kernel by the job and its children, counted on the baseline (on the treatment where the "
    "baseline asks for none); waited: seconds in them, added up over processes. What is mapped into memory "
    "is not in them."
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


def _workload(one: WorkloadFiles, page: FilesPage) -> Iterator[str]:
    costs = "; ".join(
        f"{label} {text}"
        for label, text in (
            (page.baseline, _cost(one.baseline_cost)),
            (page.treatment, _cost(one.treatment_cost)),
        )
    )
    yield f"{one.workload}, while it was traced: {costs}"
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
    here = _waited(phase.files, "baseline") + phase.baseline.seconds
    there = _waited(phase.files, "treatment") + phase.treatment.seconds
    yield (
        f"{phase.phase}: {len(phase.files)} files; waited {_seconds(here)} on {page.baseline}, "
        f"{_seconds(there)} on {page.treatment}"
    )
    if phase.files:
        headers = (*HEADERS, f"waited {page.baseline}", f"waited {page.treatment}")
        cells = [_cells(row) for row in phase.files[:MOST]]
        if len(phase.files) > MOST:
            cells.append(_others(phase.files[MOST:]))
        yield table(headers, cells, right={1, 3, 5, 6, 7, 8})
    if phase.baseline.looked or phase.treatment.looked:
        yield (
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
        _moved(use.reads, use.read_bytes),
        _share(use.reads_on, use.reads),
        _moved(use.writes, use.write_bytes),
        _share(use.writes_on, use.writes),
        str(use.syncs or ""),
        *(_arm_seconds(one) for one in (row.baseline, row.treatment)),
    )


def _others(rows: Sequence[FileRow]) -> tuple[str, ...]:
    seconds = [_seconds(_waited(rows, arm)) for arm in ("baseline", "treatment")]
    return (f"{len(rows)} others", "", "", "", "", "", "", *seconds)


def _moved(calls: int, count: int) -> str:
    """Return ``20 x 4 KiB``: calls, and what each moves in the mean."""
    return f"{calls} x {format_bytes(round(count / calls))}" if calls else ""


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.0%}" if whole else ""


def _arm_seconds(use: FileUse | None) -> str:
    return "-" if use is None else _seconds(use.seconds)


def _seconds(seconds: float) -> str:
    return f"{seconds:.3f} s"
