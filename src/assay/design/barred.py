"""Figures that bear no loss: the arms did not do the same work, or what was counted was not the job's."""

from __future__ import annotations

from collections.abc import Sequence

from assay.design.file_sizes import sizes_differ
from assay.design.remembered import remembered
from assay.model.metric import Metric
from assay.model.trial import Trial
from assay.model.work.storage import OF_STORAGE, READER
from assay.model.work.workload import Workload


def barred(records: Sequence[Trial], workload: Workload, metric: Metric) -> str | None:
    """Return why a figure bears no loss: other results or sizes of files on its arms, or a server that read
    for the job.

    Args:
        records: What ran.
        workload: The workload.
        metric: What was measured of it.
    """
    of_storage = workload.parser == READER and metric in OF_STORAGE
    if of_storage and any(record.from_server for record in _of(records, workload)):
        return "a server or its client read for the job: what it fetched from storage is not the job's"
    return _all_barred(records, workload)


def _of(records: Sequence[Trial], workload: Workload) -> list[Trial]:
    return [record for record in records if record.planned.workload == workload.name]


@remembered
def _all_barred(records: Sequence[Trial], workload: Workload) -> str | None:
    """Return why no figure of a workload bears a loss."""
    return difference(records, workload.name) or sizes_differ(_of(records, workload), workload)


def difference(records: Sequence[Trial], workload: str) -> str | None:
    """Return which two trials of a workload came to different results; ``None`` where all came to
    the same.
    """
    reported = [r for r in records if r.planned.workload == workload and r.result_digest is not None]
    reported.sort(key=lambda record: record.planned.index)
    other = next((record for record in reported if record.result_digest != reported[0].result_digest), None)
    if other is None:
        return None
    return (
        f"The trials of {workload} did not come to the same result, so they are not compared: "
        f"{_digest_text(reported[0])}, {_digest_text(other)}."
    )


def _digest_text(record: Trial) -> str:
    return f"{record.planned.name} on {record.machine} told {record.result_digest}"
