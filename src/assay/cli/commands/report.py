"""``assay report``: a result for people, as a file or on stdout: whole, or a chart or a table of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli.names import CHART, FORMAT, RESULT, TABLE
from assay.cli.output import document, document_bytes, home
from assay.cli.stores import open_store
from assay.cli.whole_file import write_whole
from assay.model.errors import AssayError, UnknownNameError

if TYPE_CHECKING:
    from assay.pages.context import Page
    from assay.pages.flat import Table
    from assay.store.rows import ActivityRow, FleetRow
    from assay.store.store import Store

    Pieces = Iterable[str] | bytes
    """What is written: text piece by piece, or bytes."""

ENDINGS = {".tex": "latex", ".txt": "text"}
"""Formats of files whose names do not end in the format's own name."""
TABLE_FORMATS = ("csv", "json", "latex", "parquet")
SIZES = ("column", "page", "slide")


@click.command("report", epilog="Example: assay report last --chart loss --output loss.pdf")
@click.argument("results", nargs=-1, type=RESULT, metavar="[RESULT]...")
@click.option(
    "--format",
    "form",
    type=FORMAT,
    help="html, pdf, md, json, text, or a format that a plug-in brings; of a table csv, json, latex, "
    "parquet; of a chart svg, png, pdf. By default as the file's name ends, else md, csv, svg.",
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option("--chart", type=CHART, help="Only this chart: loss, budget, … (a wrong name lists all).")
@click.option(
    "--table",
    type=TABLE,
    help="Only this table: estimates (the default of csv, latex and parquet), values, samples, …",
)
@click.option(
    "--size",
    type=click.Choice(SIZES),
    help="How large a chart is: a column of a paper (the default), a page's width, a slide.",
)
@click.option(
    "--output",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    help="Write to this file instead of stdout.",
)
@click.option(
    "--block",
    type=click.IntRange(min=0),
    help="Block whose trials are shown over time, instead of the first complete one.",
)
def command(
    results: tuple[str, ...],
    form: str | None,
    chart: str | None,
    table: str | None,
    size: str | None,
    output: Path | None,
    *,
    block: int | None,
    as_json: bool,
) -> None:
    """Print the report of RESULT (the last); its HTML is one file that needs no network.

    With --chart or --table only that: for a paper, a slide, a spreadsheet, a data frame. Several results are
    laid beside each other: machines, dates, treatments; of one on several machines each machine's own.
    """
    from assay.store.rows import FleetRow

    if chart is not None and table is not None:
        msg = "--chart and --table are two files: take one at a time"
        raise click.UsageError(msg)
    if size is not None and chart is None:
        msg = "--size goes with --chart"
        raise click.UsageError(msg)
    default = "md" if chart is None and table is None else "csv" if chart is None else "svg"
    form = "json" if as_json else form or _by_ending(output) or default
    if chart is None and form in {"csv", "latex", "parquet"}:
        table = table or "estimates"
    store = open_store()
    if len(results) > 1:
        pieces = _of_several(store, results, form, chart=chart, table=table, size=size)
        _put(pieces, form, output)
        return
    row = store.find(results[0] if results else "last")
    if isinstance(row, FleetRow):
        pieces = _of_fleet(row, form, chart=chart, table=table, size=size)
    elif chart is not None:
        pieces = _drawn(_charts(row, block), chart, form, size)
    elif table is not None:
        pieces = _tabled(_page_table(row, table), form, row)
    else:
        pieces = _whole(row, form, block)
    _put(pieces, form, output)


def _put(pieces: Pieces, form: str, output: Path | None) -> None:
    if output is None:
        _print(pieces, form)
    else:
        write_whole(output, pieces)


def _by_ending(output: Path | None) -> str | None:
    """Return the format that a file's name ends in."""
    ending = "" if output is None else output.suffix.lower()
    return ENDINGS.get(ending, ending.removeprefix(".")) or None


def _page(row: ActivityRow, make: Any) -> Page:
    from assay.cli.outcome import as_it_stands, say_origin

    say_origin(row)
    return as_it_stands(row, make)


def _whole(row: ActivityRow, form: str, block: int | None) -> Pieces:
    from assay.activities.pages import flames_of, whole_page
    from assay.report.render.exporters import EXPORTERS

    exporter = EXPORTERS[form]
    page = _page(row, partial(whole_page, row.folder, block=block))
    made = exporter.render(page, partial(flames_of, row.folder))
    return [made] if isinstance(made, str) else made


def _charts(row: ActivityRow, block: int | None) -> Mapping[str, Any]:
    from assay.activities.pages import whole_page
    from assay.report.charts.charts import named_charts

    return named_charts(_page(row, partial(whole_page, row.folder, block=block)))


def _drawn(charts: Mapping[str, Any], name: str, form: str, size: str | None) -> Pieces:
    """Return a chart as a file; as JSON it is its Vega-Lite specification."""
    import json

    from assay.report.render.figure import FORMATS, SIZES, draw

    if name not in charts:
        raise UnknownNameError(kind="chart", name=name, known=list(charts))
    if form == "json":
        return [json.dumps(charts[name], indent=1, ensure_ascii=False, allow_nan=False), "\n"]
    _check_format(form, (*FORMATS, "json"), "a chart")
    return draw(charts[name], form, SIZES[size or "column"])


def _page_table(row: ActivityRow, name: str) -> Table:
    from assay.activities.flat import result_table

    return result_table(row.folder, name, lambda make: _page(row, make))


def _tabled(table: Table, form: str, row: ActivityRow | None) -> Pieces:
    from assay.report.render import flat_text

    _check_format(form, TABLE_FORMATS, "a table")
    if form == "parquet":
        from assay.report.render.parquet import parquet

        return parquet(table)
    if form == "latex" and table.name == "estimates" and row is not None:
        from assay.activities.pages import page_of

        return flat_text.latex_losses(_page(row, partial(page_of, row.folder)))
    if form == "latex":
        return flat_text.latex_pieces(table)
    return flat_text.csv_pieces(table) if form == "csv" else flat_text.json_pieces(table)


def _of_fleet(row: FleetRow, form: str, *, chart: str | None, table: str | None, size: str | None) -> Pieces:
    from assay.activities.fleet.pages import fleet_page
    from assay.cli.on_machines import fleet_report
    from assay.pages.flat import fleet_table
    from assay.report.charts.fleet import named_fleet_charts

    if chart is None and table is None:
        made = fleet_report(row.folder, form)
        return [made] if isinstance(made, str) else made
    page = fleet_page(row.folder, home())
    if chart is not None:
        return _drawn(named_fleet_charts(page), chart, form, size)
    return _tabled(fleet_table(page, table or ""), form, None)


def _of_several(
    store: Store, names: Sequence[str], form: str, *, chart: str | None, table: str | None, size: str | None
) -> Pieces:
    from assay.activities.pages import page_of
    from assay.activities.summaries import in_short
    from assay.pages.flat import losses_table, results_table
    from assay.pages.several import SeveralPage
    from assay.report.charts.several import named_several_charts
    from assay.report.render.json import to_json
    from assay.report.render.pdf import print_pdf
    from assay.report.render.several import html_several, markdown_several, text_several

    rows = [row for name in dict.fromkeys(names) for row in _alone(store, name)]
    page = SeveralPage(in_short(store, rows, lambda row: _page(row, partial(page_of, row.folder)), _raise))
    if chart is not None:
        return _drawn(named_several_charts(page), chart, form, size)
    if table is not None:
        tables = {"estimates": losses_table, "results": results_table}
        if table not in tables:
            raise UnknownNameError(kind="table of several results", name=table, known=list(tables))
        return _tabled(tables[table](page.results), form, None)
    writers: dict[str, Callable[[SeveralPage], str | bytes]] = {
        "html": html_several,
        "pdf": lambda page: print_pdf(html_several(page)),
        "md": markdown_several,
        "text": text_several,
        "json": to_json,
    }
    if form not in writers:
        raise UnknownNameError(kind="format of several results", name=form, known=list(writers))
    made = writers[form](page)
    return [made] if isinstance(made, str) else made


def _alone(store: Store, name: str) -> Sequence[ActivityRow]:
    """Return the result of a name; of one on several machines that of each which was begun."""
    from assay.store.rows import FleetRow

    row = store.find(name)
    if not isinstance(row, FleetRow):
        return (row,)
    return [lane for lane in store.lanes_of(row.id) if lane.ended + lane.failed]


def _raise(_: str, error: AssayError) -> None:
    raise error


def _check_format(form: str, known: Iterable[str], what: str) -> None:
    if form not in known:
        raise UnknownNameError(kind=f"format of {what}", name=form, known=list(known))


def _print(pieces: Pieces, form: str) -> None:
    if isinstance(pieces, bytes):
        document_bytes(pieces, form)
        return
    for piece in pieces:
        document(piece)
