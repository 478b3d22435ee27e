"""What the jobs of a result read, said and came to, as data."""

# ruff: noqa: RUF009 - say() is dataclasses.field() with a help text

from __future__ import annotations

from dataclasses import dataclass

from assay.model.platforms.data import DataSet
from assay.model.work.disturbance import Cause
from assay.model.work.reading import Reading, Success
from assay.pages.method.settings import ArmSettings
from assay.pages.say import say


@dataclass(frozen=True)
class Data:
    """The data of a result, and how its arms came by them."""

    files: DataSet | None = say("What they are; null where a scene has none.")
    ways: tuple[ArmSettings, ...] = say("How each arm came by them.")
    scratch: tuple[ArmSettings, ...] = say("Where the jobs of each arm wrote.")


@dataclass(frozen=True)
class OwnFigures:
    """How the figures of a user's own program were read, and when it had succeeded."""

    program: str = say("Name of the workload's family.")
    readings: tuple[Reading, ...] = say("Where each figure stands; empty where it says none.")
    reader: str | None = say("Tool whose reader reads them; null where none needs one.")
    success: Success | None = say("When it had succeeded; null where that is not asked.")


@dataclass(frozen=True)
class Disturbances:
    """Whether trials that others disturbed were looked for, and what that led to."""

    are_read: bool = say("The host was read around each trial, on both arms alike.")
    rerun: tuple[Cause, ...] = say("Causes for which a trial was to be run again.")
