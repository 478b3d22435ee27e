"""``assay report``: a result for people, as a file or on stdout."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from assay.cli.names import FORMAT, RESULT
from assay.cli.output import document, home
from assay.model.errors import MissingError


@click.command("report", epilog="Example: assay report last --format html > report.html")
@click.argument("result", default="last", type=RESULT)
@click.option(
    "--format",
    "form",
    type=FORMAT,
    default="md",
    show_default=True,
    help="html, md, json, text, or a format that a plug-in brings.",
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
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
def command(result: str, form: str, output: Path | None, *, block: int | None, as_json: bool) -> None:
    """Print the report of RESULT; its HTML is one file that needs no network."""
    from assay.activities.pages import flames_of, whole_page
    from assay.cli.commands.evaluate import as_it_stands, say_origin
    from assay.cli.on_machines import fleet_report
    from assay.report.render.exporters import EXPORTERS
    from assay.store.store import FleetRow, Store

    exporter = EXPORTERS["json" if as_json else form]
    row = Store(home()).find(result)
    folder = row.folder
    if isinstance(row, FleetRow):
        text = fleet_report(folder, "json" if as_json else form)
    else:
        say_origin(row)
        page = as_it_stands(row, partial(whole_page, folder, block=block))
        text = exporter.render(page, partial(flames_of, folder))
    if output is None:
        document(text)
    else:
        _write(output, text)


def _write(output: Path, text: str) -> None:
    if output.is_fifo():
        msg = f"cannot write {output}: it is a pipe"
        raise MissingError(msg, hint="leave --output out, and the report is printed")
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        msg = f"cannot write {output}: {(error.strerror or 'it cannot be written').lower()}"
        raise MissingError(msg, hint="name a file in a folder that is there, with free space") from error
