"""From the traces of an activity's trials to what their jobs ask of their files."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean

from assay.explain.files.asked import FileAsked, PhaseAsked, Span, asked, median_size
from assay.explain.files.trace import calls, working_folder
from assay.model.activity import ActivityPlan
from assay.model.trial import Arm, State, Trial
from assay.model.units import format_bytes
from assay.pages.files import FileRow, FilesPage, FileUse, Looks, PhaseFiles, TraceCost, WorkloadFiles

TRACE = "assay-files.gz"
"""The trace, in a copy's folder."""
MOST_BYTES, LONGEST = 1 << 30, 1 << 16
"""What is read of a trace, unpacked, and of one line of it."""


def files_page(
    plan: ActivityPlan, records: Sequence[Trial], folder: Path, *, result: str, untraced: Sequence[Trial]
) -> FilesPage:
    """Return what the workloads of a result ask of their files.

    Args:
        plan: The plan of the activity that was traced.
        records: Records of its trials.
        folder: Its folder.
        result: The result that it belongs to.
        untraced: Records of that result.
    """
    return FilesPage(
        result=result,
        traced=plan.id,
        baseline=plan.baseline.label,
        treatment=plan.treatment.label,
        workloads=tuple(_workload(one.name, records, folder, untraced) for one in plan.workloads),
    )


def _workload(name: str, records: Sequence[Trial], folder: Path, untraced: Sequence[Trial]) -> WorkloadFiles:
    found = {arm: _trial(name, arm, records) for arm in Arm}
    costs = [_cost(found[arm], [one for one in untraced if _is(one, name, arm)]) for arm in Arm]
    phases, reasons = {}, []
    for arm, trial in found.items():
        if trial is None or trial.state is not State.ENDED:
            cause = "" if trial is None or trial.cause is None else f": {trial.cause}"
            reasons.append(f"the traced trial on the {arm} failed{cause}")
            continue
        try:
            phases[arm] = _asked(trial, folder)
        except (OSError, EOFError, zlib.error) as error:
            reasons.append(f"the trace of the {arm} cannot be read: {error}")
    if reasons:
        return WorkloadFiles(name, (), costs[0], costs[1], "; ".join(reasons))
    return WorkloadFiles(name, tuple(_phases(*phases.values())), costs[0], costs[1], None)


def _is(trial: Trial, workload: str, arm: Arm) -> bool:
    return trial.planned.workload == workload and trial.planned.arm is arm and trial.planned.level == 0


def _trial(workload: str, arm: Arm, records: Sequence[Trial]) -> Trial | None:
    return next((one for one in records if _is(one, workload, arm)), None)


def _cost(traced: Trial | None, untraced: Sequence[Trial]) -> TraceCost:
    seconds = [one.usage.wall_s for one in untraced if one.usage and one.state is State.ENDED]
    own = traced.usage.wall_s if traced and traced.usage and traced.state is State.ENDED else None
    return TraceCost(own, fmean(seconds) if seconds else None)


def _asked(trial: Trial, folder: Path) -> list[PhaseAsked]:
    """Return what the first copy of a trial asks of its files."""
    file = folder / "trials" / trial.planned.name / "files" / "copy-0" / TRACE
    if not file.stat().st_size:
        msg = "it is empty"
        raise EOFError(msg)
    began = working_folder(_lines(file))
    return asked(calls(_lines(file)), list(_spans(trial)), began)


def _lines(file: Path) -> Iterator[str]:
    """Yield the lines of a trace, of which a guest may have made anything: longer ones are cut.

    Raises:
        EOFError: It ends in the middle, or holds more than is read of one.
    """
    left = MOST_BYTES
    with gzip.open(file) as stream:
        while line := stream.readline(LONGEST):
            left -= len(line)
            if left < 0:
                msg = f"it holds more than {format_bytes(MOST_BYTES)}"
                raise EOFError(msg)
            yield line.decode(errors="replace")


def _spans(trial: Trial) -> Iterator[Span]:
    for one in trial.phases:
        if one.copy == 0:
            yield one.phase, one.started.real_ns / 1e9, one.ended.real_ns / 1e9


def _phases(base: Sequence[PhaseAsked], treated: Sequence[PhaseAsked]) -> Iterator[PhaseFiles]:
    here, there = ({one.phase: one for one in arm} for arm in (base, treated))
    for phase in dict.fromkeys([*here, *there]):
        both = [arm.get(phase) or PhaseAsked(phase) for arm in (here, there)]
        names = dict.fromkeys(path for one in both for path in one.files)
        rows = [FileRow(path, *(_use(one.files.get(path)) for one in both)) for path in names]
        rows.sort(key=_longest, reverse=True)
        yield PhaseFiles(phase, tuple(rows), *(Looks(one.looked, one.missing, one.look_s) for one in both))


def _longest(row: FileRow) -> float:
    return max(use.seconds for use in (row.baseline, row.treatment) if use is not None)


def _use(one: FileAsked | None) -> FileUse | None:
    if one is None:
        return None
    return FileUse(
        one.opens, one.reads, one.read_bytes, one.reads_on, one.writes, one.write_bytes, one.writes_on,
        one.syncs, one.seconds, one.sync_s,
        read_median_bytes=median_size(one.read_sizes), read_most_bytes=max(one.read_sizes, default=None),
        write_median_bytes=median_size(one.write_sizes), write_most_bytes=max(one.write_sizes, default=None),
    )  # fmt: skip
