"""``assay tune export``, ``apply``, ``rollback``: a confirmed change-set, written, put in and taken back."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from assay.cli.commands.factors import FORMATS, say_beside
from assay.cli.names import TUNING
from assay.cli.output import answer, answer_json, document, home, json_option, print_json, say
from assay.model.errors import Exit

if TYPE_CHECKING:
    from assay.platforms.applied.journal import Applied

WHICH = click.option(
    "--set", "which", type=click.Choice(["safe", "any"]), default="safe", help="Which change-set."
)
UNDECIDED = click.option(
    "--undecided", is_flag=True, help="Take it also where it is not shown to be harmless to all of the mix."
)
DOMAIN = click.option("--domain", metavar="NAME", help="The libvirt domain to change; else the host alone.")


@click.command("export", epilog="Example: assay tune export last --format virt-xml")
@click.argument("search", default="last", type=TUNING)
@WHICH
@UNDECIDED
@click.option(
    "--format", "form", required=True, type=click.Choice(FORMATS), help="The tool whose words are wanted."
)
@json_option
def export(search: str, which: str, form: str, *, undecided: bool, as_json: bool) -> None:
    """Write the recommended change-set in the words of another tool."""
    from assay.activities.tuning.exported import exported, recommended
    from assay.activities.tuning.kept import find_tuning
    from assay.report.render.json import to_json

    tuning = find_tuning(search, home())
    changes = recommended(tuning, which, undecided=undecided)
    page = exported(tuning, changes, form, home=home())
    if as_json:
        answer_json(to_json(page))
        return
    document(page.text)
    say_beside(page)
    for name in (name for name, level in changes.items() if not level):
        say(f"not said: {name}: it is taken away, so that its default holds")


@click.command("apply", epilog="Example: assay tune apply last --domain worker1")
@click.argument("search", default="last", type=TUNING)
@WHICH
@UNDECIDED
@DOMAIN
@click.option("--measure", is_flag=True, help="Measure again what the change-set saves, once it is put in.")
@json_option
def apply(
    search: str, which: str, domain: str | None, *, undecided: bool, measure: bool, as_json: bool
) -> Exit:
    """Put the recommended change-set into a domain's definition, and into this host's settings.

    What is replaced is remembered first: assay tune rollback takes it back. The domain has its new settings
    once it is started anew, which is left to you. With --measure the change-set is run anew beside the guest
    as it was, as by assay tune verify --measure, and the search is shown with what came of it.
    """
    from assay.activities.tuning.applied import applied_to
    from assay.activities.tuning.exported import recommended
    from assay.activities.tuning.kept import find_tuning
    from assay.activities.tuning.tuner import checked_sets

    tuning = find_tuning(search, home())
    settings = recommended(tuning, which, undecided=undecided)
    if measure:
        checked_sets(tuning)
    applied = applied_to(tuning, settings, domain, home=home())
    if as_json and not measure:
        print_json("applied", search=tuning.id, **applied.told)
    else:
        _say_applied(tuning.id, applied, answer=say if as_json else answer, measured=measure)
    if not measure:
        return Exit.DONE
    from assay.cli.tunings import measured_again

    return measured_again(tuning.id, as_json=as_json)


def _say_applied(search: str, applied: Applied, *, answer: Callable[[str], object], measured: bool) -> None:
    """Say what was put in and what was not, and what comes next."""
    for name, level in applied.settings.items():
        reason = applied.left.get(name)
        answer(f"{name}={level}: not put in: {reason}" if reason else f"{name}={level}: put in")
    say(f"to look at it: assay tune verify {search}")
    if not measured:
        say(f"to measure it again: assay tune verify {search} --measure")
    say(f"to take it back: assay tune rollback {search}")


@click.command("rollback", epilog="Example: assay tune rollback last")
@click.argument("search", default="last", type=TUNING)
@json_option
def rollback(search: str, *, as_json: bool) -> None:
    """Take back what was applied; what somebody else has changed since is left, and named."""
    from assay.activities.tuning.applied import taken_back
    from assay.activities.tuning.kept import find_tuning

    tuning = find_tuning(search, home())
    left = taken_back(tuning, home=home())
    if as_json:
        print_json("rolled-back", search=tuning.id, left=left)
        return
    answer("taken back")
    for sentence in left:
        say(sentence)
