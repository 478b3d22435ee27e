"""``assay selftest``: what of assay this machine allows is tried on it, and one file tells what held."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli.output import answer, home, json_option, print_json, say
from assay.model.errors import Exit

if TYPE_CHECKING:
    from assay.selftest.checks import Node
    from assay.selftest.run import Outcome


@click.command("selftest", epilog="Example: assay selftest --only kvm-guests")
@click.option("--only", metavar="CHECK", multiple=True, help="These checks alone; assay selftest --list.")
@click.option("--list", "listed", is_flag=True, help="List the checks, and which this machine allows.")
@click.option(
    "--file",
    "into",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("selftest.tar.gz"),
    show_default=True,
    help="The file to send back.",
)
@json_option
def command(only: tuple[str, ...], into: Path, *, listed: bool, as_json: bool) -> int:
    """Try in about ten minutes what could never be run where assay is built, and all else that it needs.

    What this machine does not allow is told with the reason. Exit code 4 where something did not hold.
    """
    from assay.cli.progress import watcher
    from assay.selftest.bundle import write_bundle
    from assay.selftest.checks import CHECKS
    from assay.selftest.run import run_checks, run_levels

    chosen = [one for one in CHECKS if not only or one.name in only]
    _known(only, [one.name for one in CHECKS])
    node = _node()
    if listed:
        rows = [(one.name, one.what, one.why_not(node), one.run_before) for one in chosen]
        if as_json:
            words = ("name", "what", "why_not", "run_before")
            print_json("selftest", checks=[dict(zip(words, row, strict=True)) for row in rows])
        else:
            answer(_list_table(rows))
        return Exit.DONE
    with watcher() as shown:
        outcomes = [*run_checks(chosen, node, home=home(), watcher=shown)]
        if not only:
            outcomes += run_levels(node, home=home(), tell=shown.step)
    write_bundle(into, outcomes, node, home=home())
    if as_json:
        print_json("selftest", file=str(into), checks=[asdict(one) for one in outcomes])
    else:
        answer(_table(outcomes))
        say(f"written: {into}; look at it (tar -tzf {into}), then send it to the authors")
    return Exit.MISSING if any(one.held == "failed" for one in outcomes) else Exit.DONE


def _known(only: tuple[str, ...], names: list[str]) -> None:
    from assay.model.errors import UnknownNameError

    for name in only:
        if name not in names:
            kind = "check"
            raise UnknownNameError(kind, name, names, hint="assay selftest --list")


def _node() -> Node:
    from assay.activities.visits.visit import look_at
    from assay.model.machines.machine import Machine
    from assay.platforms.host.this_host import ThisHost
    from assay.selftest.checks import Node

    return Node(look_at(Machine("local"), {}, home=home()), ThisHost(home()))


def _list_table(rows: list[tuple[str, str, str | None, bool]]) -> str:
    from assay.report.tables.tables import table

    cells = [[name, what, why or "yes", "yes" if before else "never"] for name, what, why, before in rows]
    return table(("check", "what holds where it is well", "here", "run before"), cells)


def _table(outcomes: Sequence[Outcome]) -> str:
    from assay.report.tables.tables import table

    cells = [
        [one.name, one.held, f"{one.seconds:.0f} s" if one.seconds else "", one.why or ""] for one in outcomes
    ]
    return table(("check", "", "took", "why"), cells)
