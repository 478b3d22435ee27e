"""``assay machine``: the inventory of evaluation machines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from assay.cli.commands.machine_edit import edit
from assay.cli.commands.machine_facts import changes, diff, facts, record, show
from assay.cli.commands.machine_nodes import nodes, undrain
from assay.cli.commands.restore import restore
from assay.cli.commands.watch import watch
from assay.cli.names import SCENE, WHO
from assay.cli.output import answer, answer_line, document, home, json_option, print_json, say
from assay.cli.several import error_words
from assay.cli.stores import chosen_machines, open_store
from assay.model.errors import Exit


@click.group("machine", epilog="Example: assay machine add node01 --ssh root@node01.site")
def command() -> None:
    """Add, list, check and remove evaluation machines; put back what a crash left of this one's settings."""


for one in (changes, diff, edit, facts, nodes, record, restore, show, undrain, watch):
    command.add_command(one)

FOR = click.option("--for", "wanted", metavar="SCENE", type=SCENE, help="The scene that is to be served.")


@command.command(
    "add", epilog="Example: assay machine add node01 --ssh root@node01.site --group farm --tag rack=a7"
)
@click.argument("name")
@click.option(
    "--ssh",
    "address",
    required=True,
    metavar="USER@HOST[:PORT]",
    help="Where it is; the rest comes from your ssh configuration.",
)
@click.option(
    "--identity",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Private key to use, and no other.",
)
@click.option(
    "--group", "groups", multiple=True, metavar="NAME", help="A group that it is in; may be repeated."
)
@click.option(
    "--tag", "tags", multiple=True, metavar="KEY[=VALUE]", help="What you note of it; may be repeated."
)
@click.option("--role", metavar="ROLE", help="What it is meant for: baseline, candidate, hypervisor.")
@click.option(
    "--guest-of",
    "carrier",
    metavar="MACHINE",
    help="The machine that carries it; the way to it.",
)
@click.option("--notes", default="", metavar="TEXT", help="A note for people.")
@FOR
@json_option
def add(
    name: str,
    address: str,
    identity: Path | None,
    groups: tuple[str, ...],
    tags: tuple[str, ...],
    role: str | None,
    carrier: str | None,
    notes: str,
    wanted: str | None,
    *,
    as_json: bool,
) -> int:
    """Add a machine that is reached by SSH, and look at it; its host key must be known to ssh.

    It stays in the inventory whatever is found; the exit code tells whether it was reached.
    """
    from functools import partial

    from assay.activities.check import check_machine, keep_found
    from assay.activities.side_by_side import side_by_side
    from assay.cli.scenes import named_scene
    from assay.machines import check_name, parse_address
    from assay.machines.inventory_file import check_groups, to_groups, to_role, to_tags
    from assay.model.errors import AssayError
    from assay.model.machines.inventory import Entry
    from assay.model.machines.machine import Machine, Reach

    scene = None if wanted is None else named_scene(wanted)
    parts = parse_address(address)
    key = str(identity.absolute()) if identity else None
    machine = Machine(check_name(name), Reach.SSH, parts.host, parts.user, parts.port, identity=key)
    entry = Entry(
        machine,
        to_groups(groups),
        to_tags(tags),
        None if role is None else to_role(role),
        notes,
        carrier,
    )
    store = open_store()
    check_groups([*store.entries(), entry])
    if not store.add_machines([entry]):
        msg = f"cannot add machine '{name}': the name is taken"
        raise AssayError(msg, hint=f"assay machine remove {name}")
    if not as_json:
        say(f"machine '{name}' added; looking at it")
    look = partial(check_machine, home=home(), scene=scene)
    (checked,) = side_by_side([store.machine(machine.name)], look)
    keep_found(checked, home=home(), scene=scene)
    if as_json:
        print_json("machine", machine=_said(entry), check=_checked(checked))
    else:
        _answer_checked(checked)
    return int(Exit.DONE if checked.error is None else checked.error.exit_code)


@command.command("import", epilog="Example: assay machine import hosts.yaml")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--replace", is_flag=True, help="Let the file rule where a machine of that name is there already."
)
@json_option
def import_(file: Path, *, replace: bool, as_json: bool) -> None:
    """Add the machines that a YAML file describes: all of them, or none.

    The file: 'machines: [{name: n01, ssh: root@10.0.0.2, groups: [farm], tags: {rack: a7}}]', each with
    identity, role and notes where wanted. See what they are with 'assay machine check'.
    """
    from assay.machines.inventory_file import check_groups, load_inventory

    entries, store = load_inventory(file), open_store()
    names = {entry.name for entry in entries}
    check_groups([*(one for one in store.entries() if one.name not in names), *entries])
    new = store.add_machines(entries, replace=replace)
    if as_json:
        print_json(
            "machine-import", machines=[_said(entry) for entry in new], unchanged=len(entries) - len(new)
        )
    else:
        same = f", {len(entries) - len(new)} as they were" if len(entries) > len(new) else ""
        say(f"{len(new)} machine{'' if len(new) == 1 else 's'} added{same}")


@command.command("export", epilog="Example: assay machine export > hosts.yaml")
@click.argument("who", required=False, type=WHO)
@json_option
def export(who: str | None, *, as_json: bool) -> None:
    """Print the inventory, or WHO of it, as a YAML file that 'assay machine import' reads."""
    from assay.machines.inventory_file import inventory_words, write_inventory

    entries = chosen_machines(who)
    if as_json:
        print_json("machine-export", machines=inventory_words(entries))
    else:
        document(write_inventory(entries))


