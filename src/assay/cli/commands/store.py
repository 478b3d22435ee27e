"""``assay store``: the database, which lists what the records say."""

from __future__ import annotations

import click

from assay.cli.output import answer, home, json_option, print_json, say
from assay.model.errors import Exit, MissingError


@click.group("store", epilog="Example: assay store rebuild")
def command() -> None:
    """Make the database anew from the records."""


@command.command("rebuild", epilog="Example: assay store rebuild")
@json_option
def rebuild(*, as_json: bool) -> Exit:
    """Make the database anew from activity.json and trial.json of every activity; the old one is kept beside
    it.

    Machines are taken over where the old database still tells them; else they are to be added again. Exit
    code 5 when an activity's folder cannot be read: it is left out.
    """
    from assay.platforms.claims import live_activities
    from assay.store.rebuild import rebuild as make

    if running := live_activities(home()):
        msg = f"cannot rebuild the database: activity {running[0]} is running and writes to it"
        raise MissingError(msg, hint=f"wait for it, or: assay activity stop {running[0]}")
    made = make(home())
    left_out = [{"folder": str(folder), "reason": reason} for folder, reason in made.left_out]
    for one in left_out:
        say(f"warning: {one['folder']} is left out: {one['reason']}")
    if made.machines is None:
        say("warning: the machines of the old database cannot be read; add them again: assay machine add")
    if as_json:
        kept = None if made.kept is None else str(made.kept)
        print_json(
            "store-rebuild", activities=made.activities, left_out=left_out, kept=kept, machines=made.machines
        )
    else:
        old = f"; the old one is {made.kept}" if made.kept else ""
        answer(f"the database is made anew of {len(made.activities)} activities{old}")
    return Exit.PARTIAL if left_out else Exit.DONE
