"""``assay store``: the database, which lists what the records say."""

from __future__ import annotations

import click

from assay.cli.output import answer, home, json_option, print_json, say
from assay.model.errors import Exit, MissingError


@click.group("store", epilog="Example: assay store rebuild")
def command() -> None:
    """Make the database anew from the records, move it, and keep what was measured safe."""


@command.command("rebuild", epilog="Example: assay store rebuild")
@json_option
def rebuild(*, as_json: bool) -> Exit:
    """Make the database anew from activity.json and trial.json of every activity; the old one is kept beside
    it.

    Machines are taken over where the old database still tells them; else they are to be added again. On a
    server the rows of this home are made anew, and no others. Exit code 5 when an activity's folder cannot be
    read: it is left out.
    """
    from assay.store.rebuild import rebuild as make

    _require_quiet("rebuild the database")
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


@command.command("move", epilog="Example: assay store move postgresql://assay@db.example.org/assay")
@click.argument("address", metavar="ADDRESS")
@click.option(
    "--controller", metavar="NAME", help="What this home is called there (default: the name of this host)."
)
@json_option
def move(address: str, controller: str | None, *, as_json: bool) -> None:
    """Move the database to a server of PostgreSQL, or back into a file of the home: ADDRESS `file`.

    Records stay where they are. Several homes may use one database: machines are then known to all of them,
    and every list has what each has measured. The database on the server has to be there and to belong to the
    user in the address. Passwords stand in ~/.pgpass, never in an address.
    """
    import socket

    from assay.store.chosen import Chosen, check_controller, parsed
    from assay.store.move import move as carry

    _require_quiet("move the database")
    target = None
    if address != "file":
        parsed(address)
        target = Chosen(address, check_controller(controller or socket.gethostname()))
    moved = carry(home(), target)
    for one in moved.left_out:
        say(f"result {one} stays with the controller that has measured it")
    kept = None if moved.kept is None else str(moved.kept)
    if as_json:
        print_json(
            "store-move",
            database=moved.place,
            activities=moved.activities,
            machines=moved.machines,
            left_out=moved.left_out,
            kept=kept,
        )
        return
    old = f"; the old file is {kept}" if kept else ""
    answer(f"the database is {moved.place} now, with {moved.activities} activities of this home{old}")


def _require_quiet(act: str) -> None:
    """Refuse to change the database below an activity.

    Raises:
        MissingError: One is running.
    """
    from assay.platforms.claims import live_activities

    if running := live_activities(home()):
        msg = f"cannot {act}: activity {running[0]} is running and writes to it"
        raise MissingError(msg, hint=f"wait for it, or: assay activity stop {running[0]}")
