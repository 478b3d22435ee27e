"""``assay factors``: what can be set here, and whether it takes; and the same words below ``platform``."""

from __future__ import annotations

import shutil
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from assay.cli.names import FACTOR, SETTING
from assay.cli.output import answer, answer_json, document, home, json_option, left_out, say
from assay.model.errors import AssayError, Exit, UnknownNameError
from assay.model.files.native import PROBE

if TYPE_CHECKING:
    from assay.factors.base.factor import Factor
    from assay.factors.catalogue import LevelCheck
    from assay.pages.factor_page import ExportPage, TryPage

WIDTH = 100
"""Columns where there is no terminal."""
FORMATS = (
    *("libvirt", "virt-xml", "tuned", "nova", "proxmox", "kubevirt", "kernel", "ansible"),
    *("htcondor", "slurm", "preload"),
)
"""Those of ``factors.export``, which is not imported to show a help text."""


@click.group("factors", epilog="Example: assay factors list --here --search cache")
def command() -> None:
    """List, show, try and export the settings of virtual platforms."""


@command.command("list", epilog="Example: assay factors list --group disk --here")
@click.option("--here", is_flag=True, help="Only what can be set here.")
@click.option("--group", metavar="NAME", type=FACTOR, help="Only this group, like disk.")
@click.option("--search", metavar="TEXT", help="Only what has this text in its name, title or effects.")
@json_option
def list_(group: str | None, search: str | None, *, here: bool, as_json: bool) -> None:
    """List settings by group: what each is, what a change costs and risks, what others saw."""
    from assay.factors.catalogue import FACTORS
    from assay.places.catalogue import PLACES
    from assay.platforms.host.this_host import ThisHost
    from assay.report.lists.factors import factor_list, factors_page
    from assay.report.render.json import to_json

    groups = {factor.group for factor in FACTORS.values()}
    if group is not None and group not in groups:
        kind = "group of factors"
        raise UnknownNameError(kind, group, groups)
    chosen = [one for one in FACTORS.values() if group in (None, one.group)]
    page = factors_page([one for one in chosen if _has(one, search)], ThisHost(home()))
    if here:
        page = replace(page, factors=tuple(row for row in page.factors if row.usable))
    if as_json:
        answer_json(to_json(page))
    else:
        _tell_hypervisor()
        answer(factor_list(page, _columns()) or "no such setting")
    left_out((*FACTORS.faults, *PLACES.faults))


def _has(factor: Factor, text: str | None) -> bool:
    seen = (f"{effect.figure} {effect.workload} {effect.source}" for effect in factor.effects)
    return text is None or text.lower() in " ".join((factor.name, factor.title, *seen)).lower()


@command.command("show", epilog="Example: assay factors show disk.cache")
@click.argument("names", nargs=-1, required=True, metavar="FACTOR|GROUP…", type=FACTOR)
@json_option
def show(names: tuple[str, ...], *, as_json: bool) -> None:
    """Show all that is known of settings, or list those of a group."""
    _show_factors(names, as_json=as_json, by_group=True)


@click.command("factors", epilog="Example: assay platform factors disk")
@click.argument("names", nargs=-1, metavar="[FACTOR|GROUP]…", type=FACTOR)
@json_option
def factors(names: tuple[str, ...], *, as_json: bool) -> None:
    """List every setting of a virtual platform, its levels, and whether it can be used here."""
    _show_factors(names, as_json=as_json)


def _show_factors(names: tuple[str, ...], *, as_json: bool, by_group: bool = False) -> None:
    """Print the factors and groups of these names, all without a name.

    Raises:
        UnknownNameError: One is unknown.
    """
    from assay.factors.catalogue import FACTORS
    from assay.places.catalogue import PLACES
    from assay.platforms.host.this_host import ThisHost
    from assay.report.lists.factors import factor_list, factor_table, factors_in_full, factors_page
    from assay.report.render.json import to_json

    known = {*FACTORS, *(factor.group for factor in FACTORS.values())}
    for name in names:
        if name not in known:
            kind = "factor"
            raise UnknownNameError(kind, name, known, hint="assay factors list")
    chosen = [one for one in FACTORS.values() if not names or {one.name, one.group} & set(names)]
    page = factors_page(chosen, ThisHost(home()))
    if as_json:
        answer_json(to_json(page))
    else:
        _tell_hypervisor()
        if names and all(name in FACTORS for name in names):
            answer(factors_in_full(page))
        else:
            answer(factor_list(page, _columns()) if by_group else factor_table(page))
    left_out((*FACTORS.faults, *PLACES.faults))


