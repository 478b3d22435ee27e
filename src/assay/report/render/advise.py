"""What may win a result's losses back, as text."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from assay.pages.advice import Advice, AdviceRow, NextCount
from assay.pages.numbers import interval_text
from assay.report.tables.budget import counted_text
from assay.report.tables.tables import plain, table

HEADERS = ("", "setting", "workload", "could win back", "of the loss", "a change asks for", "may put at risk")
MEASURED = {"ablation": "by its ablation", "sweep": "in the sweep"}
PARTS = {"instructions": "its instructions", "cpi": "its cycles an instruction", "frequency": "the frequency"}
NONE = "no setting is known that may lift a cause of these losses"
READING = (
    "What a cause holds is the most that a setting could win back, of the treatment's time; what stands "
    "as measured was."
)


def text_advice(advice: Advice) -> str:
    """Return the settings to try, and what is not known, as text."""
    result = advice.result
    head = [result.title, f"{result.scene}, result {result.id}: {result.treatment} against {result.baseline}"]
    parts = ["\n".join(map(plain, head))]
    if advice.rows:
        parts += [table(HEADERS, advice_cells(advice), right={0, 4}), READING]
        parts += [_lines(_printed(lines)) for lines in advice_details(advice)]
    else:
        parts.append(NONE)
    if advice.unknown:
        parts.append(_lines(["What no setting is known for", *(f"  {one}" for one in unknown_lines(advice))]))
    if advice.without_cause:
        parts.append(_lines(["No cause was found for: " + ", ".join(advice.without_cause)]))
    return "\n\n".join(parts) + "\n"


def advice_cells(advice: Advice) -> list[tuple[str, ...]]:
    """Return a line a setting and workload, one text a column of ``HEADERS``."""
    return [_cells(number, row) for number, row in enumerate(advice.rows, 1)]


def advice_details(advice: Advice) -> list[list[str]]:
    """Return what is to be said of each setting, its first line what it does."""
    return [list(_details(rows)) for rows in _by_setting(advice.rows).values()]


def unknown_lines(advice: Advice) -> list[str]:
    """Return the causes that no setting is known for, a line each."""
    return [_next(one) for one in advice.unknown]


def _printed(lines: Sequence[str]) -> list[str]:
    return [lines[0], *(f"   {line}" for line in lines[1:])]


def _lines(lines: Iterator[str] | list[str]) -> str:
    return "\n".join(map(plain, lines))


def _cells(number: int, row: AdviceRow) -> tuple[str, ...]:
    whose = row.workload if row.treatment is None else f"{row.workload}, {row.treatment}"
    share = "" if row.measured is not None else f"{100 * row.share:.0f} %"
    risks = ", ".join(row.hazards) or "-"
    return (str(number), f"{row.factor}={row.level}", whose, _size(row), share, row.cost, risks)


def _size(row: AdviceRow) -> str:
    if row.measured is not None:
        return f"{interval_text(row.measured, row.measured_low, row.measured_high)}, measured"
    return f"at most {interval_text(row.most, row.low, row.high)}"


def _by_setting(rows: Sequence[AdviceRow]) -> dict[str, list[tuple[int, AdviceRow]]]:
    """Return the rows of each setting with their numbers, in the order of the first."""
    found: dict[str, list[tuple[int, AdviceRow]]] = {}
    for number, row in enumerate(rows, 1):
        found.setdefault(f"{row.factor}={row.level}", []).append((number, row))
    return found


def _details(rows: Sequence[tuple[int, AdviceRow]]) -> Iterator[str]:
    """Yield what is to be said of a setting, once for all workloads that it may help."""
    numbers, first = ", ".join(str(number) for number, _ in rows), rows[0][1]
    yield f"{numbers}. {first.factor}={first.level}: {first.why} ({first.source})"
    yield from dict.fromkeys(text for _, row in rows for text in _reasons(row))
    for seen in first.seen:
        yield f"others saw: {seen.figure}, {seen.workload} ({seen.source})"
    if first.refused is not None:
        yield f"not here: {first.refused}"
        return
    setting = f"{first.factor}={shlex.quote(first.level)}"
    scene = f"a scene with {first.factor}: {first.level}, or assay factors export {setting}"
    for command in dict.fromkeys(row.command or scene for _, row in rows):
        yield f"test it: {command}"


def _reasons(row: AdviceRow) -> Iterator[str]:
    part = "" if row.part is None else f", {PARTS[row.part]}"
    measured = "" if row.measured_by is None else f"; measured {MEASURED[row.measured_by]}"
    yield f"for: {row.cause}{part}{measured}"
    if row.missing:
        yield f"the guest's processor lacks: {', '.join(row.missing)}"
    for one in row.counted:
        here, there = (counted_text(one, value) for value in (one.baseline, one.treatment))
        yield f"counted: {one.name} {there}" + ("" if one.baseline is None else f" instead of {here}")
    if row.counters:
        yield f"count whether it may help: assay evaluate ... --counters {','.join(row.counters)}"


def _next(one: NextCount) -> str:
    whose = one.workload if one.treatment is None else f"{one.workload}, {one.treatment}"
    return f"{whose}: {one.cause}, {100 * one.share:.0f} % of the loss. Next: {one.next}"
