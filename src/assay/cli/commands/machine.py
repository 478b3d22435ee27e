"""``assay machine``: the inventory of evaluation machines."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from assay.cli.commands.restore import restore
from assay.cli.output import answer, answer_line, home, json_option, print_json, say


@click.group("machine", epilog="Example: assay machine add node01 --ssh root@node01.site")
def command() -> None:
    """Add, list, check and remove evaluation machines; put back what a crash left of this one's settings."""


command.add_command(restore)


@command.command("add", epilog="Example: assay machine add node01 --ssh root@node01.site")
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
@json_option
def add(name: str, address: str, identity: Path | None, *, as_json: bool) -> None:
    """Add a machine that is reached by SSH; its host key must be known to ssh."""
    from assay.machines import check_name, parse_address
    from assay.model.machines.machine import Machine, Reach

    parts = parse_address(address)
    key = str(identity.absolute()) if identity else None
    machine = Machine(check_name(name), Reach.SSH, parts.host, parts.user, parts.port, identity=key)
    _store().add_machine(machine)
    if as_json:
        print_json("machine", machine=asdict(machine))
    else:
        say(f"machine '{name}' added; see whether it can be used with: assay machine check {name}")


@command.command("list", epilog="Example: assay machine list")
@json_option
def list_(*, as_json: bool) -> None:
    """List the inventory, and what is kept of its machines."""
    from assay.report.tables.tables import table
    from assay.store.fingerprints import kept_of

    machines, kept = _store().machines(), kept_of(home())
    if as_json:
        print_json("machines", machines=[asdict(m) for m in machines], kept=[_kept(k) for k in kept])
    else:
        rows = [[m.name, str(m.reach), _address(m)] for m in machines]
        rows += [[k.name, "recorded" if k.recorded else "fingerprint", str(k.path)] for k in kept]
        answer(table(("machine", "reached by", "address"), rows))


@command.command("show", epilog="Example: assay machine show local")
@click.argument("name")
@json_option
def show(name: str, *, as_json: bool) -> None:
    """Show what a machine is."""
    from assay.activities.visits.visit import look_at

    machine = _store().machine(name)
    facts = look_at(machine, {}, home=home())
    if as_json:
        print_json("machine", machine=asdict(machine), facts=asdict(facts))
        return
    for field, value in asdict(facts).items():
        answer_line(f"{field:14} {'-' if value is None else value}")


@command.command("facts", epilog="Example: assay machine facts local")
@click.argument("name")
@json_option
def facts(name: str, *, as_json: bool) -> None:
    """Show all that the probe sees of a machine, and keep it with its date."""
    from assay.activities.fingerprints import take_fingerprint
    from assay.report.lists.fingerprint import text_fingerprint

    fingerprint, kept = take_fingerprint(_store().machine(name), home=home())
    if as_json:
        print_json("machine-facts", name=kept.name, **asdict(fingerprint))
    else:
        answer(text_fingerprint(fingerprint))
        say(f"kept as {kept.name}; compare with: assay machine diff {name}")


@command.command("record", epilog="Example: assay machine record local --into /tmp/local")
@click.argument("name")
@click.option(
    "--into", type=click.Path(path_type=Path), help="A new folder; without it, among those that are kept."
)
@json_option
def record(name: str, into: Path | None, *, as_json: bool) -> None:
    """Record a machine as a tree that the probe can read later; names and addresses are taken out."""
    from assay.activities.fingerprints import record_machine

    place = record_machine(_store().machine(name), into=into.absolute() if into else None, home=home())
    if as_json:
        print_json("machine-record", machine=name, folder=place)
    else:
        answer(str(place))


@command.command("diff", epilog="Example: assay machine diff local node01@2026-11-20")
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
        store = _store()
        names, sides = (a, b), [find_fingerprint(name, home=home(), store=store) for name in (a, b)]
    diffs = differences(*sides)
    if as_json:
        different = [asdict(difference) for difference in diffs]
        print_json("machine-diff", a=names[0], b=names[1], same=not diffs, differences=different)
    else:
        answer(text_differences(*names, diffs))


@command.command("check", epilog="Example: assay machine check node01")
@click.argument("name")
@json_option
def check(name: str, *, as_json: bool) -> int:
    """Check that a machine can serve an evaluation: reached, probed, its tools there."""
    from assay.activities.check import check_machine

    machine = _store().machine(name)
    checks = check_machine(machine, home=home())
    good = all(item.good for item in checks)
    if as_json:
        print_json("machine-check", machine=name, good=good, checks=[asdict(item) for item in checks])
    else:
        for item in checks:
            answer_line(f"{'ok' if item.good else 'missing':8} {item.name:14} {item.sentence}")
    from assay.model.errors import Exit

    return int(Exit.DONE if good else Exit.MISSING)


@command.command("remove", epilog="Example: assay machine remove node01")
@click.argument("name")
@json_option
def remove(name: str, *, as_json: bool) -> None:
    """Remove a machine from the inventory; what was measured on it stays."""
    _store().remove_machine(name)
    if as_json:
        print_json("machine-remove", machine=name)
    else:
        say(f"machine '{name}' removed")


def _store() -> Any:
    from assay.store.store import Store

    return Store(home())


def _kept(kept: Any) -> dict[str, Any]:
    return {"name": kept.name, "recorded": kept.recorded, "path": kept.path}


def _address(machine: Any) -> str:
    if machine.host is None:
        return "this machine"
    user = f"{machine.user}@" if machine.user else ""
    return f"{user}{machine.host}" + (f":{machine.port}" if machine.port else "")
