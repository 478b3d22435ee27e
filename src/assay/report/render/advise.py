"""What may win a result's losses back, as text."""

from __future__ import annotations

from collections.abc import Iterator

from assay.pages.advice import Advice, AdviceRow, NextCount
from assay.pages.numbers import percent_text
from assay.report.tables.tables import plain


def text_advice(advice: Advice) -> str:
    """Return the settings to try, and what is not known, as text."""
    result = advice.result
    parts = [f"{result.title}\n{result.scene}, result {result.id}: {result.treatment} against {result.baseline}"]
    parts += ["\n".join(_row(number, row)) for number, row in enumerate(advice.rows, 1)]
    if not advice.rows:
        parts.append("no setting is known that may lift a cause of these losses")
    if advice.unknown:
        parts.append("\n".join(["What no setting is known for", *map(_next, advice.unknown)]))
    if advice.without_cause:
        parts.append("No cause was found for: " + "; ".join(advice.without_cause))
    return "\n\n".join(plain_lines(part) for part in parts) + "\n"


def plain_lines(text: str) -> str:
    """Return lines that are safe to print."""
    return "\n".join(map(plain, text.splitlines()))


def _row(number: int, row: AdviceRow) -> Iterator[str]:
    whose = row.workload if row.treatment is None else f"{row.workload}, {row.treatment}"
    yield f"{number}. {row.factor}={row.level} for {whose}: {_size(row)}"
    yield f"   {row.why} ({row.source})"
    risks = f"; may risk {', '.join(row.hazards)}" if row.hazards else ""
    yield f"   a change asks for: {row.cost}{risks}"
    for seen in row.seen:
        yield f"   others saw {seen.figure} ({seen.workload}, {seen.source})"
    if row.refused is not None:
        yield f"   not here: {row.refused}"
    yield f"   test it: {row.command}" if row.command else "   test it: write a scene with this level"


def _size(row: AdviceRow) -> str:
    if row.measured is not None:
        return f"won back {_interval(row.measured, row.measured_low, row.measured_high)} where it was ablated"
    most = _interval(row.most, row.low, row.high)
    return f"could lift {most} at most, {percent_text(row.share)} of the loss ({row.cause})"


def _interval(value: float, low: float | None, high: float | None) -> str:
    ends = "" if low is None or high is None else f" [{100 * low:.3g}, {100 * high:.3g}]"
    return f"{100 * value:.3g} %{ends}"


def _next(one: NextCount) -> str:
    whose = one.workload if one.treatment is None else f"{one.workload}, {one.treatment}"
    return f"  {whose}: {one.cause}, {percent_text(one.share)} of the loss. Next: {one.next}"
