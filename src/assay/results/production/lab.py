"""What a result predicts of production: the loss of one workload's wall time, and its initialization."""

from __future__ import annotations

from statistics import fmean

from assay.model.errors import AssayError, UnknownNameError
from assay.model.trial import Arm
from assay.pages.context import Page, Row
from assay.pages.production import Prediction, Spread

WALL = "wall"
INIT = "init"
"""The phase before a job told of any, and that of scenes' jobs that tell of it."""


def prediction_of(page: Page, workload: str | None) -> Prediction:
    """Return what a result says of a workload: the loss of its wall time, else of its first metric.

    Args:
        page: The result's page.
        workload: Name of the workload; ``None`` where there is one only.

    Raises:
        UnknownNameError: There is no such workload.
        AssayError: There are several and none is named, or several treatments, or nothing was measured.
    """
    names = dict.fromkeys(row.workload for row in page.estimates)
    if workload is not None and workload not in names:
        raise UnknownNameError(kind="workload", name=workload, known=names)
    if workload is None and len(names) > 1:
        msg = f"cannot tell which loss of result {page.result.id} is meant: it has {', '.join(names)}"
        raise AssayError(msg, hint="name the workload that is like the jobs: --workload NAME")
    rows = [row for row in page.estimates if workload in (None, row.workload)]
    if len({row.treatment for row in rows}) > 1:
        msg = f"cannot tell which loss of result {page.result.id} is meant: it has several treatments"
        raise AssayError(msg, hint="name a result with one treatment")
    row = next((row for row in rows if row.metric == WALL), rows[0] if rows else None)
    if row is None or row.loss is None:
        msg = f"cannot take a prediction from result {page.result.id}: nothing of it was measured"
        raise AssayError(msg, hint="assay result list")
    return _prediction(page, row, row.loss)


def _prediction(page: Page, row: Row, loss: float) -> Prediction:
    host = next((one for one in page.systems if one.label == page.result.baseline), None)
    return Prediction(
        result=page.result.id,
        workload=row.workload,
        metric=row.metric,
        loss=Spread(loss, row.low, row.high),
        confidence=row.confidence,
        hardware=host.cpu_model if host else None,
        init_baseline=_init(page, row.workload, Arm.BASELINE),
        init_treatment=_init(page, row.workload, Arm.TREATMENT),
    )


def _init(page: Page, workload: str, arm: Arm) -> float | None:
    """Return the share of initialization, mean of the trials and their copies; ``None`` without phases."""
    trials = [one for one in page.trials if (one.workload, one.arm) == (workload, arm) and one.phases]
    shares = [
        sum(span.share for span in one.phases if span.phase == INIT) / len({span.copy for span in one.phases})
        for one in trials
    ]
    return fmean(shares) if any(shares) else None
