"""``assay machine nodes``: nodes that a batch system gives, as machines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from assay.cli.names import MACHINE
from assay.cli.output import home, json_option, print_json, say
from assay.cli.stores import open_store
from assay.model.errors import UnknownNameError

if TYPE_CHECKING:
    from assay.store.store import Store

JOB = {
    "multiple": True,
    "metavar": "NAME=VALUE",
    "help": "Ask this of the job of a node. Slurm: partition, account, qos, time, reservation, cores, "
    "memory. HTCondor: cores, memory, accounting-group, max-runtime.",
}
ENGINES = ("slurm", "htcondor")


@click.command("nodes", epilog="Example: assay machine nodes slurm 'wn[01-50]' --job partition=main")
@click.argument("engine", type=click.Choice(ENGINES))
@click.argument("who", required=False)
@click.option("--job", "job", **JOB)  # type: ignore[arg-type]
@json_option
def nodes(engine: str, who: str | None, job: tuple[str, ...], *, as_json: bool) -> None:
    """Take nodes of a batch system into the inventory: each is held by a job while it is used.

    WHO are nodes, ranges of them, partitions and features with commas between: wn01, wn[01-50], main, @rome;
    all nodes without it. Partitions are groups then, and features tags. HTCondor has no partitions; a
    node's features are its operating system and the level of its processors: @Debian13, @x86_64-v3. What was
    taken before has its new partitions, features and job options.
    """
    store = open_store()
    new, known = take_nodes(store, engine, who, job)
    if as_json:
        print_json("machine-nodes", machines=[*known], new=[*new])
    else:
        same = len(known) - len(new)
        say(
            f"{len(new)} node{'' if len(new) == 1 else 's'} taken"
            + (f", {same} as they were" if same else "")
        )


@click.command("undrain", epilog="Example: assay machine undrain")
@click.argument("names", nargs=-1, type=MACHINE, metavar="[MACHINE]...")
@json_option
def undrain(names: tuple[str, ...], *, as_json: bool) -> None:
    """Give nodes back to their batch system that 'assay evaluate --drain' has drained and nobody measures.

    Without a MACHINE all of this home. That happens by itself at the end of an evaluation, and two minutes
    after it was killed; this is for what a crash of this machine has left drained.
    """
    from assay.machines.batch.drained import left, undrain_left

    found = left(home())
    for name in names:
        if name not in found:
            raise UnknownNameError(kind="drained machine that nobody measures", name=name, known=found)
    given = [name for name in found if (not names or name in names) and undrain_left(home(), name)]
    if as_json:
        print_json("machine-undrain", machines=given)
    else:
        say(f"given back: {', '.join(given)}" if given else "nothing to give back")


def take_nodes(
    store: Store, engine: str, who: str | None, job: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Take nodes into the inventory; return the names of those that are new or changed, and of all.

    Raises:
        AssayError: A machine of the name of a node is reached otherwise.
    """
    from assay.machines.batch.nodes import nodes_of, read_options
    from assay.machines.inventory_file import check_groups
    from assay.model.errors import AssayError

    found = nodes_of(engine, who, read_options(job))
    known = {entry.name: entry for entry in store.entries()}
    for entry in found:
        other = known.get(entry.name)
        if other is not None and other.machine.reach is not entry.machine.reach:
            msg = (
                f"cannot take node '{entry.name}': a machine of this name is reached by {other.machine.reach}"
            )
            raise AssayError(msg, hint=f"assay machine remove {entry.name}")
    check_groups({**known, **{entry.name: entry for entry in found}}.values())
    new = store.add_machines(found, replace=True)
    return tuple(entry.name for entry in new), tuple(entry.name for entry in found)
