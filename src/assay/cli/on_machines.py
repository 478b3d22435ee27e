"""``assay evaluate --on``, and what goes on with an activity on several machines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli.booked import booked
from assay.cli.output import answer, answer_json, home, print_json, say
from assay.model.activity import ActivityPlan, ActivityState
from assay.model.errors import AssayError, Exit
from assay.model.fleet import Drain, Fleet, Lane
from assay.model.units import format_seconds

if TYPE_CHECKING:
    from assay.activities.side_by_side import Outcome
    from assay.model.machines.machine import Machine
    from assay.pages.fleet import FleetPage
    from assay.scenes import Scene
    from assay.store.rows import FleetRow
    from assay.store.store import Store


def evaluate_on(
    scene: Scene,
    who: str,
    store: Store,
    *,
    command: str | None,
    drain: Drain | None,
    dry_run: bool,
    waits: bool,
    detached: bool,
    as_json: bool,
) -> int:
    """Evaluate a scene on several machines at once; return the exit code.

    Args:
        scene: What is compared, on each machine.
        who: The words that name the machines.
        store: The inventory.
        command: The user's own command line, where the scene is made from one.
        drain: How their nodes of a batch system are drained meanwhile.
        dry_run: Say what would run, and stop.
        waits: Machines that another activity measures are waited for.
        detached: Leave it to another process, which plans each lane as the machine is then.
        as_json: As JSON.
    """
    from assay.activities.fleet.conduct import create_fleet
    from assay.activities.fleet.plan import lay_out, plan_lanes
    from assay.cli.detach import resume_detached
    from assay.machines.batch.engine import QueuedError
    from assay.machines.who import chosen

    machines = [entry.machine for entry in chosen(who, store.entries())]
    _check_drain(drain, machines)
    fleet = lay_out(scene, machines, who=who, command=command, drain=drain)
    left = False  # to another process, which gives its nodes back
    try:
        found = plan_lanes(fleet, scene, home=home(), store=store)
        if all(one.value is None and not isinstance(one.error, QueuedError) for one in found):
            _say_refused(found)
            raise next(one.error for one in found if one.error is not None)
        if dry_run:
            return _tell(fleet, found, as_json=as_json)
        if detached:
            folder = create_fleet(fleet, home=home(), store=store)
            code = resume_detached(fleet.id, folder, as_json=as_json)
            left = True
            return code
        return _evaluate(fleet, found, store, waits=waits, as_json=as_json)
    finally:
        if not left:
            _give_back(machines)


def _check_drain(drain: Drain | None, machines: Sequence[Machine]) -> None:
    """Refuse to drain what is no node, is held by a job, or might lose its jobs."""
    if drain is None:
        return
    from assay.machines.batch.drained import node_of
    from assay.machines.batch.engines import engine_named, engine_of

    _, engine = engine_named(drain.engine)
    if not (drain.when_idle or engine.drains_under_jobs):
        msg = f"--drain {drain.engine} takes --when-idle: {engine.name} evicts jobs of a node that it drains"
        raise click.UsageError(msg)
    for machine in machines:
        if engine_of(machine) is not None:
            msg = f"cannot drain '{machine.name}': a job holds it, which waits in the queue like any other"
            raise AssayError(msg, hint="--drain is for machines by SSH")
        node_of(machine, engine)


def _evaluate(
    fleet: Fleet, found: Sequence[Outcome[ActivityPlan]], store: Store, *, waits: bool, as_json: bool
) -> int:
    """Run what was planned; return the exit code."""
    from assay.activities.fleet.conduct import create_fleet
    from assay.cli.progress import watcher

    with watcher() as shown:
        folder = create_fleet(fleet, home=home(), store=store)
        trials = max((len(one.value.trials) for one in found if one.value is not None), default=None)
        of = "" if trials is None else f" of {trials} trials"
        shown.step(f"activity {fleet.id}: {len(found)} lanes{of}, seed {fleet.seed}")
        plans = {one.machine: one.value for one in found if one.value is not None}
        _conduct(fleet, folder, store, shown, plans=plans, waits=waits)
    return show_fleet(folder, as_json=as_json)


def resume_on(
    folder: Path, store: Store, *, machines: Sequence[str] | None, as_json: bool, waits: bool = False
) -> int:
    """Run what is left of an activity on several machines; return the exit code.

    Args:
        folder: Its folder.
        store: The inventory.
        machines: Names of the lanes that go on; ``None`` is all.
        as_json: As JSON.
        waits: Machines that another activity measures are waited for.
    """
    from assay.cli.progress import watcher
    from assay.store.fleet import read_fleet

    fleet = read_fleet(folder)
    lanes = tuple(lane for lane in fleet.lanes if machines is None or lane.machine in machines)
    with watcher() as shown:
        _conduct(fleet, folder, store, shown, lanes=lanes, waits=waits)
    return show_fleet(folder, as_json=as_json)


def retry_on(
    folder: Path, store: Store, *, machines: Sequence[str], as_json: bool, waits: bool = False
) -> int:
    """Go on with lanes that were taken out; return the exit code.

    Args:
        folder: The activity's folder.
        store: The inventory.
        machines: Words that name those that go on; empty is all that were taken out.
        as_json: As JSON.
        waits: Machines that another activity measures are waited for.

    Raises:
        UnknownNameError: No lane is named so.
        AssayError: None was taken out.
    """
    from assay.store.fleet import read_fleet, read_stop

    fleet = read_fleet(folder)
    named = {name for who in machines for name in _lanes_named(who, fleet, store)}
    out = [lane.machine for lane in fleet.lanes if read_stop(folder, lane) is not None]
    wanted = [name for name in out if not machines or name in named]
    if not wanted:
        which = f" of {', '.join(machines)}" if machines else ""
        msg = f"cannot retry activity {fleet.id}: no machine{which} was taken out"
        raise AssayError(msg, hint=f"assay activity show {fleet.id}")
    return resume_on(folder, store, machines=wanted, waits=waits, as_json=as_json)


def _lanes_named(who: str, fleet: Fleet, store: Store) -> list[str]:
    """Return the machines of lanes that some words name; one that has left the inventory keeps its name."""
    from assay.machines.who import chosen
    from assay.model.machines.inventory import Entry
    from assay.model.machines.machine import Machine

    known = {entry.name: entry for entry in store.entries()}
    lanes = [known.get(lane.machine) or Entry(Machine(lane.machine)) for lane in fleet.lanes]
    return [entry.name for entry in chosen(who, lanes)]


def extend_on(row: FleetRow, blocks: int, store: Store, *, as_json: bool, waits: bool = False) -> int:
    """Add blocks to each lane that is finished, and run them; return the exit code.

    Args:
        row: The activity.
        blocks: Further blocks of each lane.
        store: The inventory.
        as_json: As JSON.
        waits: Machines that another activity measures are waited for.

    Raises:
        AssayError: No lane is finished.
    """
    from assay.activities.extend import FINISHED, lengthen
    from assay.cli.progress import watcher

    lanes = [lane for lane in store.lanes_of(row.id) if lane.state in FINISHED]
    if not lanes:
        msg = f"cannot extend activity {row.id}: no machine has finished"
        raise AssayError(msg, hint=f"assay activity resume {row.id}")
    with watcher() as shown:
        for lane in lanes:
            longer = partial(lengthen, lane, blocks, home=home(), store=store, watcher=shown)
            booked(longer, shown, waits=waits)
    machines = [lane.machine for lane in lanes if lane.machine is not None]
    return resume_on(row.folder, store, machines=machines, waits=waits, as_json=as_json)


def _conduct(
    fleet: Fleet,
    folder: Path,
    store: Store,
    shown: object,
    *,
    plans: dict[str, ActivityPlan] | None = None,
    lanes: tuple[Lane, ...] | None = None,
    waits: bool = False,
) -> None:
    """Run lanes to their ends; a stop is shown as any other outcome."""
    from assay.activities.fleet.conduct import FleetConductor
    from assay.activities.fleet.plan import plan_lane, scene_of

    known = plans or {}

    def plan(lane: Lane) -> ActivityPlan:
        made = known.pop(lane.machine, None)
        return made or plan_lane(fleet, lane, scene_of(fleet), home=home(), store=store)

    conductor = FleetConductor(fleet, folder, home=home(), store=store, watcher=shown, plan=plan)  # type: ignore[arg-type]
    try:
        conductor.run(lanes, waits=waits)
    except (AssayError, OSError):
        _say_resume(fleet.id)
        raise
    except KeyboardInterrupt:
        pass


def _give_back(machines: Sequence[Machine]) -> None:
    """Give back what a batch system has given and nobody needs any more."""
    from assay.activities.side_by_side import side_by_side
    from assay.machines.batch.engines import engine_of

    if not (given := [machine for machine in machines if engine_of(machine) is not None]):
        return
    from assay.machines.batch.held import release

    for one in side_by_side(given, lambda machine: release(machine, home=home())):
        if one.error is not None:
            say(f"{one.machine} is not given back yet: {one.error.message}")


def _say_resume(fleet: str) -> None:
    say(f"what was measured is kept; to go on: assay activity resume {fleet}")


def _say_refused(found: Sequence[Outcome[ActivityPlan]]) -> None:
    """Say of each machine why nothing can be run there; of a single one its error says it."""
    for one in found if len(found) > 1 else ():
        if one.error is not None:
            say(f"{one.machine}: {one.error.message}")


def _tell(fleet: Fleet, found: Sequence[Outcome[ActivityPlan]], *, as_json: bool) -> int:
    """Print what would run on each machine; return the exit code."""
    from assay.activities.plan.disk_room import disk_room
    from assay.activities.plan.prepare import plan_cost
    from assay.report.tables.tables import table

    lanes = []
    for one in found:
        plan, error = one.value, one.error
        lanes.append(
            {
                "machine": one.machine,
                "trials": None if plan is None else len(plan.trials),
                "seconds": None if plan is None else plan_cost(plan).seconds,
                "disk_bytes": None if plan is None else disk_room(plan, home()).bytes,
                "error": None if error is None else {"message": error.message, "hint": error.hint},
            }
        )
    code = max((int(one.error.exit_code) for one in found if one.error is not None), default=int(Exit.DONE))
    if as_json:
        print_json("fleet-plan", scene=fleet.scene, who=fleet.who, seed=fleet.seed, lanes=lanes)
        return code
    rows = [
        [
            one.machine,
            "-" if one.value is None else str(len(one.value.trials)),
            "-" if one.value is None else format_seconds(plan_cost(one.value).seconds),
            "" if one.error is None else one.error.message,
        ]
        for one in found
    ]
    answer(table(("machine", "trials", "takes", "why not"), rows, right={1}))
    return code


def show_fleet(folder: Path, *, as_json: bool) -> int:
    """Write and print the page of an activity on several machines; return its exit code."""
    from assay.activities.fleet.pages import fleet_page, write_fleet_page
    from assay.activities.fleet.summaries import keep_fleet_summary
    from assay.activities.keeping import at_once
    from assay.cli.stores import open_store

    page = fleet_page(folder, home())
    write_fleet_page(folder, page)
    at_once(lambda: keep_fleet_summary(open_store(), page))
    return say_fleet(page, folder, as_json=as_json)


def say_fleet(page: FleetPage, folder: Path, *, as_json: bool) -> int:
    """Print the page of an activity on several machines; return its exit code."""
    from assay.report.render.fleet import text_fleet
    from assay.report.render.json import to_json

    if as_json:
        answer_json(to_json(page))
    else:
        answer(text_fleet(page, report=folder / "report.html"))
    if page.state == ActivityState.INTERRUPTED:
        _say_resume(page.id)
    return int(
        {
            ActivityState.COMPLETE: Exit.DONE,
            ActivityState.PARTIAL: Exit.PARTIAL,
            ActivityState.FAILED: Exit.NOTHING,
        }.get(ActivityState(page.state), Exit.INTERRUPTED)
    )


def show_lanes(folder: Path, store: Store, *, as_json: bool) -> int:
    """Print how far each machine is; nothing is written."""
    from assay.activities.fleet.pages import lanes_page
    from assay.report.render.fleet import text_lanes

    page = lanes_page(folder, store)
    if as_json:
        lanes = list(map(asdict, page.lanes))
        print_json("activity", activity={"id": page.id, "state": page.state}, lanes=lanes)
    else:
        answer(text_lanes(page))
    return int(Exit.DONE)


def fleet_report(folder: Path, form: str) -> str | bytes:
    """Return the page of an activity on several machines in a format.

    Raises:
        AssayError: It is of one machine alone.
    """
    from assay.activities.fleet.pages import fleet_page
    from assay.report.render.fleet import markdown_fleet, text_fleet
    from assay.report.render.fleet_html import html_fleet
    from assay.report.render.json import to_json
    from assay.report.render.pdf import print_pdf

    writers: dict[str, Callable[[FleetPage], str | bytes]] = {
        "html": html_fleet,
        "pdf": lambda page: print_pdf(html_fleet(page)),
        "md": markdown_fleet,
        "text": text_fleet,
        "json": to_json,
    }
    if form not in writers:
        msg = f"cannot write a report of several machines as '{form}': expected {', '.join(writers)}"
        raise AssayError(msg, hint="assay report LANE, with the id of a machine's part")
    return writers[form](fleet_page(folder, home()))
