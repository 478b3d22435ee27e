"""What ``assay factors list``, ``try`` and ``export`` say, as data.

Each field's help is its documentation: ``contracts/factors-v1.schema.json`` and its neighbours come from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from assay.pages.say import say

VERSION = (1, 1)
TRY_VERSION = (1, 1)
EXPORT_VERSION = (1, 1)
_VERSION = "Major and minor version; readers refuse a newer major."


@dataclass(frozen=True)
class Choice:
    """A level worth trying."""

    level: str = say("The level in its one spelling.")
    usable: bool = say("It can be had here.")
    reason: str | None = say("Why it cannot, one clause; null where it can.")


@dataclass(frozen=True)
class EffectShown:
    """What others saw of a factor; an own interval replaces it."""

    figure: str = say("The figure with its unit.")
    workload: str = say("What was run.")
    source: str = say("Who says so.")


@dataclass(frozen=True)
class FactorShown:
    """A setting of a virtual platform."""

    name: str = say("Its name, group.word, as a scene and the command line spell it.")
    title: str = say("What it is, one line.")
    levels: str = say("What can be written, for people.")
    accepts: Mapping[str, Any] = say("What can be written, as JSON Schema.")
    unit: str | None = say("What its numbers are counted in; null for words and plain counts.")
    choices: tuple[Choice, ...] = say("Levels worth trying: the space of a tuner.")
    default: str = say("Level where nothing is said, one clause.")
    applied: str = say("Where it is written.")
    verified: str = say("Where it is seen from outside after the start.")
    undo: str = say("What becomes of a level afterwards, one clause.")
    cost: str = say("What a change of level asks for: live, restart, new image, reboot.")
    hazards: tuple[str, ...] = say("What may be at risk.")
    effects: tuple[EffectShown, ...] = say("What others saw.")
    note: str = say("What is accepted without effect, or is easily taken for one.")
    usable: bool = say("It can be had here.")
    refused: str | None = say("Why it cannot at any level, one clause; null where it can.")


@dataclass(frozen=True)
class FactorsPage:
    """The catalogue of factors, with what can be used here."""

    factors: tuple[FactorShown, ...] = say("In the order in which they are applied.")
    schema: Literal["assay.factors"] = say("Name of this format.", default="assay.factors")
    version: tuple[int, int] = say(_VERSION, default=VERSION)


@dataclass(frozen=True)
class FoundShown:
    """A level as it was seen from outside."""

    name: str = say("The factor.")
    wanted: str = say("The level asked for.")
    found: str = say("What is in force: the wanted level, or in words what was seen instead.")
    how: str = say("Where it was seen.")
    ok: bool = say("The wanted level is in force.")


@dataclass(frozen=True)
class RefusedShown:
    """A level that cannot be had."""

    name: str = say("The factor.")
    reason: str = say("Why, or what to type first, one clause.")


@dataclass(frozen=True)
class TryPage:
    """Whether levels take on this hypervisor."""

    accelerator: str = say("By which the paused guest was asked for: kvm, or tcg, which is QEMU's emulator.")
    factors: tuple[FoundShown, ...] = say(
        "What was seen on the paused guest; empty where it was not started."
    )
    refused: tuple[RefusedShown, ...] = say("What was refused before or at the start.")
    schema: Literal["assay.try"] = say("Name of this format.", default="assay.try")
    version: tuple[int, int] = say(_VERSION, default=TRY_VERSION)


@dataclass(frozen=True)
class ExportPage:
    """Levels in the words of another tool."""

    format: str = say("libvirt, virt-xml, tuned, nova, proxmox, kubevirt, kernel or ansible.")
    text: str = say("What the tool is given; empty where it can say none of the levels.")
    left_out: tuple[RefusedShown, ...] = say("Levels that it has no words for, or no exact ones.")
    tried: bool = say("Words of this format were given to the tool by assay's tests; else to none.")
    schema: Literal["assay.export"] = say("Name of this format.", default="assay.export")
    version: tuple[int, int] = say(_VERSION, default=EXPORT_VERSION)
