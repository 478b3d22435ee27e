"""``assay machine show``, ``facts``, ``record``, ``diff``, ``changes``: what machines are, and were."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from assay.cli.names import WHO
from assay.cli.output import answer, answer_line, home, json_option, print_json, say
from assay.cli.several import error_words, worst
from assay.cli.stores import chosen_machines, open_store


@click.command("show", epilog="Example: assay machine show local")
@click.argument("who", type=WHO)
@json_option
def show(who: str, *, as_json: bool) -> int:
    """Show what machines are: one fact a line."""
    from functools import partial

    from assay.activities.side_by_side import side_by_side
    from assay.activities.visits.visit import look_at

    machines = [entry.machine for entry in chosen_machines(who)]
    found = side_by_side(machines, partial(look_at, programs={}, home=home()))
    if as_json:
        shown = [
            {
                "name": one.machine,
                "machine": asdict(machine),
                "facts": None if one.value is None else asdict(one.value),
                "error": error_words(one.error),
            }
            for machine, one in zip(machines, found, strict=True)
        ]
        print_json("machine-show", machines=shown)
        return worst(found)
    for one in found:
        named = {"machine": one.machine} if len(found) > 1 else {}
        for field, value in ({**named, **asdict(one.value)} if one.value is not None else {}).items():
            answer_line(f"{field:14} {'-' if value is None else value}")
    return worst(found)


@click.command("facts", epilog="Example: assay machine facts local")
@click.argument("who", type=WHO)
@json_option
def facts(who: str, *, as_json: bool) -> int:
    """Keep all that the probe sees of machines with its date; of a single one it is shown, too."""
    from functools import partial

    from assay.activities.fingerprints import take_fingerprint
    from assay.activities.side_by_side import side_by_side
    from assay.report.lists.fingerprint import text_fingerprint

    machines = [entry.machine for entry in chosen_machines(who)]
    found = side_by_side(machines, partial(take_fingerprint, home=home()))
    if as_json:
        print_json("machine-facts", machines=[_fingerprint(one) for one in found])
        return worst(found)
    for one in found:
        if one.value is None:
            continue
        fingerprint, kept = one.value
        if len(found) == 1:
            answer(text_fingerprint(fingerprint))
        say(f"kept as {kept.name}; compare with: assay machine diff {one.machine}")
    return worst(found)


@click.command("record", epilog="Example: assay machine record local --into /tmp/local")
@click.argument("who", type=WHO)
@click.option(
    "--into",
    type=click.Path(path_type=Path),
    help="A new folder, for a single machine; without it, among those that are kept.",
)
@json_option
def record(who: str, into: Path | None, *, as_json: bool) -> int:
    """Record machines as trees that the probe can read later; names and addresses are taken out."""
    from functools import partial

    from assay.activities.fingerprints import record_machine
    from assay.activities.side_by_side import side_by_side

    machines = [entry.machine for entry in chosen_machines(who)]
    if into is not None and len(machines) > 1:
        msg = f"--into is one folder: it goes with one machine, and '{who}' are {len(machines)}"
        raise click.UsageError(msg)
    place = into.absolute() if into else None
    found = side_by_side(machines, partial(record_machine, into=place, home=home()))
    if as_json:
        recorded = [
            {"name": one.machine, "folder": one.value, "error": error_words(one.error)} for one in found
        ]
        print_json("machine-record", machines=recorded)
        return worst(found)
    for one in found:
        if one.value is not None:
            answer(str(one.value))
    return worst(found)


@click.command("diff", epilog="Example: assay machine diff local node01@2026-11-20")
@click.argument("a")
@click.argument("b", required=False)
@json_option
def diff(a: str, b: str | None, *, as_json: bool) -> None:
    """Show what differs between two machines or two times; without B, between the last two kept of A.

    A and B are machines as they are now (node01), as they were kept (node01@2026-11-20, node01@last), files
    of fingerprints, or folders of recorded machines (./node01). The exit code is 0 whether or not they
    differ.
    """
    from assay.activities.fingerprints import find_fingerprint, last_two, read_kept
    from assay.model.machines.fingerprint import differences
    from assay.report.lists.fingerprint import text_differences

    if b is None:
        older, newer = last_two(a, home=home())
        names, sides = (older.name, newer.name), [read_kept(older), read_kept(newer)]
    else:
        store = open_store()
        names, sides = (a, b), [find_fingerprint(name, home=home(), store=store) for name in (a, b)]
    diffs = differences(*sides)
    if as_json:
        different = [asdict(difference) for difference in diffs]
        print_json("machine-diff", a=names[0], b=names[1], same=not diffs, differences=different)
    else:
        answer(text_differences(*names, diffs))


@click.command("changes", epilog="Example: assay machine changes node01")
@click.argument("who", type=WHO)
@json_option
def changes(who: str, *, as_json: bool) -> None:
    """Show what changed of machines and when, by what was kept of them and by what activities saw.

    Where it was measured before and after a change, the command that compares the two results is named.
    """
    from assay.activities.changes import changes_of
    from assay.report.lists.fingerprint import text_changes

    names, store = [entry.name for entry in chosen_machines(who)], open_store()
    found = {name: changes_of(name, home=home(), store=store) for name in names}
    if as_json:
        machines = [{"name": name, "changes": [asdict(one) for one in found[name]]} for name in names]
        print_json("machine-changes", machines=machines)
        return
    for name in names:
        if len(names) > 1 and found[name]:
            answer(f"{name}:")
        answer(text_changes(name, found[name]))


def _fingerprint(found: Any) -> dict[str, Any]:
    seen: Any = found.value
    own = {} if seen is None else {"kept": seen[1].name, **asdict(seen[0])}
    return {"name": found.machine, "error": error_words(found.error), **own}
