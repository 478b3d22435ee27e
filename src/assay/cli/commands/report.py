"""``assay report``: a result for people, as a file or on stdout."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli.names import RESULT
from assay.cli.output import document, home
from assay.model.errors import MissingError

if TYPE_CHECKING:
    from assay.pages.context import Page


@click.command("report", epilog="Example: assay report last --format html > report.html")
@click.argument("result", default="last", type=RESULT)
@click.option(
    "--format", "form", type=click.Choice(["html", "md", "json", "text"]), default="md", show_default=True
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
    from assay.store.store import Store

    row = Store(home()).activity(result)
    folder = row.folder
    say_origin(row)
    page = as_it_stands(row, partial(whole_page, folder, block=block))
    if form == "html" and not as_json:
        from assay.report.render.html import html_report

        text = html_report(page, flames=flames_of(folder))
    else:
        text = _render(page, "json" if as_json else form)
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


def _render(page: Page, form: str) -> str:
    if form == "md":
        from assay.report.render.markdown import markdown_report

        return markdown_report(page)
    if form == "json":
        from assay.report.render.json import to_json

        return to_json(page)
    from assay.report.render.text import text_report

    return text_report(page)
