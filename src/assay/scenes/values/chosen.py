"""What a scene runs, and the family that a list of event numbers or copies makes of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import product

from assay.model.units import BYTES
from assay.model.work.page_cache import CacheSpec
from assay.model.work.phase import PhaseRules
from assay.model.work.placement import PlacementSpec
from assay.model.work.reading import Reading, Success
from assay.model.work.workload import OUTPUT_BYTES
from assay.workloads import Parameters
from assay.workloads.command import TIME_LIMIT_S

EVENTS = "{events}"
"""What stands for the event number in a command."""


@dataclass(frozen=True)
class Ready:
    """A workload of the library, with some of its parameters given.

    Attributes:
        name: Its name in the library.
        parameters: What is given; its events stay ``None``.
        placement: Its copies, and where they run.
        cache: State of its files at the start.
        events: Event numbers, each a workload of the plan; empty leaves the workload its own.
        copies: Numbers of copies, two or more, each a workload of the plan; empty leaves it to ``placement``.
        sizes: File sizes in bytes, two or more; each with each record a workload of the plan.
        records: Record sizes in bytes, two or more, in the same way.
        called: Its name in results; ``None`` is that of the library.
        copies_inside: Numbers of copies in a container, two or more, each a workload of the plan; empty
            leaves it to ``parameters``.
    """

    name: str
    parameters: Parameters = field(default=Parameters())
    placement: PlacementSpec = field(default=PlacementSpec())
    cache: CacheSpec | None = None
    events: tuple[int, ...] = ()
    copies: tuple[int, ...] = ()
    sizes: tuple[int, ...] = ()
    records: tuple[int, ...] = ()
    called: str | None = None
    copies_inside: tuple[int, ...] = ()


@dataclass(frozen=True)
class Own:
    """A workload of the user's own.

    Attributes:
        name: Unique within the scene.
        command: Argument list, started in the scratch folder.
        inputs: Paths that are put there first, as written: relative to the scene file's folder.
        time_limit_s: After this the trial has failed.
        output_limit_bytes: Most that each stream of a copy may hold.
        placement: Its copies, and where they run.
        phases: How its phases are told; ``None`` is "they are not".
        cache: State of its files at the start, the scene's where it says none; ``None`` is "as it is".
        events: What ``{events}`` in the command stands for, each a workload of the plan; empty without it.
        copies: Numbers of copies, two or more, each a workload of the plan; empty leaves it to ``placement``.
        prepare: Argument lists that make its input files before the clock starts.
        metrics: How figures of its own are read, beside its times.
        parser: Tool whose reader reads what it wrote; ``None`` where no figure needs one.
        success: When it has succeeded; ``None`` is "it exited with 0".
    """

    name: str
    command: tuple[str, ...]
    inputs: tuple[str, ...] = ()
    time_limit_s: float = TIME_LIMIT_S
    placement: PlacementSpec = field(default=PlacementSpec())
    phases: PhaseRules | None = None
    cache: CacheSpec | None = None
    events: tuple[int, ...] = ()
    copies: tuple[int, ...] = ()
    prepare: tuple[tuple[str, ...], ...] = ()
    metrics: tuple[Reading, ...] = ()
    parser: str | None = None
    success: Success | None = None
    output_limit_bytes: int = OUTPUT_BYTES


@dataclass(frozen=True)
class Member:
    """One workload of the plan, as it comes from what a scene says.

    Attributes:
        name: Unique within the scene: ``two-phase``, ``two-phase-n1000``, ``two-phase-c4``,
            ``iozone-s1g-r64k``.
        chosen: With this event number in it and this number of copies.
        events: Its event number; ``None`` where none is said.
        family: Name of what it comes from, where more than one does.
    """

    name: str
    chosen: Ready | Own
    events: int | None = None
    family: str | None = None


def members(chosen: Ready | Own) -> tuple[Member, ...]:
    """Return the workloads of the plan that one of a scene makes: one an event number, a number of copies, or
    a size.

    Args:
        chosen: With several event numbers, several numbers of copies or several sizes, never two of them
            (``checks``).
    """
    if isinstance(chosen, Ready) and (chosen.sizes or chosen.records):
        return tuple(_sized(chosen))
    if chosen.copies:
        one = chosen.events[0] if chosen.events else None
        return tuple(_copies(chosen, count, one) for count in chosen.copies)
    if isinstance(chosen, Ready) and chosen.copies_inside:
        return tuple(_inside(chosen))
    if len(chosen.events) < 2:
        one = chosen.events[0] if chosen.events else None
        return (Member(name_of(chosen), with_events(chosen, one), one),)
    return tuple(
        Member(sized_name(name_of(chosen), number), with_events(chosen, number), number, name_of(chosen))
        for number in chosen.events
    )


def name_of(chosen: Ready | Own) -> str:
    """Return what a workload of a scene is called in results."""
    return chosen.called or chosen.name if isinstance(chosen, Ready) else chosen.name


def sized_name(family: str, events: int) -> str:
    """Return what a workload is called that comes from one with several event numbers."""
    return f"{family}-n{events}"


def _sized(chosen: Ready) -> Iterator[Member]:
    """Yield every file size with every record size; the record size changes fastest."""
    events = chosen.events[0] if chosen.events else None
    given = chosen.parameters
    for size, record in product(chosen.sizes or (given.size_bytes,), chosen.records or (given.record_bytes,)):
        reported = {"s": size if chosen.sizes else None, "r": record if chosen.records else None}
        suffix = "".join(
            f"-{letter}{_short(count)}" for letter, count in reported.items() if count is not None
        )
        parameters = replace(given, size_bytes=size, record_bytes=record)
        one = replace(chosen, parameters=parameters, sizes=(), records=())
        yield Member(f"{name_of(chosen)}{suffix}", with_events(one, events), events, name_of(chosen))


def _short(count: int) -> str:
    """Spell a size as iozone does, ``64k``, in the largest unit that it is a whole number of."""
    unit = next(unit for unit in ("TiB", "GiB", "MiB", "KiB", "B") if count % BYTES[unit] == 0)
    return f"{count // BYTES[unit]}{unit[0].lower()}"


def _copies(chosen: Ready | Own, count: int, events: int | None) -> Member:
    placed = replace(chosen, placement=replace(chosen.placement, copies=count), copies=())
    return Member(f"{name_of(chosen)}-c{count}", with_events(placed, events), events, name_of(chosen))


def _inside(chosen: Ready) -> Iterator[Member]:
    """Yield a container with each number of copies inside."""
    events = chosen.events[0] if chosen.events else None
    given, run = chosen.parameters, chosen.parameters.container
    for count in chosen.copies_inside:
        parameters = replace(given, container=run and replace(run, copies=count))
        one = replace(chosen, parameters=parameters, copies_inside=())
        yield Member(f"{name_of(chosen)}-c{count}", with_events(one, events), events, name_of(chosen))


def with_events(chosen: Ready | Own, events: int | None) -> Ready | Own:
    """Return what a scene runs with one event number filled in."""
    if events is None:
        return chosen
    if isinstance(chosen, Ready):
        return replace(chosen, parameters=replace(chosen.parameters, events=events), events=())
    command = _filled(chosen.command, events)
    prepare = tuple(_filled(one, events) for one in chosen.prepare)
    return replace(chosen, command=command, prepare=prepare, events=())


def _filled(command: tuple[str, ...], events: int) -> tuple[str, ...]:
    return tuple(word.replace(EVENTS, str(events)) for word in command)
