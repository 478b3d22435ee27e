"""``assay advise``: what to change, and how to see whether it pays."""

from __future__ import annotations

import click

from assay.cli.names import RESULT
from assay.cli.output import answer, answer_json, home, json_option
from assay.cli.stores import open_store


@click.command("advise", epilog="Example: assay advise last")
@click.argument("result", default="last", type=RESULT)
@json_option
def command(result: str, *, as_json: bool) -> None:
    """Say which settings may win the loss of RESULT back, those first that could lift most.

    Each comes from a cause of the loss, with what it could win back at most (or did, where an ablation or a
    sweep measured it), what others saw, what a change asks for and puts at risk, and the command that tests
    it.
    """
    from assay.activities.pages import explained_page
    from assay.cli.commands.evaluate import say_origin
    from assay.platforms.host.this_host import ThisHost
    from assay.report.render.advise import text_advice
    from assay.report.render.json import to_json
    from assay.results.advice.advised import advice_of
    from assay.store.record import read_activity, read_trials

    row = open_store().activity(result)
    say_origin(row)
    plan, records = read_activity(row.folder), tuple(read_trials(row.folder, damaged=[]))
    advice = advice_of(plan, records, explained_page(row.folder), ThisHost(home()), row.folder)
    if as_json:
        answer_json(to_json(advice))
    else:
        answer(text_advice(advice))
