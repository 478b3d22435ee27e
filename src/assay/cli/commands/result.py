"""``assay result``: what was found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli.names import RESULT
from assay.cli.output import (
    answer,
    answer_json,
    document,
    home,
    json_option,
    print_json,
    print_json_list,
    say,
)
from assay.cli.stores import open_store
from assay.model.errors import AssayError, Exit, choices

if TYPE_CHECKING:
    from assay.store.rows import FleetRow, KeptFleetSummary
    from assay.store.search import Filter
    from assay.store.store import Store

VERDICTS = ("loss", "gain", "equivalent", "not-decided", "not-measured")


@click.group("result", epilog="Example: assay result compare 3f9a last")
def command() -> None:
    """List, show, compare and import evaluation results.

    A result is the outcome of one activity, under the same id; a unique beginning of it names it, and last
    the newest that is not a run of a proof.
    """


@command.command("list", epilog="Example: assay result list --scene quick --limit 20")
@click.option("--scene", metavar="NAME", help="Only results of this scene.")
@click.option("--machine", metavar="MACHINE", help="Only results that were measured on this machine.")
@click.option("--hardware", metavar="TEXT", help="Only results with this in a host name or a processor.")
@click.option("--treatment", metavar="LABEL", help="Only results of this treatment.")
@click.option(
    "--since", type=click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M"]), help="Only results from then on, UTC."
)
@click.option("--tag", metavar="TAG", help="Only results with this tag.")
@click.option("--verdict", type=click.Choice(VERDICTS), help="Only results with a metric of this verdict.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="No more than the N newest.")
@json_option
def list_(
    limit: int | None, *, as_json: bool, since: datetime | None, verdict: str | None, **asked: Any
) -> None:
    """List all results with their headline, the newest first.

    They come from what is kept of each in short; of one without it, the records are read once. MACHINE is a
    machine's name in the inventory, or a host name, that of a guest too, as the results' own. Of an activity
    on several machines one lane that is asked for is enough. With --json each has its figures.
    """
    from assay.report.tables.tables import table
    from assay.store import quick

    names = ("id", "scene", "treatment", "state", "started", "outcome", "from", "tags")
    if quick.is_empty(home()):
        if as_json:
            print_json_list("results", "results", iter(()), fleets=[])
        else:
            answer(table(names[:-1], []))
        return
    from assay.activities.summaries import search, summaries  # what reads results is slow to start
    from assay.store.search import VERDICTS as search_words
    from assay.store.search import Filter

    store = open_store()
    since_ns = None if since is None else int(since.replace(tzinfo=UTC).timestamp()) * 10**9
    of = None if verdict is None else search_words[verdict]
    wanted = Filter(**asked, since_ns=since_ns, verdict=of)
    rows = search(store, wanted, _page_of, _left_out, limit=limit).rows
    kept = dict(summaries(store, rows, _page_of, _left_out))
    fleets = list(_fleets(store, wanted, limit))
    if wanted.scene is not None and wanted.scene not in store.scenes():
        say(f"no result of a scene '{wanted.scene}'{choices(wanted.scene, store.scenes())}")
    if as_json:
        listed = [row for row in rows if row.id in kept]
        results = _all_figures(store, listed, kept)
        print_json_list("results", "results", results, fleets=[_fleet_words(*one) for one in fleets])
        return
    tags = store.tags()
    lines = [
        [
            row.id,
            row.scene,
            row.treatment,
            kept[row.id].state,
            kept[row.id].started,
            kept[row.id].headline,
            row.controller or row.origin or "-",
            ", ".join(tags.get(row.id, ())),
        ]
        for row in rows
        if row.id in kept
    ]
    lines += ([*_fleet_cells(*one), ""] for one in fleets)
    lines.sort(key=lambda cells: cells[4], reverse=True)
    shown = len(names) - (not any(cells[-1] for cells in lines[:limit]))
    answer(table(names[:shown], [cells[:shown] for cells in lines[:limit]]))


def _page_of(row: Any) -> Any:
    """Return the page of a result as it stands now."""
    from assay.activities.pages import page_of
    from assay.cli.outcome import as_it_stands

    return as_it_stands(row, partial(page_of, row.folder))


def _left_out(activity: str, error: AssayError) -> None:
    say(f"warning: result {activity} is left out: {error.message}")


AT_ONCE = 200
"""Results whose figures are in memory at one time."""


def _all_figures(store: Any, rows: Sequence[Any], kept: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield results in short as JSON, with what an earlier version listed at its top."""
    import json

    names = ("id", "scene", "title", "state", "started", "ended", "baseline", "treatment", "accelerator")
    for start in range(0, len(rows), AT_ONCE):
        some = rows[start : start + AT_ONCE]
        ids = [row.id for row in some]
        contents, tags = store.contents(ids), store.tags(ids)
        for row in some:
            if row.id not in contents:  # another controller has yet to keep it
                continue
            content = json.loads(contents[row.id])
            result = content.pop("result")
            top = {name: result[name] for name in names} | {"state": kept[row.id].state}
            where = {"origin": row.origin, "controller": row.controller}
            yield {**top, **content, **where, "tags": tags.get(row.id, ())}


