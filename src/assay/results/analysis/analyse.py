"""The analysis of what was measured elsewhere: a file or a table in, its page out."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from assay.exchange import Sheet, TableError, from_table, parse, spelling_notes, to_runs
from assay.exchange.given import NoFileError, read_given
from assay.model.errors import Exit, UnknownNameError
from assay.model.figures.estimate import Verdict
from assay.model.figures.measured import MeasuredRuns, ValueKind
from assay.model.units import parse_share
from assay.pages.analysis import AnalysisPage, AnalysisRow
from assay.results.analysis.analysis import row_of, with_doubts, without_loss
from assay.results.analysis.arms import AnalysisError, check_machines, choose_baseline
from assay.results.publications.published_values import other_files, value_doubts
from assay.stats.analysis.measured import Question, measured_loss

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Places = NDArray[np.intp]

LEAST_CONFIDENCE, MOST_CONFIDENCE = 0.5, 0.9999


def analyse_table(
    table: object,
    *,
    kind: str = "time",
    baseline: str | None = None,
    margin: float | str = 0.01,
    confidence: float | str = 0.95,
    only: Mapping[str, Collection[str]] | None = None,
) -> AnalysisPage:
    """Return the losses of all treatments of a file or table of measurements.

    Args:
        table: Path of a CSV file, or a table as ``exchange.from_table`` takes it.
        kind: ``time`` (lower is better) or ``rate`` (higher is better).
        baseline: Arm that losses are measured against; ``None`` takes one that is called so.
        margin: Loss that does not matter, from 0 to below 1: ``0.01`` or ``1 %``.
        confidence: Coverage of intervals, 0.5 to 0.9999: ``0.95`` or ``95 %``.
        only: Of a file the rows that are read: by column, known or not, the words of which its cell is one.

    Raises:
        TableError: A cell or a row is wrong, named by its line or number, or the file cannot be read.
        UnknownNameError: No arm is called so.
        AnalysisError: There is no baseline, no treatment, an option out of its range, or arms that no
            machine carried together.
    """
    import numpy as np

    value_kind = _kind(kind)
    margin, confidence = _margin(margin), _confidence(confidence)
    sheet = _sheet(table, only)
    runs = to_runs(sheet)
    if value_kind is ValueKind.RATE:
        _check_rates(runs)
    arms = runs.arm.held()
    reference, notes = choose_baseline(arms, baseline, sheet.name)
    treatments = [arm for arm in arms if arm != reference]
    check_machines(runs, reference, treatments)
    questions = (Question(reference, arm, value_kind, confidence, margin) for arm in treatments)
    rows = _rows_of(runs)
    return AnalysisPage(
        source=sheet.name,
        kind=value_kind,
        baseline=reference,
        confidence=confidence,
        margin=margin,
        estimates=tuple(_row(_of_both(runs, rows, question), question) for question in questions),
        ordered=not np.isnan(runs.order).all(),
        notes=(*sheet.notes, *notes, *spelling_notes(runs.arm)),
    )


def _rows_of(runs: MeasuredRuns) -> Mapping[str, Places]:
    """Return the rows of each arm: a treatment is then looked at without the others."""
    import numpy as np

    counts = np.bincount(runs.arm.codes, minlength=len(runs.arm.values))
    rows = np.split(np.argsort(runs.arm.codes, kind="stable"), np.cumsum(counts)[:-1])
    return dict(zip(runs.arm.values, rows, strict=True))


def _of_both(runs: MeasuredRuns, rows: Mapping[str, Places], question: Question) -> MeasuredRuns:
    """Return the runs of both arms of a question, in the order of their rows."""
    import numpy as np

    if len(runs.arm.values) == 2:
        return runs
    return runs.of(np.sort(np.concatenate([rows[question.baseline], rows[question.treatment]])))


def _row(runs: MeasuredRuns, question: Question) -> AnalysisRow:
    """Return the row of one treatment; without a loss where what was measured is not comparable."""
    row = with_doubts(row_of(measured_loss(runs, question)), value_doubts(runs, question))
    reason = other_files(runs, question)
    return row if reason is None else without_loss(row, reason)


def exit_of(page: AnalysisPage) -> Exit:
    """Return the exit code of an analysis: done only if every treatment has a loss."""
    unmeasured = [row.verdict is Verdict.NOT_MEASURED for row in page.estimates]
    if all(unmeasured):
        return Exit.NOTHING
    return Exit.PARTIAL if any(unmeasured) else Exit.DONE


def _kind(kind: str) -> ValueKind:
    if kind not in list(ValueKind):
        raise UnknownNameError(kind="kind", name=str(kind), known=list(ValueKind))
    return ValueKind(kind)


def _margin(margin: object) -> float:
    share = _share(margin)
    if share is None or not 0 <= share < 1:
        msg = f"cannot analyse: expected a margin from 0 to below 1, got {margin!r}"
        raise AnalysisError(msg, hint="0.01 or '1 %' is one percent")
    return share


def _confidence(confidence: object) -> float:
    share = _share(confidence)
    if share is None or not LEAST_CONFIDENCE <= share <= MOST_CONFIDENCE:
        low, high = LEAST_CONFIDENCE, MOST_CONFIDENCE
        msg = f"cannot analyse: expected a confidence from {low} to {high}, got {confidence!r}"
        raise AnalysisError(msg, hint="0.95 or '95 %' is usual")
    return share


def _share(share: object) -> float | None:
    try:
        return parse_share(share)
    except ValueError:
        return None


def _sheet(table: object, only: Mapping[str, Collection[str]] | None) -> Sheet:
    if not isinstance(table, str | os.PathLike):
        return from_table(table)
    name = os.fspath(table)
    try:
        return parse(read_given(Path(name)), name=name, only=only)
    except (OSError, ValueError) as error:
        if isinstance(error, TableError):
            raise
        if isinstance(error, NoFileError):
            hint = "name the CSV file in it" if error.got == "a directory" else None
            raise TableError(
                place=name, expected="a file that can be read", actual=error.got, hint=hint
            ) from None
        reason = error.strerror.lower() if isinstance(error, OSError) and error.strerror else str(error)
        raise TableError(place=name, expected="a file that can be read", actual=reason) from None


def _check_rates(runs: MeasuredRuns) -> None:
    import numpy as np

    for row in np.flatnonzero(runs.events == 0)[:1].tolist():
        expected = "events above 0, for the value is a rate"
        raise TableError(place=runs.lines[row], expected=expected, actual="0 events")
