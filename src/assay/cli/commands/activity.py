"""``assay activity``: what runs and what ran."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

import click

from assay.cli.detach import detach_option, go_on_detached
from assay.cli.names import WHO
from assay.cli.output import answer, answer_line, home, json_option, print_json, say
from assay.cli.stores import open_store
from assay.model.errors import AssayError, Exit

ACTIVITY = click.argument("activity", default="last")
WAIT = click.option(
    "--wait",
    "waits",
    is_flag=True,
    help="Wait for machines that another activity measures, instead of refusing.",
)


@click.group("activity", epilog="Example: assay activity resume last")
def command() -> None:
    """List, show, resume, extend and stop evaluation activities.

    ACTIVITY is an id, a unique beginning of one, or last (the newest, the run of a proof too; to resume, to
    extend and to stop, never one that was imported).
    """


@command.command("list", epilog="Example: assay activity list")
@json_option
def list_(*, as_json: bool) -> None:
    """List all activities, the newest first; of one on several machines its lanes are in 'activity show'."""
    from assay.report.tables.tables import table
    from assay.store import quick

    names = ("id", "scene", "treatment", "state", "trials", "ended", "failed", "created")
    if quick.is_empty(home()):
        if as_json:
            print_json("activities", activities=[])
        else:
            answer(table((*names, "from"), [], right={4, 5, 6}))
        return
    from assay.activities.rows import take_up_records  # what reads activities is slow to start

    store = open_store()
    take_up_records(store)
    rows = [_content(row) for row in store.listed()]
    rows = sorted([*rows, *map(_fleet_content, store.fleets())], key=_made_ns, reverse=True)
    if as_json:
        print_json("activities", activities=rows)
        return
    cells = [[*(str(row[name]) for name in names), row["controller"] or row["origin"] or "-"] for row in rows]
    answer(table((*names, "from"), cells, right={4, 5, 6}))


def _made_ns(row: dict[str, Any]) -> int:
    return int(row.get("imported_ns") or row["created_ns"])


def _fleet_content(row: Any) -> dict[str, Any]:
    """Return an activity on several machines as an entry of the list: its trials are those of all lanes."""
    lanes = open_store().lanes_of(row.id)
    sums = {name: sum(getattr(lane, name) for lane in lanes) for name in ("trials", "ended", "failed")}
    word = f"{row.lanes} machine{'' if row.lanes == 1 else 's'}: {row.who}"
    return {**_stands(row), **sums, "treatment": word, "origin": None}


@command.command("show", epilog="Example: assay activity show last")
@ACTIVITY
@json_option
def show(activity: str, *, as_json: bool) -> int:
    """Show the trials of an activity, in their order; of one on several machines each machine."""
    from assay.activities.pages import page_of
    from assay.activities.rows import take_up_records
    from assay.cli.on_machines import show_lanes
    from assay.report.tables.tables import table
    from assay.store.rows import FleetRow

    store = open_store()
    take_up_records(store)
    row = store.find(activity, runs=True)
    if isinstance(row, FleetRow):
        return show_lanes(row.folder, store, as_json=as_json)
    page = page_of(row.folder, sampled=False)
    if as_json:
        print_json("activity", activity=_content(row), trials=[asdict(point) for point in page.trials])
        return 0
    origin = "" if row.source is None else f"; {row.source}"
    answer_line(
        f"activity {row.id}: {row.title}; {row.state}, {row.ended} of {row.trials} trials ended, "
        f"{row.failed} failed{origin}"
    )
    names = ("index", "block", "arm", "workload", "state", "exit_code", "wall_s", "cause")
    answer(
        table(
            names,
            [[_cell(getattr(point, name)) for name in names] for point in page.trials],
            right={0, 1, 5, 6},
        )
    )
    return 0


@command.command("follow", epilog="Example: assay activity follow last")
@ACTIVITY
@json_option
def follow(activity: str, *, as_json: bool) -> None:
    """Show how an activity goes on, until it ends or is stopped; each machine, its trial and what is left.

    Of an activity on one machine, or a LANE, each metric has a line with its loss so far. Ctrl-C ends the
    view, not the activity. With --json it says how it stands now, once, with each metric of each machine.
    """
    from assay.cli.follow import follow as show_going

    row = open_store().find(activity, runs=True)
    try:
        show_going(row.folder, as_json=as_json)
    except KeyboardInterrupt:
        say(f"the activity goes on; to end it: assay activity stop {row.id}")


@command.command("resume", epilog="Example: assay activity resume last")
@ACTIVITY
@WAIT
@detach_option
@json_option
def resume(activity: str, *, waits: bool, detached: bool, as_json: bool) -> int:
    """Finish the rest of an activity's plan, in the same order."""
    from assay.cli.on_machines import resume_on
    from assay.cli.progress import watcher
    from assay.store.rows import FleetRow

    store = open_store()
    row = store.find(activity, runs=True, own=True)
    if detached:
        return _detached(row, "resume", *_waiting(waits=waits), as_json=as_json)
    if isinstance(row, FleetRow):
        return resume_on(row.folder, store, machines=None, waits=waits, as_json=as_json)
    with watcher() as shown:
        stopped = _go_on(row, store, shown, waits=waits)
    return _shown(row, as_json=as_json, stopped=stopped)


