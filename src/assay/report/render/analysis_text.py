"""The analysis of measurements from elsewhere as text: one line a treatment, never wrapped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.model.trial import Arm
from assay.pages.analysis import AnalysisPage, AnalysisRow, Ratio
from assay.pages.families.events import CostPart, Quantity
from assay.pages.numbers import ends_text, percent_text, size_text, sized_text, value_text
from assay.report.render.text import COLOURS, section
from assay.report.tables import words
from assay.report.tables.tables import align, plain, table

LOSS, MEAN, VERDICT = 3, 5, 7
UNKNOWN_WORK = "what else ran, and the state of caches, is as it was: the data do not tell"


def text_analysis(page: AnalysisPage, *, colour: bool = False) -> str:
    """Return the analysis as text, each line ended by a newline.

    Args:
        page: What to show.
        colour: Colour losses and verdicts by ANSI sequences; the words and widths stay the same.
    """
    parts = [
        plain(_head(page)),
        losses_table(page, colour=colour),
        plain(_reading(page)),
        *(part for row in page.estimates for part in _of_treatment(page, row)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def losses_table(page: AnalysisPage, *, colour: bool = False) -> str:
    """Return the table of losses alone, one line a treatment."""
    own = page.estimates[0].treatment if len(page.estimates) == 1 else "its value"
    headers = ("treatment", page.baseline, own, "loss", "slowdown", "mean loss", "blocks", "verdict")
    columns = [list(column) for column in zip(*(_cells(row) for row in page.estimates), strict=True)]
    for at in (LOSS, MEAN):
        columns[at] = align(columns[at], " %")
    verdicts = [row.verdict for row in page.estimates]

    def paint(row: int, column: int, cell: str) -> str:
        return f"\x1b[{COLOURS[verdicts[row]]}m{cell}\x1b[0m" if column in {LOSS, VERDICT} else cell

    rows = list(zip(*columns, strict=True))
    return table(headers, rows, right={1, 2, 6}, paint=paint if colour else None)


def _head(page: AnalysisPage) -> str:
    arms = ", ".join(row.treatment for row in page.estimates)
    better = "times, lower is better" if page.kind == "time" else "rates, higher is better"
    numbers = f"{percent_text(page.confidence)} intervals, margin {percent_text(page.margin)}"
    return f"{page.source}: {arms} against {page.baseline}; {better}; {numbers}"


def _reading(page: AnalysisPage) -> str:
    share = f"the share of {page.baseline}'s throughput that is not reached"
    return f"loss = 1 - 1/slowdown: {share}; negative is a gain"


def _cells(row: AnalysisRow) -> tuple[str, ...]:
    return (
        row.treatment,
        value_text(row.baseline_value),
        value_text(row.treatment_value),
        size_text(row),
        words.slowdown_text(row),
        words.mean_text(row),
        str(row.blocks),
        words.verdict_text(row) if row.reason is None else "not comparable",
    )


def _of_treatment(page: AnalysisPage, row: AnalysisRow) -> Iterator[str]:
    """Yield the sections of one treatment, named where there are several."""
    whose = f": {row.treatment}" if len(page.estimates) > 1 else ""
    yield section(f"Not compared{whose}", () if row.reason is None else (row.reason,))
    yield _costs(row, whose)
    yield _sizes(row, whose)
    yield section(f"How it was estimated{whose}", _method(row))
    yield section(f"Doubts{whose}", words.doubts(row.doubts) or ("none",))


def _costs(row: AnalysisRow, whose: str) -> str:
    if row.fixed_cost_s is None or row.per_event_s is None:
        return ""
    parts = (("fixed cost", row.fixed_cost_s), ("cost per event", row.per_event_s))
    cells = [
        (name, _seconds(part.baseline), _seconds(part.treatment), _loss(part, row)) for name, part in parts
    ]
    body = table((plain(f"Costs{whose}"), row.baseline, row.treatment, "loss"), cells)
    return f"{body}\n{plain(_from(row))}"


def _seconds(value: Quantity) -> str:
    return ends_text(value.value, value.low, value.high, unit="s")


def _loss(part: CostPart, row: AnalysisRow) -> str:
    return sized_text(part.loss, part.loss_low, part.loss_high, row.blocks)


def _from(row: AnalysisRow) -> str:
    bent = [check for check in row.linearity if not check.straight]
    if any(check.kink is None for check in bent):
        return "these are straight lines that do not fit: see the doubts"
    if bent:
        arms = " and ".join(row.baseline if check.arm is Arm.BASELINE else row.treatment for check in bent)
        return f"{arms}: fixed cost before the kink, cost per event after it: see the doubts"
    if row.events_within_margin is None:
        return "the loss of the total depends on the number of events, however large"
    return (
        f"from {row.events_within_margin} events on, the loss of the total is within the margin of that of "
        "the cost per event"
    )


def _sizes(row: AnalysisRow, whose: str) -> str:
    if not row.sizes:
        return ""
    headers = (plain(f"events{whose}"), row.baseline, row.treatment, "loss of the total", "blocks")
    cells: Sequence[tuple[str, ...]] = [
        (str(size.events), f"{value_text(size.baseline_s)} s", f"{value_text(size.treatment_s)} s",
         size_text(size), str(size.blocks))
        for size in row.sizes
    ]  # fmt: skip
    return table(headers, cells, right={0, 1, 2, 4})


def _method(row: AnalysisRow) -> Iterator[str]:
    aim = row.aim
    yield f"loss of {aim.metric}, {aim.phase}, {_scope(row)}; {UNKNOWN_WORK}"
    yield row.method
    yield from _scatter(row)
    if row.ratio_of_totals is not None:
        ratio: Ratio = row.ratio_of_totals
        yield (
            f"slowdown as a ratio of totals: {ends_text(ratio.slowdown, ratio.low, ratio.high)} "
            f"({_fieller(row)})"
        )


def _fieller(row: AnalysisRow) -> str:
    if row.level == "block":
        return "Fieller"
    return f"Fieller, over {row.sessions if row.level == 'session' else row.machines} {row.level}s"


def _scope(row: AnalysisRow) -> str:
    if row.machines > 1:
        return f"for machines like these {row.machines} (fleet)"
    if row.sessions > 1:
        return f"on this machine, over {row.sessions} sessions"
    return "on this machine in this session: what differs from day to day is not in the interval"


def _scatter(row: AnalysisRow) -> Iterator[str]:
    parts = row.components
    if parts.between is None or parts.within is None:
        return
    between, within = percent_text(float(f"{parts.between:.2g}")), percent_text(float(f"{parts.within:.2g}"))
    yield f"scatter (standard deviation): {between} between {parts.group}s, {within} between blocks of one"
