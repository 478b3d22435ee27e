"""Options of what is looked at in trials: names that complete in the shell, and a profile with or without a
rate.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click
from click.shell_completion import CompletionItem

from assay.model.errors import choices
from assay.model.machines.processors import ALL, ALL_CORES
from assay.model.units import parse_bytes, parse_ratio, parse_seconds
from assay.model.work.observation import COUNTERS, GROUPS, HZ, Profile, Scope

MOST_HZ = 1000
MOST_PROCESSORS = 65535


class Names(click.ParamType):  # type: ignore[type-arg] # generic in newer versions of click
    """Known names separated by commas."""

    name = "LIST"

    def __init__(self, kind: str, known: tuple[str, ...]) -> None:
        self._kind, self._known = kind, known

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        """Return the names, each once."""
        if isinstance(value, tuple):
            return value
        names = tuple(dict.fromkeys(name.strip() for name in str(value).split(",")))
        for name in names:
            if name not in self._known:
                self.fail(f"unknown {self._kind} '{name}'{choices(name, self._known)}", param, ctx)
        return names

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the names that the last one may become and that are not there yet."""
        del ctx, param
        before, comma, last = incomplete.rpartition(",")
        given = before.split(",")
        return [
            CompletionItem(before + comma + name)
            for name in self._known
            if name.startswith(last) and name not in given
        ]


class Rate(click.ParamType):  # type: ignore[type-arg] # generic in newer versions of click
    """Samples a second."""

    name = "HZ"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number; what follows the option by chance is told from it."""
        if str(value).isdecimal() and len(str(value)) <= len(str(MOST_HZ)) and 1 <= int(value) <= MOST_HZ:
            return int(value)
        return self.fail(
            f"expected samples a second from 1 to {MOST_HZ}, got '{value!s:.60}' (for {HZ}, "
            "write --profile last)",
            param,
            ctx,
        )


class Seconds(click.ParamType):  # type: ignore[type-arg] # generic in newer versions of click
    """A time with its unit."""

    name = "TIME"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the seconds."""
        try:
            return parse_seconds(value) if isinstance(value, str) else float(value)
        except ValueError as error:
            return self.fail(str(error), param, ctx)


class Size(click.ParamType):  # type: ignore[type-arg] # generic in newer versions of click
    """A size with its unit, above 0."""

    name = "SIZE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the bytes."""
        try:
            size = parse_bytes(value) if isinstance(value, str) else int(value)
        except ValueError as error:
            return self.fail(str(error), param, ctx)
        return size if size > 0 else self.fail(f"expected a size above 0, got '{value}'", param, ctx)


class ShareParam(click.ParamType):  # type: ignore[type-arg] # generic in newer versions of click
    """A share in percent, above 0 % and below 100 %."""

    name = "SHARE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the ratio."""
        try:
            ratio = parse_ratio(value) if isinstance(value, str) else float(value)
        except ValueError as error:
            return self.fail(str(error), param, ctx)
        if not 0 < ratio < 1:
            return self.fail(f"expected a share above 0 % and below 100 %, got '{value}'", param, ctx)
        return ratio


class Processors(click.ParamType):  # type: ignore[type-arg] # generic in newer versions of click
    """Processors of every arm."""

    name = "PROCESSORS"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> str | int | tuple[int, ...]:
        """Return which, as a scene has it; a list names them, a single number is how many."""
        from assay.factors.base.number_lists import read_numbers  # with all of a factor: only where asked

        text = str(value)
        if text in (ALL, ALL_CORES):
            return text
        try:
            if text.isdecimal() and 1 <= int(text) <= MOST_PROCESSORS:
                return int(text)
            if not text.isdecimal() and (listed := read_numbers(text)):
                return listed
        except ValueError:
            pass
        return self.fail(
            f"expected all, all-cores, a number from 1 or a list like 0,2-5, got '{text:.60}'", param, ctx
        )

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the words that begin so."""
        del ctx, param
        return [CompletionItem(word) for word in (ALL, ALL_CORES) if word.startswith(incomplete)]


_GOAL = (
    click.option(
        "--precision", type=ShareParam(), help="Stop when the intervals are this half-width, like '0.5 %'."
    ),
    click.option(
        "--maximum-blocks",
        type=click.IntRange(6, 1000),
        help="Stop as soon as every metric has a verdict (or the precision), after so many blocks at "
        "the latest.",
    ),
    click.option(
        "--time-budget",
        "time_budget_s",
        type=Seconds(),
        help="Stop so too; begin no block that would end later than this, like '8 h'.",
    ),
)
_OPTIONS = (
    click.option("--copies", type=click.IntRange(1, 4096), help="Copies of each workload that run at once."),
    click.option(
        "--threads", type=click.IntRange(1, 65536), help="Threads of each copy, told as ASSAY_THREADS."
    ),
    click.option(
        "--stagger", "stagger_s", type=Seconds(), help="Time between the starts of copies, like '2 s'."
    ),
    click.option(
        "--watch", type=Names("group", GROUPS), help="Groups of series to sample, like delay,pressure."
    ),
    click.option(
        "--counters", type=Names("counter", COUNTERS), help="Event counters, like instructions,page-faults."
    ),
    click.option(
        "--profile",
        "hz",
        type=Rate(),
        is_flag=False,
        flag_value=str(HZ),
        metavar="[HZ]",
        help=f"Sample the stacks of each trial, {HZ} times a second or HZ.",
    ),
    click.option("--system", is_flag=True, help="Profile the whole machine, not the job alone."),
)


def goal_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that end an activity as soon as it has measured enough."""
    for option in reversed(_GOAL):
        command = option(command)
    return command


def observing_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of placement and observation to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def profile_of(hz: int | None, *, system: bool) -> Profile | None:
    """Return the profile that two options ask for: the machine's may be asked for alone."""
    if hz is None and not system:
        return None
    return Profile(hz or HZ, Scope.MACHINE if system else Scope.JOB)