@command.command("retry", epilog="Example: assay activity retry last")
@ACTIVITY
@click.option(
    "--on", "machines", metavar="WHO", type=WHO, multiple=True, help="Only these machines; may be repeated."
)
@WAIT
@detach_option
@json_option
def retry(activity: str, machines: tuple[str, ...], *, waits: bool, detached: bool, as_json: bool) -> int:
    """Go on with the machines of an activity on several that were taken out."""
    from assay.cli.on_machines import retry_on
    from assay.store.rows import FleetRow

    store = open_store()
    row = store.find(activity, own=True)
    if not isinstance(row, FleetRow):
        msg = f"cannot retry activity {row.id}: it is on one machine"
        raise AssayError(msg, hint=f"assay activity resume {row.id}")
    if detached:
        words = (*(f"--on={name}" for name in machines), *_waiting(waits=waits))
        return _detached(row, "retry", *words, as_json=as_json)
    return retry_on(row.folder, store, machines=machines, waits=waits, as_json=as_json)


@command.command("extend", epilog="Example: assay activity extend last --blocks 6")
@ACTIVITY
@click.option("--blocks", type=click.IntRange(1, 1000), required=True, help="Further blocks.")
@WAIT
@detach_option
@json_option
def extend(activity: str, *, blocks: int, waits: bool, detached: bool, as_json: bool) -> int:
    """Go on with a finished activity: run further blocks, all of them.

    Neither its goal nor its time budget ends them earlier. Once the first has been measured its verdicts come
    from intervals that hold however often one looks; what it said before is kept. Of an activity on several
    machines each that is finished gets as many.
    """
    from functools import partial

    from assay.activities.extend import lengthen
    from assay.cli.booked import booked
    from assay.cli.on_machines import extend_on
    from assay.cli.progress import watcher
    from assay.store.rows import FleetRow

    store = open_store()
    row = store.find(activity, own=True)
    if detached:
        return _detached(row, "extend", f"--blocks={blocks}", *_waiting(waits=waits), as_json=as_json)
    if isinstance(row, FleetRow):
        return extend_on(row, blocks, store, waits=waits, as_json=as_json)
    with watcher() as shown:
        longer = partial(lengthen, row, blocks, home=home(), store=store, watcher=shown)
        booked(longer, shown, waits=waits)
        stopped = _go_on(store.activity(row.id), store, shown, waits=waits)
    return _shown(row, as_json=as_json, stopped=stopped)


def _waiting(*, waits: bool) -> tuple[str, ...]:
    return ("--wait",) if waits else ()


def _detached(row: Any, act: str, *options: str, as_json: bool) -> int:
    """Let another process go on with an activity; return the exit code."""
    from assay.activities.rows import refuse_imported
    from assay.store.rows import FleetRow

    if not isinstance(row, FleetRow):
        refuse_imported(row, act)
    return go_on_detached(("activity", act, row.id, *options), row.id, row.folder, as_json=as_json)


def _go_on(row: Any, store: Any, shown: Any, *, waits: bool = False) -> bool:
    """Run what is left of an activity; tell whether it was stopped."""
    from assay.activities import evaluate
    from assay.cli.booked import booked
    from assay.cli.outcome import say_resume

    try:
        booked(lambda: evaluate.resume(row, home=home(), store=store, watcher=shown), shown, waits=waits)
    except (AssayError, OSError):
        if row.is_own:
            say_resume(row.id)
        raise
    except KeyboardInterrupt:
        return True  # what is finished is shown as any other outcome
    return False


def _shown(row: Any, *, as_json: bool, stopped: bool) -> int:
    """Show what an activity came to; further blocks of which none has been measured are still to be run."""
    from assay.activities.extend import waits
    from assay.cli.outcome import say_resume, show_outcome

    code = show_outcome(row.folder, as_json=as_json)
    if not (stopped and waits(row.folder)):
        return code
    say_resume(row.id)
    return int(Exit.INTERRUPTED)


@command.command("stop", epilog="Example: assay activity stop last")
@ACTIVITY
@json_option
def stop(activity: str, *, as_json: bool) -> None:
    """Stop a running activity; what is finished is kept and the rest can be resumed."""
    from assay.activities import evaluate

    row = open_store().find(activity, runs=True, own=True)
    evaluate.stop(row, home=home())
    if as_json:
        print_json("activity-stop", activity=row.id)
    else:
        say(f"activity {row.id} is asked to stop; to go on later: assay activity resume {row.id}")


def _content(row: Any) -> dict[str, Any]:
    return _stands(row, imported=not row.is_own)


def _stands(row: Any, *, imported: bool = False) -> dict[str, Any]:
    """Return a row as JSON, with where it stands now."""
    state = str(row.state)
    if state == "running" and row.controller is None:
        from assay.platforms.claims import is_live

        state = state if not imported and is_live(home(), row.id) else "interrupted"
    created = datetime.fromtimestamp(row.created_ns / 1e9, UTC).isoformat(timespec="seconds")
    return {**vars(row), "folder": str(row.folder), "state": state, "created": created}


def _cell(value: Any) -> str:
    return "-" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value)
