"""Starts beside each other as tables, and the sentences beside them."""

from __future__ import annotations

from collections.abc import Iterator

from assay.pages.numbers import NOTHING, ends_text, value_text
from assay.pages.production import Spread
from assay.pages.starts import StartsCheck, StartsPage, StartsRow
from assay.report.tables.production import share_text
from assay.report.tables.tables import plain

FILES = {"disk": "on the disk", "followed": "just being read", "memory": "in memory"}
FIT_HEADERS = (
    "class",
    "machines",
    "guests",
    "jobs",
    "alone (s)",
    "guests the disk feeds",
    "left with files in memory",
    "disk is full at",
)
CHECK_HEADERS = (
    "class",
    "cores",
    "files",
    "guests at once",
    "jobs",
    "measured (s)",
    "forecast (s)",
    "median of the others (s)",
    "processors in I/O wait",
)
FORECAST_HEADERS = ("class", "cores", "guests at once", "initialization (s)", "jobs an hour", "lost by it")
NOTE = (
    "A job's initialization is taken to read from one disk, which all guests of a machine share evenly; jobs "
    "of one guest share what it has read, until an hour after its last job. Lost by it: throughput against "
    "the same guests when they start one after the other. Nothing is known of others that use the disk at "
    "the same time, or of a file server behind it."
)


def fit_cells(page: StartsPage) -> list[tuple[str, ...]]:
    """Return a row a class: what initialization is like there."""
    return [
        (
            plain(row.of_class),
            str(row.machines),
            str(row.guests),
            str(row.jobs),
            _figure(row.alone_s),
            _limit(row),
            NOTHING if row.kept is None else share_text(row.kept),
            NOTHING if row.disk_bytes_s is None else f"{value_text(row.disk_bytes_s / 1e6)} MB/s",
        )
        for row in page.rows
    ]


def _limit(row: StartsRow) -> str:
    if row.fed is None and row.alone_s is not None and row.most_together > 1:
        return f"all, up to {row.most_together}"
    return _figure(row.fed)


def _figure(spread: Spread | None) -> str:
    return NOTHING if spread is None else ends_text(spread.value, spread.low, spread.high)


def check_cells(page: StartsPage) -> list[tuple[str, ...]]:
    """Return a row for each kind of jobs that were held out."""
    return [
        (
            plain(row.of_class),
            NOTHING if one.cores is None else str(one.cores),
            FILES[one.files],
            at_once(one),
            str(one.jobs),
            *(value_text(seconds) for seconds in (one.measured_s, one.forecast_s, one.trivial_s)),
            NOTHING if one.in_wait is None else value_text(one.in_wait),
        )
        for row in page.rows
        for one in row.checks
    ]


def at_once(check: StartsCheck) -> str:
    """Return how many guests read at once."""
    if check.fewest == 0:
        return NOTHING
    if check.most is None:
        return f"{check.fewest} or more"
    return str(check.fewest) if check.most == check.fewest else f"{check.fewest} to {check.most}"


def forecast_cells(page: StartsPage) -> list[tuple[str, ...]]:
    """Return a row for each size of guests and number of them that start at once."""
    return [
        (
            plain(row.of_class),
            NOTHING if one.cores is None else str(one.cores),
            str(one.guests),
            _figure(one.init_s),
            _figure(one.jobs_per_hour),
            _lost(one.loss) if one.guests > 1 else NOTHING,
        )
        for row in page.rows
        for one in row.forecasts
    ]


def _lost(loss: Spread) -> str:
    return share_text(loss) if loss.low is not None else f"{100 * loss.value:.1f} %"


def case(page: StartsPage, row: StartsRow, cores: int | None, what: str) -> str:
    """Return the name of a kind of jobs: the class only where there are several."""
    of_class = [row.of_class] if len(page.rows) > 1 else []
    size = [] if cores is None else [f"guests of {cores} core{'s' * (cores != 1)}"]
    return plain(", ".join([*of_class, *size, what]))


def error_lines(page: StartsPage) -> Iterator[str]:
    """Yield how far forecasts of jobs held out were off, and what speaks against them."""
    for row in page.rows:
        if row.error is not None and row.trivial_error is not None:
            told = f"jobs held out ({row.held_out}): forecasts are off by {_percent(row.error)} in the mean, "
            told += f"the median of the others by {_percent(row.trivial_error)}"
            if row.wall_error is not None and row.trivial_wall_error is not None:
                told += (
                    f"; their wall time by {_percent(row.wall_error)} and {_percent(row.trivial_wall_error)}"
                )
            yield plain(f"{row.of_class}: {told}")
        yield from (plain(f"{row.of_class}: {reason}") for reason in row.reasons)


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