def _fleets(store: Store, wanted: Filter, limit: int | None) -> Iterator[tuple[FleetRow, KeptFleetSummary]]:
    """Yield the activities on several machines in short; one that cannot be read hides no other."""
    rows = store.search_fleets(wanted, limit=limit)
    if rows:
        from assay.activities.fleet.summaries import fleet_summaries  # where there is one

        yield from fleet_summaries(store, rows, _left_out)


def _fleet_cells(row: FleetRow, kept: KeptFleetSummary) -> list[str]:
    who = f"{row.lanes} machines: {row.who}"
    return [row.id, kept.scene, who, kept.state, _created(row), kept.headline, row.controller or "-"]


def _fleet_words(row: FleetRow, kept: KeptFleetSummary) -> dict[str, Any]:
    short = {"id": row.id, "scene": kept.scene, "title": row.title, "state": kept.state}
    told = {"created": _created(row), "who": row.who, "headline": kept.headline}
    return {**short, **told, "machines": row.lanes, "controller": row.controller}


def _created(row: FleetRow) -> str:
    return datetime.fromtimestamp(row.created_ns / 1e9, UTC).isoformat(timespec="seconds")


@command.command("show", epilog="Example: assay result show last")
@click.argument("result", default="last", type=RESULT)
@json_option
def show(result: str, *, as_json: bool) -> Exit:
    """Show a result: one line a metric, the doubts, and how it was measured.

    Exit code 6 where nothing was measured.
    """
    from assay.activities.rows import take_up_records
    from assay.cli.outcome import say_origin, show_outcome
    from assay.store.rows import FleetRow

    store = open_store()
    take_up_records(store)
    row = store.find(result)
    if isinstance(row, FleetRow):
        from assay.activities.fleet.pages import fleet_page  # heavy, and other results need it not
        from assay.cli.on_machines import say_fleet

        code = say_fleet(fleet_page(row.folder, home()), row.folder, as_json=as_json)
        return Exit.NOTHING if code == Exit.NOTHING else Exit.DONE
    say_origin(row)
    outcome = show_outcome(row.folder, as_json=as_json, saved=row)
    return Exit.NOTHING if outcome == Exit.NOTHING or row.ended == 0 else Exit.DONE


