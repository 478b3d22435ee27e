"""``assay advise``: what to change, and how to see whether it pays."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli.names import RESULT
from assay.cli.output import answer, answer_json, home, json_option, say
from assay.cli.stores import open_store
from assay.model.errors import Exit

if TYPE_CHECKING:
    from assay.store.rows import ActivityRow
    from assay.store.store import Store


@click.command("advise", epilog="Example: assay advise last")
@click.argument("result", default="last", type=RESULT)
@click.option(
    "--forecast",
    "program",
    metavar="COMMAND",
    help="Instead, say what this command line would lose in the result's guest: it is run here nine times.",
)
@json_option
def command(result: str, program: str | None, *, as_json: bool) -> int:
    """Say which settings may win the loss of RESULT back, those first that could lift most.

    Each comes from a cause of the loss, with what it could win back at most (or did, where an ablation or a
    sweep measured it), what others saw, what a change asks for and puts at risk, and the command that tests
    it.
    """
    from assay.activities.pages import explained_page
    from assay.cli.outcome import say_origin
    from assay.platforms.host.this_host import ThisHost
    from assay.report.render.advise import text_advice
    from assay.report.render.json import to_json
    from assay.results.advice.advised import advice_of
    from assay.store.record import read_activity, read_trials

    store = open_store()
    row = store.activity(result)
    say_origin(row)
    if program is not None:
        return _forecast(program, row, store, as_json=as_json)
    plan, records = read_activity(row.folder), tuple(read_trials(row.folder, damaged=[]))
    host = ThisHost(home()) if row.is_own else None  # what another site's machine can have is not known here
    advice = advice_of(plan, records, explained_page(row.folder), host, row.folder)
    if as_json:
        answer_json(to_json(advice))
    else:
        answer(text_advice(advice))
    return Exit.DONE


def _forecast(program: str, row: ActivityRow, store: Store, *, as_json: bool) -> int:
    """Profile a command here, and say what it would lose; exit code 6 where that cannot be said."""
    from assay.activities.pages import explained_page
    from assay.report.render.forecast import text_forecast
    from assay.report.render.json import to_json
    from assay.results.advice.forecast import check_forecast, forecast_of
    from assay.store.record import read_activity

    losses = explained_page(row.folder)
    check_forecast(read_activity(row.folder), losses, own=row.is_own)
    _say_host(row)
    profiled = _profiled(program, store)
    if profiled is None:
        return Exit.INTERRUPTED
    page = forecast_of(explained_page(profiled), program, losses)
    if as_json:
        answer_json(to_json(page))
    else:
        answer(text_forecast(page))
    return Exit.DONE if page.loss is not None else Exit.NOTHING


def _say_host(row: ActivityRow) -> None:
    """Say that a result was measured on a host of another name, of those that share the home."""
    from assay.model.trial import Arm
    from assay.store.record import read_trials

    trials = read_trials(row.folder, damaged=[])
    there = next((one.facts.hostname for one in trials if one.planned.arm is Arm.BASELINE), None)
    here = socket.gethostname()
    if there not in (None, here):
        say(f"result {row.id} was measured on {there}, the job is run on {here}: is that the same machine?")


def _profiled(program: str, store: Store) -> Path | None:
    """Run a command on this machine, beside itself, and return its result; ``None``: interrupted."""
    from assay.activities import evaluate
    from assay.cli.commands.evaluate_words import words_of
    from assay.cli.progress import watcher
    from assay.scenes import Wanted, alter_scene, command_scene

    scene = command_scene(words_of(program, "--forecast"), inputs=(), folder=Path.cwd())
    scene = alter_scene(scene, Wanted("local", None))
    plan = evaluate.prepare(scene, home=home(), store=store, command=program)
    with watcher() as shown:
        folder = evaluate.create(plan, home=home(), store=store)
        shown.step(f"activity {plan.id}: the profile of {program} on this machine, {len(plan.trials)} trials")
        try:
            evaluate.follow(plan, folder, home=home(), store=store, watcher=shown)
        except KeyboardInterrupt:
            return None
    return folder
