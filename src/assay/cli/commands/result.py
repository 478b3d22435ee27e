"""``assay result``: what was found."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli.names import RESULT
from assay.cli.output import answer, answer_json, home, json_option, print_json, say
from assay.model.errors import AssayError, Exit

if TYPE_CHECKING:
    from assay.pages.fleet import FleetPage


@click.group("result", epilog="Example: assay result compare 3f9a last")
def command() -> None:
    """List, show, compare and import evaluation results.

    A result is the outcome of one activity, under the same id; a unique beginning of it names it, and last
    the newest that is not a run of a proof.
    """


@command.command("list", epilog="Example: assay result list")
@json_option
def list_(*, as_json: bool) -> None:
    """List all results with their headline, the newest first."""
    from assay.activities.pages import page_of
    from assay.cli.commands.evaluate import as_it_stands
    from assay.report.tables.fleet import fleet_headline
    from assay.report.tables.tables import table
    from assay.report.tables.words import headline

    pages, origins, store = [], [], _store()
    for row in (one for one in store.activities() if one.fleet is None):
        try:
            pages.append(as_it_stands(row, partial(page_of, row.folder, sampled=False)))
            origins.append(row.origin)
        except AssayError as error:  # one damaged or absent folder must not hide the others
            say(f"warning: result {row.id} is left out: {error.message}")
    fleets = list(_fleets(store))
    if as_json:
        fields = ("id", "scene", "title", "state", "started", "ended", "baseline", "treatment", "accelerator")
        rows = [{name: getattr(page.result, name) for name in fields} for page in pages]
        rows = [{**row, "origin": origin} for row, origin in zip(rows, origins, strict=True)]
        print_json("results", results=rows, fleets=[_fleet_words(page) for page in fleets])
        return
    lines = [
        [
            p.result.id,
            p.result.scene,
            p.result.treatment,
            p.result.state,
            p.result.started,
            headline(p),
            "-" if origin is None else origin,
        ]
        for p, origin in zip(pages, origins, strict=True)
    ]
    lines += [
        [
            page.id,
            page.scene,
            f"{len(page.lanes)} machines: {page.who}",
            page.state,
            page.created,
            fleet_headline(page),
            "-",
        ]
        for page in fleets
    ]
    lines.sort(key=lambda cells: cells[4], reverse=True)
    answer(table(("id", "scene", "treatment", "state", "started", "outcome", "imported from"), lines))


def _fleets(store: Any) -> Iterator[FleetPage]:
    """Yield the pages of activities on several machines; one that cannot be read hides no other."""
    from assay.activities.fleet.pages import fleet_page

    for row in store.fleets():
        try:
            yield fleet_page(row.folder, home())
        except AssayError as error:
            say(f"warning: result {row.id} is left out: {error.message}")


def _fleet_words(page: FleetPage) -> dict[str, Any]:
    fields = ("id", "scene", "title", "state", "created", "who")
    return {**{name: getattr(page, name) for name in fields}, "machines": len(page.lanes)}


@command.command("show", epilog="Example: assay result show last")
@click.argument("result", default="last", type=RESULT)
@json_option
def show(result: str, *, as_json: bool) -> Exit:
    """Show a result: one line a metric, the doubts, and how it was measured.

    Exit code 6 where nothing was measured.
    """
    from assay.activities.fleet.pages import fleet_page
    from assay.activities.rows import take_up_records
    from assay.cli.commands.evaluate import say_origin, show_outcome
    from assay.cli.on_machines import say_fleet
    from assay.store.store import FleetRow

    store = _store()
    take_up_records(store)
    row = store.find(result)
    if isinstance(row, FleetRow):
        code = say_fleet(fleet_page(row.folder, home()), row.folder, as_json=as_json)
        return Exit.NOTHING if code == Exit.NOTHING else Exit.DONE
    say_origin(row)
    outcome = show_outcome(row.folder, as_json=as_json, saved=row)
    return Exit.NOTHING if outcome == Exit.NOTHING or row.ended == 0 else Exit.DONE


@command.command("compare", epilog="Example: assay result compare 3f9a last")
@click.argument("a", type=RESULT)
@click.argument("b", type=RESULT)
@json_option
def compare(a: str, b: str, *, as_json: bool) -> None:
    """Compare the losses of result B with those of result A, metric by metric."""
    from assay.report.render.compare import text_comparison
    from assay.report.render.json import to_json
    from assay.results.comparison.compare import compare_results

    store = _store()
    page = compare_results(store.activity(a).folder, store.activity(b).folder)
    if as_json:
        answer_json(to_json(page))
    else:
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

    store = _store()
    take_in = store.import_fleet if is_fleet(folder) else partial(store.import_folder, link=link)
    row = store.find(take_in(folder.absolute()))
    if as_json:
        origin = getattr(row, "origin", None)
        print_json("result-import", result=row.id, folder=str(row.folder), origin=origin)
    else:
        say(f"result {row.id} is in {row.folder}; see it with: assay result show {row.id}")


def _store() -> Any:
    from assay.store.store import Store

    return Store(home())
