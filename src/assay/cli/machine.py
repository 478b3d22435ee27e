"""``assay machine``: the inventory of evaluation machines."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from assay.cli.output import home, json_option, print_json, say


@click.group("machine", epilog="Example: assay machine add node01 --ssh root@node01.site")
def command() -> None:
    """Add, list, check and remove evaluation machines; local is always this one."""


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
    from assay.model.machine import Machine, Reach

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
    """List the inventory."""
    from assay.report.tables import table

    machines = _store().machines()
    if as_json:
        print_json("machines", machines=[asdict(machine) for machine in machines])
    else:
        click.echo(
            table(
                ("machine", "reached by", "address"), [[m.name, str(m.reach), _address(m)] for m in machines]
            )
        )


@command.command("show", epilog="Example: assay machine show local")
@click.argument("name")
@json_option
def show(name: str, *, as_json: bool) -> None:
    """Show what a machine is."""
    from assay.activities.stage import look_at

    machine = _store().machine(name)
    facts = look_at(machine, {}, home=home())
    if as_json:
        print_json("machine", machine=asdict(machine), facts=asdict(facts))
        return
    for field, value in asdict(facts).items():
        click.echo(f"{field:14} {'-' if value is None else value}")


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
            click.echo(f"{'ok' if item.good else 'missing':8} {item.name:14} {item.sentence}")
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


def _address(machine: Any) -> str:
    if machine.host is None:
        return "this machine"
    user = f"{machine.user}@" if machine.user else ""
    return f"{user}{machine.host}" + (f":{machine.port}" if machine.port else "")