@command.command("list", epilog="Example: assay machine list farm")
@click.argument("who", required=False, type=WHO)
@json_option
def list_(who: str | None, *, as_json: bool) -> None:
    """List the inventory, or WHO of it, and what is kept of its machines.

    WHO are names, groups and tags with commas between: node01, farm, node[01-50], @rack, @rack=a7.
    """
    from assay.report.tables.health import health_table
    from assay.report.tables.tables import table
    from assay.store import quick
    from assay.store.fingerprints import kept_of

    entries = chosen_machines(who)
    names = {entry.name for entry in entries}
    kept = [one for one in kept_of(home()) if who is None or one.name.partition("@")[0] in names]
    looks, seen = quick.newest_health(home()), quick.last_seen(home())
    health = {look.machine: look for look in (open_store().health() if looks is None else looks)}
    seen = open_store().last_seen() if seen is None else seen
    if as_json:
        machines = [{**_said(entry), "health": _health(health.get(entry.name), seen)} for entry in entries]
        print_json("machines", machines=machines, kept=[_kept(k) for k in kept])
        return
    told = any(e.groups or e.tags or e.role for e in entries)
    rows = [
        [e.name, str(e.machine.reach), _address(e.machine), *(_words(e) if told else ())] for e in entries
    ]
    blank = ["", "", ""] if told else []
    rows += [[k.name, "recorded" if k.recorded else "fingerprint", str(k.path), *blank] for k in kept]
    answer(table(("machine", "reached by", "address", *(("groups", "tags", "role") if told else ())), rows))
    if known := [health[entry.name] for entry in entries if entry.name in health]:
        answer(f"\n{health_table(known, seen)}")


@command.command("check", epilog="Example: assay machine check node[01-50] --for quick")
@click.argument("who", type=WHO)
@FOR
@json_option
def check(who: str, wanted: str | None, *, as_json: bool) -> int:
    """Check that machines can serve an evaluation, side by side: reached, probed, their tools there.

    WHO are names, groups and tags with commas between: node01, farm, node[01-50], @rack, @rack=a7. What was
    found last of each is kept, and shown on its page ('assay serve').
    """
    from functools import partial

    from assay.activities.check import Checked, check_machine, exit_of, is_good, keep_found
    from assay.activities.side_by_side import side_by_side
    from assay.cli.scenes import named_scene

    scene = None if wanted is None else named_scene(wanted)
    machines = [entry.machine for entry in chosen_machines(who)]
    alone = len(machines) == 1

    def over(one: Checked) -> None:
        keep_found(one, home=home(), scene=scene)
        if not alone and not as_json:
            _answer_short(one)

    found = side_by_side(machines, partial(check_machine, home=home(), scene=scene), over)
    if as_json:
        print_json("machine-check", machines=[_checked(one) for one in found])
    elif alone:
        _answer_checked(found[0])
    else:
        say(f"{sum(map(is_good, found))} of {len(found)} machines can serve an evaluation")
    return max(int(exit_of(one)) for one in found)


def _answer_checked(checked: Any) -> None:
    """Print all that was found of one machine; raises why it could not be looked at."""
    if checked.error is not None:
        raise checked.error
    for item in checked.value:
        answer_line(f"{item.word:8} {item.name:14} {item.sentence}")


def _answer_short(checked: Any) -> None:
    """Print one line of a machine: what it lacks, or why it could not be looked at."""
    from assay.activities.check import is_good

    lacks = ", ".join(item.name for item in checked.value or () if not item.good)
    why = checked.error.message if checked.error else f"missing: {lacks}" if lacks else ""
    answer_line(f"{'ok' if is_good(checked) else 'no':8} {checked.machine:14} {why}".rstrip())


def _checked(checked: Any) -> dict[str, Any]:
    from assay.activities.check import is_good

    checks = [asdict(item) for item in checked.value or ()]
    return {
        "name": checked.machine,
        "good": is_good(checked),
        "error": error_words(checked.error),
        "checks": checks,
    }


@command.command("remove", epilog="Example: assay machine remove node01")
@click.argument("who", type=WHO)
@json_option
def remove(who: str, *, as_json: bool) -> None:
    """Remove machines from the inventory; what was measured on them stays."""
    names = [entry.name for entry in chosen_machines(who)]
    open_store().remove_machines(names)
    if as_json:
        print_json("machine-remove", machines=names)
    else:
        for name in names:
            say(f"machine '{name}' removed")


def _health(look: Any, seen: Mapping[str, int]) -> dict[str, Any] | None:
    return None if look is None else {**asdict(look), "last_seen_ns": seen.get(look.machine)}


def _kept(kept: Any) -> dict[str, Any]:
    return {"name": kept.name, "recorded": kept.recorded, "path": kept.path}


def _said(entry: Any) -> dict[str, Any]:
    """Return a machine of the inventory as JSON."""
    own = {"groups": entry.groups, "tags": dict(entry.tags), "role": entry.role, "notes": entry.notes}
    return {**asdict(entry.machine), **own}


def _words(entry: Any) -> tuple[str, str, str]:
    """Return groups, tags and role of a machine as cells."""
    tags = ", ".join(f"{tag}={value}" if value else tag for tag, value in entry.tags)
    return ", ".join(entry.groups), tags, entry.role or ""


def _address(machine: Any) -> str:
    if machine.host is None:
        return "this machine"
    user = f"{machine.user}@" if machine.user else ""
    if machine.job or str(machine.reach) != "ssh":
        return " ".join([machine.host, *(f"{name}={value}" for name, value in machine.job)])
    port, by = (f":{machine.port}" if machine.port else ""), machine.carrier
    return f"{user}{machine.host}{port}" + ("" if by is None else f", a guest of {by.name}")
