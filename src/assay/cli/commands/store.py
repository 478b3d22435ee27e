"""``assay store``: the database, which lists what the records say."""

from __future__ import annotations

import time
from pathlib import Path

import click

from assay.cli.observing import Seconds
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
@click.option(
    "--replace",
    is_flag=True,
    help="Take the place of a lost home of that name, whose rows are removed there.",
)
@json_option
def move(address: str, controller: str | None, *, replace: bool, as_json: bool) -> None:
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
    moved = carry(home(), target, replace=replace)
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


@command.command("backup", epilog="Example: assay store backup /backup/assay-2026-11-28.tar.gz")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@json_option
def backup(file: Path, *, as_json: bool) -> None:
    """Write all that cannot be made anew to one FILE: records, machines, facts, the A/A history of the site.

    Activities may run meanwhile: what they had then is in it. Images of guests are not: they are built anew.
    Results imported by --link lie elsewhere and are not in it, which is said.
    """
    from assay.cli.progress import watcher
    from assay.model.units import format_bytes
    from assay.store.backup import backup as write

    with watcher() as shown:
        made = write(home(), file.absolute(), lambda share: shown.step("writing the backup", fraction=share))
    for folder in made.linked:
        say(f"warning: {folder} is not in it: it was imported by a link")
    if as_json:
        linked = [str(folder) for folder in made.linked]
        print_json("store-backup", file=str(made.file), files=made.files, bytes=made.bytes_, linked=linked)
    else:
        answer(f"{made.file}: {made.files} files, {format_bytes(made.bytes_)}")


@command.command("restore", epilog="Example: assay store restore /backup/assay-2026-11-28.tar.gz")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@json_option
def restore(file: Path, *, as_json: bool) -> Exit:
    """Make a new home of a backup FILE: set ASSAY_HOME to a folder that is empty, or not there yet.

    The rows of the database are made of the records. Exit code 5 when an activity's folder cannot be read: it
    is left out.
    """
    from assay.cli.progress import watcher
    from assay.store.backup import restore as make

    with watcher() as shown:
        made = make(home(), file.absolute(), lambda share: shown.step("reading the backup", fraction=share))
    left_out = [{"folder": str(folder), "reason": reason} for folder, reason in made.left_out]
    for one in left_out:
        say(f"warning: {one['folder']} is left out: {one['reason']}")
    if as_json:
        print_json("store-restore", activities=made.activities, left_out=left_out, machines=made.machines)
    else:
        answer(f"{home()} has {len(made.activities)} activities and {made.machines} machines of the backup")
    return Exit.PARTIAL if left_out else Exit.DONE


@command.command("tidy", epilog="Example: assay store tidy --keep '90 d'")
@click.option("--keep", type=Seconds(), required=True, help="How long results stay whole, like '90 d'.")
@click.option("--dry-run", is_flag=True, help="Only say what it would free.")
@json_option
def tidy(keep: float, *, dry_run: bool, as_json: bool) -> Exit:
    """Thin the series of older results (samples.csv and its like), of this home and imported: fewer moments,
    each as it was measured.

    Losses, intervals and everything else in the records of trials stay as they are. Exit code 5 when a folder
    cannot be read or written: the others are thinned.
    """
    from assay.cli.progress import watcher
    from assay.cli.stores import open_store
    from assay.model.activity import ActivityState
    from assay.model.units import format_bytes
    from assay.platforms.claims import is_live
    from assay.store.tidy import Tidied, tidy_activity

    finished = (ActivityState.COMPLETE, ActivityState.PARTIAL, ActivityState.FAILED)
    before = time.time_ns() - int(keep * 1e9)
    rows = [
        row
        for row in open_store().activities(*finished)
        if row.controller is None and home() in row.folder.parents and (row.ended_ns or before) < before
    ]
    done, failed = Tidied(0, 0), list[str]()
    with watcher() as shown:
        for number, row in enumerate(rows):
            shown.step("thinning the series of older results", fraction=number / len(rows))
            if is_live(home(), row.id):
                continue
            try:
                done += tidy_activity(row.folder, dry=dry_run)
            except OSError as error:
                failed.append(row.id)
                say(f"warning: {row.folder} is left as it is: {error.strerror or error}: {error.filename}")
    if as_json:
        print_json(
            "store-tidy", results=len(rows), files=done.files, freed_bytes=done.freed_bytes, failed=failed
        )
    else:
        would = "would free" if dry_run else "freed"
        answer(f"{would} {format_bytes(done.freed_bytes)} in {done.files} series of {len(rows)} results")
    return Exit.PARTIAL if failed else Exit.DONE


def _require_quiet(act: str) -> None:
    """Refuse to change the database below an activity.

    Raises:
        MissingError: One is running.
    """
    from assay.platforms.claims import live_activities

    if running := live_activities(home()):
        msg = f"cannot {act}: activity {running[0]} is running and writes to it"
        raise MissingError(msg, hint=f"wait for it, or: assay activity stop {running[0]}")
