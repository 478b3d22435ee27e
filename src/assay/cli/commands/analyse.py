"""``assay analyse``: the same analysis for data that were measured elsewhere."""

from __future__ import annotations

import sys
from typing import Any

import click

from assay.cli.output import answer, answer_json, json_option, say
from assay.model.units import parse_share


class ShareParam(click.ParamType):  # type: ignore[type-arg] # generic in newer versions of click
    """A share of the whole: ``1 %``, ``1%`` or ``0.01``."""

    name = "SHARE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the share as a fraction."""
        try:
            share = parse_share(value)
        except ValueError:
            share = -1.0
        if not 0 <= share < 1:
            self.fail(
                f"expected a share from 0 % to below 100 %, like '1 %' or 0.01, got '{value}'", param, ctx
            )
        return share


class Only(click.ParamType):  # type: ignore[type-arg] # generic in newer versions of click
    """A column and a word in it: ``metric=wall_time``."""

    name = "COLUMN=WORD"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        """Return the column and the word."""
        if isinstance(value, tuple):
            return value
        column, mark, word = str(value).partition("=")
        if not (column.strip() and mark):
            self.fail(f"expected a column and a word in it, like metric=wall_time, got '{value}'", param, ctx)
        return column.strip(), word.strip()


@click.command("analyse", epilog="Example: assay analyse examples/runs.csv --margin '1 %'")
@click.argument("file", type=click.Path(readable=False))
@click.option(
    "--kind",
    type=click.Choice(["time", "rate"]),
    default="time",
    show_default=True,
    help="What the values are: times are better lower, rates higher.",
)
@click.option("--baseline", metavar="ARM", help="Arm that losses are measured against.")
@click.option(
    "--margin", type=ShareParam(), default="1 %", show_default=True, help="Loss that does not matter to you."
)
@click.option(
    "--only",
    metavar="COLUMN=WORD",
    type=Only(),
    multiple=True,
    help="Only rows with this word in a column of the file; of one column repeated, any of the words.",
)
@json_option
def command(
    file: str,
    kind: str,
    baseline: str | None,
    margin: float,
    only: tuple[tuple[str, str], ...],
    *,
    as_json: bool,
) -> int:
    """Analyse what was measured elsewhere: losses with intervals and verdicts.

    FILE is CSV with the columns block, arm and value, and where known those of docs/analyse.md: session,
    machine, events, order (when the run was) and more. The baseline is --baseline, or an arm called baseline,
    host, physical, pm or bare-metal. Exit code 0 when every treatment has a loss, whatever the verdict; 6
    when no block holds both arms.
    """
    from assay.results.analysis.analyse import analyse_table, exit_of

    wanted: dict[str, set[str]] = {}
    for column, word in only:
        wanted.setdefault(column, set()).add(word)
    page = analyse_table(file, kind=kind, baseline=baseline, margin=margin, only=wanted)
    for note in page.notes:
        say(f"note: {note}")
    colour = sys.stdout.isatty()
    if as_json:
        from assay.report.render.json import to_json

        answer_json(to_json(page))
    else:
        from assay.report.render.analysis_text import text_analysis

        answer(text_analysis(page, colour=colour), coloured=colour)
    return int(exit_of(page))
