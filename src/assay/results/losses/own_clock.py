"""Figures as the machine's own clock had them, beside those on the host's clock."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from assay.model.activity import ActivityPlan
from assay.model.metric import Direction, Measurement
from assay.model.trial import Trial
from assay.pages.context import Row, Uncorrected, Value
from assay.results.losses.figures import judge_clock
from assay.results.losses.rows import rows_of


def values_of(record: Trial | None) -> tuple[Value, ...]:
    """Return the figures of a trial, each with what its own clock said where that was corrected."""
    if record is None:
        return ()
    reported = _uncorrected(record) or (None,) * len(record.measurements)
    return tuple(
        Value(m.metric.name, m.metric.unit, m.value, own.value if own and own.value != m.value else None)
        for m, own in zip(record.measurements, reported, strict=True)
    )


def with_uncorrected(
    plan: ActivityPlan, records: Sequence[Trial], rows: Sequence[Row], *, early: bool
) -> tuple[Row, ...]:
    """Return the rows, each with what it would say without the correction of clocks where that changed a
    value.

    Args:
        plan: What was planned, of one treatment.
        records: What ran.
        rows: Its estimates.
        early: Trials are left to run.
    """
    raw = [replace(r, measurements=reported) if (reported := _uncorrected(r)) else r for r in records]
    if raw == list(records):
        return tuple(rows)
    return tuple(_with_raw(rows, rows_of(plan, raw, early=early)))


def _with_raw(rows: Sequence[Row], raw: Iterator[Row]) -> Iterator[Row]:
    for row, own in zip(rows, raw, strict=True):
        if row.blocks_data == own.blocks_data:
            yield row
            continue
        reported = Uncorrected(own.baseline_value, own.treatment_value, own.loss, own.low, own.high)
        yield replace(row, uncorrected=reported)


def _uncorrected(record: Trial) -> tuple[Measurement, ...] | None:
    """Return a trial's figures by its own clock; ``None`` where it was not corrected.

    A trial that several guests ran together was corrected by the clock of each, and a clock that is not
    trusted left no
    figure: of neither can it be told.
    """
    rate = judge_clock(record.clock).rate
    if record.members or rate is None or rate == 1.0:
        return None
    return tuple(_on_own_clock(measurement, rate) for measurement in record.measurements)


def _on_own_clock(measurement: Measurement, rate: float) -> Measurement:
    if not measurement.metric.timed or measurement.value is None:
        return measurement
    lower = measurement.metric.direction is Direction.LOWER
    return replace(measurement, value=measurement.value * rate if lower else measurement.value / rate)