@command.command("scene", epilog="Example: assay result scene last --output again.yaml")
@click.argument("result", default="last", type=RESULT)
@click.option(
    "--output",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    help="Write to this file instead of stdout.",
)
@json_option
def scene(result: str, output: Path | None, *, as_json: bool) -> None:
    """Print the scene of a result as it was measured, to be measured again in the same order.

    It has all that was asked for, the seed, and its inputs as they were kept then. Of an activity on several
    machines: assay evaluate FILE --on WHO.
    """
    from assay.activities.plan.again import fleet_scene_again, scene_again
    from assay.cli.whole_file import write_whole
    from assay.store.fleet import lane_folder, read_fleet
    from assay.store.record import read_activity
    from assay.store.rows import FleetRow

    row = open_store().find(result)
    if isinstance(row, FleetRow):
        fleet = read_fleet(row.folder)
        folders = (lane_folder(row.folder, lane) for lane in fleet.lanes)
        first = next((folder for folder in folders if (folder / "activity.json").exists()), None)
        if first is None:
            msg = f"cannot write the scene of activity {row.id}: no machine of it was planned yet"
            raise AssayError(msg, hint=f"assay activity resume {row.id}")
        text = fleet_scene_again(fleet, read_activity(first), first)
    else:
        text = scene_again(read_activity(row.folder), row.folder)
    if output is not None:
        write_whole(output, [text])
    if as_json:
        print_json("result-scene", result=row.id, text=text)
    elif output is None:
        document(text)


@command.command("tag", epilog="Example: assay result tag last kernel-6.1.0-28 before-upgrade")
@click.argument("result", type=RESULT)
@click.argument("tags", nargs=-1, metavar="[TAG]...")
@click.option("--remove", multiple=True, metavar="TAG", help="Take a tag back; may be repeated.")
@json_option
def tag(result: str, tags: tuple[str, ...], remove: tuple[str, ...], *, as_json: bool) -> None:
    """Give a result tags to find it by, or list those that it has.

    A tag is a word of your own: letters, digits and . _ : + -, at most 64, at most 32 a result. It lies with
    the records, and goes along where they are imported. Of an activity on several machines each lane gets it.
    """
    from assay.store.rows import FleetRow

    store = open_store()
    row = store.find(result)
    rows = store.lanes_of(row.id) if isinstance(row, FleetRow) else (row,)
    if tags or remove:
        found = {tag for one in rows for tag in store.tag(one, add=tags, remove=remove)}
    else:
        found = {tag for its in store.tags([one.id for one in rows]).values() for tag in its}
    if as_json:
        print_json("result-tags", result=row.id, tags=sorted(found))
    else:
        answer("\n".join(sorted(found)) or "it has no tags")


@command.command("compare", epilog="Example: assay result compare 3f9a last")
@click.argument("a", type=RESULT)
@click.argument("b", type=RESULT)
@json_option
def compare(a: str, b: str, *, as_json: bool) -> None:
    """Compare the losses of result B with those of result A, metric by metric."""
    from assay.activities.compared import compared
    from assay.store import quick

    store = quick.named(home(), (a, b)) or open_store()
    page = compared(store, store.activity(a), store.activity(b))
    if as_json:
        from assay.report.render.json import to_json

        answer_json(to_json(page))
    else:
        from assay.report.render.compare import text_comparison

        answer(text_comparison(page))


@command.command("import", epilog="Example: assay result import /mnt/backup/activities/3f9ac012")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--link", is_flag=True, help="Leave the folder where it is; it is read from there.")
@json_option
def import_(folder: Path, *, link: bool, as_json: bool) -> None:
    """Take in the result of another home: its FOLDER is copied into this one.

    What is imported can be shown, compared and explained, never resumed, extended, stopped or proved: its
    commands are those of who made it. A folder of this home itself (activities/ID) has its rows in the
    database rebuilt from its records. Of an activity on several machines of another home each lane is taken
    in by itself.
    """
    from assay.store.fleet import is_fleet

    store = open_store()
    take_in = store.import_fleet if is_fleet(folder) else partial(store.import_folder, link=link)
    row = store.find(take_in(folder.absolute()))
    if as_json:
        origin = getattr(row, "origin", None)
        print_json("result-import", result=row.id, folder=str(row.folder), origin=origin)
    else:
        say(f"result {row.id} is in {row.folder}; see it with: assay result show {row.id}")
