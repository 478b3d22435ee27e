"""``assay machine edit``: where a machine is, and what is noted of it."""

from __future__ import annotations

from dataclasses import asdict

import click

from assay.cli.output import json_option, print_json, say
from assay.cli.stores import open_store


@click.command("edit", epilog="Example: assay machine edit node01 --group farm --tag rack=b2")
@click.argument("name")
@click.option("--ssh", "address", metavar="USER@HOST[:PORT]", help="Where it is.")
@click.option(
    "--group", "groups", multiple=True, metavar="NAME", help="A group that it is in; may be repeated."
)
@click.option(
    "--tag", "tags", multiple=True, metavar="KEY[=VALUE]", help="What you note of it; may be repeated."
)
@click.option("--role", metavar="ROLE", help="What it is meant for: baseline, candidate, hypervisor.")
@click.option("--guest-of", "carrier", metavar="MACHINE", help="The machine that carries it; the way to it.")
@click.option("--notes", metavar="TEXT", help="A note for people.")
@json_option
def edit(
    name: str,
    address: str | None,
    groups: tuple[str, ...],
    tags: tuple[str, ...],
    role: str | None,
    carrier: str | None,
    notes: str | None,
    *,
    as_json: bool,
) -> None:
    """Change where a machine is and what is noted of it; what is not given stays as it is.

    What is given takes the place of all that was there: with --group farm it is in that group alone. An empty
    text leaves nothing: --group '', --tag '', --role '', --guest-of '', --notes ''.
    """
    from dataclasses import replace

    from assay.machines import parse_address
    from assay.machines.inventory_file import check_groups, to_groups, to_role, to_tags
    from assay.model.errors import AssayError
    from assay.model.machines.machine import Reach

    given = (address, role, carrier, notes)
    if not groups and not tags and all(one is None for one in given):
        msg = "nothing to change: give at least one of --ssh, --group, --tag, --role, --guest-of, --notes"
        raise click.UsageError(msg)
    store = open_store()
    machine = store.machine(name)
    if machine.reach is Reach.LOCAL:
        msg = f"cannot edit machine '{name}': it is this machine"
        raise AssayError(msg)
    known = {entry.name: entry for entry in store.entries()}
    if address is not None and machine.reach is not Reach.SSH:
        msg = f"cannot edit the address of '{name}': {machine.reach} gives it"
        raise AssayError(msg, hint=f"assay machine remove {name}")
    if address is not None:
        parts = parse_address(address)
        machine = replace(machine, host=parts.host, user=parts.user, port=parts.port)
    before = known[name]
    entry = replace(
        before,
        machine=machine,
        groups=to_groups(groups) if groups else before.groups,
        tags=to_tags(tags) if tags else before.tags,
        role=before.role if role is None else to_role(role) if role else None,
        notes=before.notes if notes is None else notes,
        guest_of=before.guest_of if carrier is None else carrier or None,
    )
    if entry.guest_of is None:
        entry = replace(entry, machine=replace(entry.machine, carrier=None))
    check_groups({**known, name: entry}.values())
    changed = bool(store.add_machines([entry], replace=True))
    if as_json:
        own = {"groups": entry.groups, "tags": dict(entry.tags), "role": entry.role, "notes": entry.notes}
        said = {**asdict(store.machine(name)), **own, "guest_of": entry.guest_of}
        print_json("machine-edit", machine=said, changed=changed)
    else:
        say(f"machine '{name}' {'changed' if changed else 'is as it was'}")
