"""The catalogue: every factor by name, and what is refused of a set of levels."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass

from assay.factors.base.draft import Draft
from assay.factors.base.evidence import Evidence, Host
from assay.factors.base.factor import Act, Factor, Settings
from assay.factors.base.kernel_files import chosen
from assay.factors.base.levels import LevelError
from assay.factors.base.users_own import with_users_own
from assay.factors.cpu import clock, kvm, tcg
from assay.factors.cpu import feature as cpu_feature
from assay.factors.cpu import model as cpu_model
from assay.factors.cpu import pins as cpu_pins
from assay.factors.cpu import share as cpu_share
from assay.factors.cpu import topology as cpu
from assay.factors.data import access as data
from assay.factors.data import scratch
from assay.factors.disk import blocks as disk_blocks
from assay.factors.disk import bus as disk_bus
from assay.factors.disk import driver as disk
from assay.factors.disk import image as disk_image
from assay.factors.disk import place as disk_place
from assay.factors.disk import queues as disk_queues
from assay.factors.disk import rings as disk_rings
from assay.factors.disk import root as disk_root
from assay.factors.guest import kernel as guest
from assay.factors.guest.seen import INSIDE, Facts, look_inside
from assay.factors.host import settings as host
from assay.factors.memory import balloon as memory_balloon
from assay.factors.memory import numa, numa_cells
from assay.factors.memory import pages as memory_pages
from assay.factors.memory import size as memory
from assay.factors.memory import source as memory_source
from assay.factors.net import card as net
from assay.factors.net import queues as net_queues
from assay.factors.rules import RULES
from assay.factors.start import starts
from assay.model import plugins

_GROUPS = (
    *(cpu, cpu_model, cpu_feature, cpu_pins, cpu_share, clock, kvm),
    *(memory, memory_pages, memory_source, memory_balloon, numa, numa_cells),
    *(disk_place, disk_root, disk_image, disk, disk_blocks, disk_bus, disk_queues, disk_rings),
    *(net, net_queues, data, scratch, starts, tcg, guest, host),
)


def _added() -> plugins.Plugins[Factor]:
    found = plugins.load(plugins.FACTORS, Factor)
    return plugins.Plugins({one.name: one for one in found.values.values()}, found.faults)


FACTORS = plugins.Catalogue(
    "factor",
    {factor.name: with_users_own(factor) for group in _GROUPS for factor in group.FACTORS},
    _added,
    hint="assay factors list",
)
"""Every factor, in the order in which they are applied, those of plug-ins last."""


@dataclass(frozen=True)
class Refusal:
    """A level that cannot be had.

    Attributes:
        name: The factor.
        reason: One clause: why, or what to type first.
    """

    name: str
    reason: str


@dataclass(frozen=True)
class LevelCheck:
    """A factor as it was seen from outside.

    Attributes:
        name: The factor.
        wanted: The level asked for.
        actual: What is in force, in the words of levels where it is what was wanted.
        how: Where it was seen, one clause.
    """

    name: str
    wanted: str
    actual: str
    how: str

    @property
    def ok(self) -> bool:
        """The wanted level is in force."""
        return self.actual == self.wanted


def read_setting(text: str) -> tuple[str, str]:
    """Return name and level of ``disk.cache=writeback``.

    Raises:
        LevelError: there is no ``=``, no such factor, or no such level.
    """
    name, sign, level = (part.strip() for part in text.partition("="))
    if not sign:
        msg = f"FACTOR=LEVEL, got '{text}'"
        raise LevelError(msg)
    return name, read_level(name, level)


def read_level(name: str, written: object) -> str:
    """Return a level of a factor in its one spelling.

    Raises:
        LevelError: there is no such factor, or no such level.
    """
    if name not in FACTORS:
        near = difflib.get_close_matches(name, FACTORS, n=1, cutoff=0.5)
        msg = f"the name of a factor, got '{name}'"
        raise LevelError(msg, nearest=near[0] if near else None)
    return FACTORS[name].levels.read(written)


def refused(settings: Settings, on: Host) -> tuple[Refusal, ...]:
    """Return what of a set of levels cannot be had on a host, alone or together; empty where all can."""
    return tuple(_refused(settings, on))


def _refused(settings: Settings, on: Host) -> Iterator[Refusal]:
    for name, level in settings.items():
        if reason := FACTORS[name].needs(on, level):
            yield Refusal(name, reason)
    for rule in RULES:
        present = [name for name in rule.factors if name in settings]
        if present and (reason := rule.fault(settings, on)):
            yield Refusal(present[0], reason)


def acts_left(settings: Settings, on: Host) -> tuple[Refusal, ...]:
    """Return what of a set of levels waits for a change of the host, each with what to type."""
    booted = tuple(_of_an_activity(settings))
    left = ((name, act) for name, level in settings.items() for act in _acts(name, level, on))
    return booted + tuple(
        Refusal(name, f"needs a change of the host, which this does not make: {act.typed}")
        for name, act in left
        if not in_force(act, on)
    )


def _of_an_activity(settings: Settings) -> Iterator[Refusal]:
    """Yield what an activity alone puts in force."""
    for name in settings:
        if FACTORS[name].of_data:
            yield Refusal(name, data.IN_AN_ACTIVITY)
        elif FACTORS[name].of_start:
            yield Refusal(name, starts.IN_AN_ACTIVITY)


def in_force(act: Act, on: Host) -> bool:
    """Tell whether a file of the host's kernel already holds what an act would write."""
    return chosen(on.read(act.path)) == act.value


def _acts(name: str, level: str, on: Host) -> tuple[Act, ...]:
    acts = FACTORS[name].acts
    return () if acts is None else acts(on, level)


def apply_to(draft: Draft, settings: Settings) -> None:
    """Put all levels of a guest's factors into its draft, in the catalogue's order."""
    for name, factor in FACTORS.items():
        if name in settings and factor.edit is not None:
            factor.edit(draft, settings[name])


def of_outside(settings: Settings) -> dict[str, str]:
    """Return the settings that are seen in force from outside: all but those of a guest's own kernel."""
    return {name: level for name, level in settings.items() if name not in INSIDE}


def verify(settings: Settings, seen: Evidence) -> tuple[LevelCheck, ...]:
    """Return for each level what is in force."""
    return tuple(_verify(name, wanted, seen) for name, wanted in settings.items())


def verify_inside(settings: Settings, facts: Facts) -> tuple[LevelCheck, ...]:
    """Return for each level of a guest's own kernel what is in force, by what the probe saw in it."""
    return tuple(
        LevelCheck(one.name, one.wanted, one.actual, one.how) for one in look_inside(settings, facts)
    )


def _verify(name: str, wanted: str, seen: Evidence) -> LevelCheck:
    factor = FACTORS[name]
    return LevelCheck(name, wanted, factor.actual(seen, wanted), factor.verified)