def _columns() -> int:
    return shutil.get_terminal_size((WIDTH, 0)).columns


@click.command("try", epilog="Example: assay factors try disk.cache=writeback disk.bus=scsi")
@click.argument("settings", nargs=-1, required=True, metavar="FACTOR=LEVEL…", type=SETTING)
@json_option
def attempt(settings: tuple[str, ...], *, as_json: bool) -> int:
    """Start a small paused guest with these settings, look at each from outside, and remove the guest.

    Nothing of the host is changed: a level that needs a change is refused with the act to type.
    """
    from assay.factors.catalogue import Refusal, acts_left, refused
    from assay.platforms.host.this_host import ThisHost
    from assay.platforms.libvirt.rehearsal import LevelsRefusedError, try_settings
    from assay.report.lists.factors import try_page

    wanted, host = _read(settings), ThisHost(home())
    checks: tuple[LevelCheck, ...] = ()
    refusals = refused(wanted, host) or acts_left(wanted, host)
    if not refusals:
        try:
            checks = try_settings(wanted, home=home(), host=host, subreaper=PROBE.path())
        except LevelsRefusedError as error:
            refusals = tuple(Refusal(name, error.reason) for name in wanted)
    page = try_page(checks, refusals, accelerator=host.accelerator)
    _show(page, as_json=as_json)
    return Exit.DONE if checks and all(one.ok for one in checks) else Exit.MISSING


@click.command("export", epilog="Example: assay factors export disk.cache=none --format virt-xml")
@click.argument("settings", nargs=-1, required=True, metavar="FACTOR=LEVEL…", type=SETTING)
@click.option(
    "--format", "form", required=True, type=click.Choice(FORMATS), help="The tool whose words are wanted."
)
@json_option
def export(settings: tuple[str, ...], form: str, *, as_json: bool) -> None:
    """Write levels in the words of another tool, to set them where guests are made.

    What the tool has no words for is listed: set it by hand, or know that it is lost.
    """
    from assay.factors.export.words_of import export as words
    from assay.platforms.host.this_host import ThisHost
    from assay.report.lists.factors import export_page
    from assay.report.render.json import to_json

    page = export_page(form, words(_read(settings), form, ThisHost(home())))
    if as_json:
        answer_json(to_json(page))
        return
    document(page.text)
    say_beside(page)


def say_beside(page: ExportPage) -> None:
    """Say what a tool was not told, and whether it was ever given such words."""
    for one in page.left_out:
        say(f"not said: {one.name}: {one.reason}")
    if page.text and not page.tried:
        say(
            f"by the documents of {page.format} alone, never run there by assay: look at it before you use it"
        )


command.add_command(attempt)
command.add_command(export)


def below_platform() -> tuple[click.Command, ...]:
    """Return the words as they stand below ``platform``, where they were first."""
    found = (factors, copy(attempt), copy(export))
    for one in found[1:]:
        one.epilog = (one.epilog or "").replace("assay factors", "assay platform")
    return found


def _show(page: TryPage, *, as_json: bool) -> None:
    from assay.report.lists.factors import try_table
    from assay.report.render.json import to_json
    from assay.report.tables.words import ACCELERATORS

    if as_json:
        answer_json(to_json(page))
        return
    if page.factors:
        answer(try_table(page))
    _tell_hypervisor()
    say(f"accelerator: {ACCELERATORS.get(page.accelerator, page.accelerator)}")
    for one in page.refused:
        say(f"refused: {one.name}: {one.reason}")


def _tell_hypervisor() -> None:
    """Say what guests cannot have here where they are not made by the machine's own libvirt."""
    from assay.platforms.hypervisor import local_hypervisor

    if reported := local_hypervisor().reported:
        say(reported)


def _read(texts: tuple[str, ...]) -> dict[str, str]:
    from assay.factors.base.levels import LevelError
    from assay.factors.catalogue import read_setting

    wanted: dict[str, str] = {}
    for text in texts:
        try:
            name, level = read_setting(text)
        except LevelError as error:
            near = f"; nearest: '{error.nearest}'" if error.nearest else ""
            msg = f"cannot read '{text}': expected {error.expected}{near}"
            raise AssayError(msg, hint="assay factors list") from error
        if name in wanted:
            msg = f"cannot try {name} twice: {name}={wanted[name]} and {text}"
            raise AssayError(msg, hint="one level of each factor at a time")
        wanted[name] = level
    return wanted
