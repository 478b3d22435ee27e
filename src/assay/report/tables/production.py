"""A farm's jobs as tables, and the sentences beside them."""

from __future__ import annotations

from collections.abc import Iterator

from assay.pages.numbers import NOTHING, ends_text, interval_text, percent_text, value_text
from assay.pages.production import ProductionPage, ProductionRow, ProductionSide, Spread, Standing
from assay.pages.starts import StartsPage
from assay.report.tables.tables import plain

STANDINGS: dict[Standing, str] = {
    "agrees": "yes",
    "loses-more": "no: more is lost",
    "loses-less": "no: less is lost",
    "not-decided": "not decided",
    "not-comparable": "not comparable",
    "no-prediction": "no result named",
}
NOTE = (
    "Not paired: the jobs of physical and of virtual nodes are different jobs, at different times, with "
    "different input, beside different neighbours. What of that differs between the two kinds of nodes is in "
    "the loss, and in no interval. Each node counts once: intervals are over nodes."
)
KEY = ("class", "cores")
WALL = {"event": "wall time per event", "job": "wall time per job", None: "wall time"}


def side_headers(page: ProductionPage) -> tuple[str, ...]:
    """Return the names of the columns of ``side_cells``."""
    wall = f"{WALL[page.quantity]} (s)"
    return (*KEY, "kind", "nodes", "jobs", "CPU efficiency", wall, "initialization")


def side_cells(page: ProductionPage) -> list[tuple[str, ...]]:
    """Return two rows a class and size of jobs: physical nodes, virtual nodes."""
    return [
        (*_key(row), kind, *_side(side))
        for row in page.rows
        for kind, side in (("physical", row.physical), ("virtual", row.virtual))
        if side is not None
    ]


def _key(row: ProductionRow) -> tuple[str, str]:
    return row.of_class, NOTHING if row.cores is None else str(row.cores)


def _side(side: ProductionSide) -> tuple[str, ...]:
    wall = side.wall_s
    init = NOTHING if side.init_share is None else f"{100 * side.init_share:.1f} % ({_jobs(side.init_jobs)})"
    return (
        str(side.nodes),
        str(side.jobs),
        share_text(side.efficiency),
        NOTHING if wall is None else ends_text(wall.value, wall.low, wall.high),
        init,
    )


def share_text(spread: Spread | None, unit: str = "%") -> str:
    """Return a share or a loss with its interval."""
    if spread is None:
        return NOTHING
    return interval_text(spread.value, spread.low, spread.high, unit=unit)


def loss_headers(page: ProductionPage) -> tuple[str, ...]:
    """Return the names of the columns of ``loss_cells``."""
    lab = () if page.prediction is None else ("the lab's loss", "lost beyond the lab's")
    return (*KEY, "does the lab stand for it?", "loss on virtual nodes", *lab, "efficiency, difference")


def loss_cells(page: ProductionPage) -> list[tuple[str, ...]]:
    """Return one row a class and size of jobs."""
    said = page.prediction
    return [
        (
            *_key(row),
            STANDINGS[row.standing],
            share_text(row.loss),
            *(() if said is None else (share_text(said.loss), share_text(row.beyond))),
            share_text(row.efficiency, "pp"),
        )
        for row in page.rows
    ]


def reason_lines(page: ProductionPage) -> list[str]:
    """Return what speaks against comparisons, with the class and size of each."""
    return [plain(f"{named(row)}: {reason}") for row in page.rows for reason in row.reasons]


def named(row: ProductionRow) -> str:
    """Return the name of a row."""
    return row.of_class if row.cores is None else f"{row.of_class}, {row.cores} core{'s' * (row.cores != 1)}"


def read_lines(page: ProductionPage | StartsPage) -> Iterator[str]:
    """Yield what was read, what was left out, and why."""
    for one in page.sources:
        yield plain(f"{one.file}: {one.kind}, {_jobs(one.jobs)}")
    if page.left_out:
        yield "left out: " + ", ".join(plain(f"{one.jobs} {one.why}") for one in page.left_out)
    if page.unknown:
        more = " and others" if len(page.unknown) == 20 else ""
        yield plain(f"not known: {', '.join(page.unknown)}{more}; say what they are with --nodes FILE")
    if page.damaged:
        yield f"damaged, and in no figure: {page.damaged}"
        yield from (plain(f"  {damage}") for damage in page.damages)


def lab_lines(page: ProductionPage) -> Iterator[str]:
    """Yield what the lab says."""
    said = page.prediction
    if said is None:
        return
    where = "" if said.hardware is None else f" on {said.hardware}"
    yield plain(
        f"the lab: result {said.result}, {said.workload}, {said.metric}{where}: "
        f"loss {share_text(said.loss)}, margin {percent_text(page.margin)}"
    )
    if said.init_baseline is not None and said.init_treatment is not None:
        a, b = (f"{100 * share:.1f} %" for share in (said.init_baseline, said.init_treatment))
        yield f"initialization in the lab: {a} of the wall time on the baseline, {b} on the treatment"


def interval_line(page: ProductionPage) -> str:
    """Return what intervals are."""
    each = "" if page.each == page.confidence else f", {value_text(100 * page.each)} % each"
    return f"intervals over nodes, {percent_text(page.confidence)} for all losses together{each}"


def _jobs(count: int) -> str:
    return f"{count} job{'s' * (count != 1)}"
