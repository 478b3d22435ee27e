"""How the processors and the memory of an arm are shared out between several guests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

MIB = 1024**2
LEAST_BYTES = 256 * MIB
"""Of a guest: what Debian's kernel and system need to boot, with a little for the work."""


@dataclass(frozen=True)
class Layout:
    """How many guests share an arm, and how their jobs start.

    Attributes:
        guests: How many; they have the arm's cores and memory in equal parts, and do its work together.
        stagger_s: Time from the start of one guest's job to that of the next; of ``at_once`` guests' jobs to
            those of the next so many.
        preload: The workload's files are put into the guests' page cache first, whatever ``cache`` says.
        at_once: Guests whose jobs start together, 1 or more; 1 where there is no stagger.
    """

    guests: int = 1
    stagger_s: float = 0.0
    preload: bool = False
    at_once: int = 1

    @property
    def starts(self) -> tuple[float, ...]:
        """When each guest's job starts, in seconds after the first."""
        return tuple(number // self.at_once * self.stagger_s for number in range(self.guests))


def layout_of(guests: int, stagger_s: float = 0.0, *, preload: bool = False, at_once: int = 1) -> Layout:
    """Return a layout in the one form that its starts have.

    One guest has nobody to be staggered against, and as many at once as there are guests, or more, is no
    stagger; without a stagger nothing is said of how many start at once.

    Args:
        guests: How many, 1 or more.
        stagger_s: Time between starts, 0 or more.
        preload: Files are put into the page cache first.
        at_once: Guests whose jobs start together, 1 or more.
    """
    apart = stagger_s > 0 and at_once < guests
    return Layout(guests, stagger_s if apart else 0.0, preload, at_once if apart else 1)


@dataclass(frozen=True)
class GuestShare:
    """What one guest of a layout gets.

    Attributes:
        cpus: Processors of the host; it has as many vCPUs.
        memory_bytes: Its memory, in whole MiB.
        number: Which of the guests it is, from 0.
    """

    cpus: tuple[int, ...]
    memory_bytes: int
    number: int = 0


def divides(guests: int, cores: int) -> bool:
    """Tell whether cores can be shared out: in equal parts, or one to each guest where there are
    more guests.
    """
    return cores % guests == 0 if guests <= cores else True


def fitting_cores(guests: Sequence[int], most: int) -> int:
    """Return the most cores, at most so many, that every one of several numbers of guests can share."""
    return next(cores for cores in range(most, 0, -1) if all(divides(count, cores) for count in guests))


def memory_share(guests: int, memory_bytes: int) -> int:
    """Return the memory of each guest, rounded down to MiB."""
    return memory_bytes // guests // MIB * MIB


def shares(layout: Layout, cores: Sequence[int], memory_bytes: int) -> tuple[GuestShare, ...]:
    """Return what each guest gets; more guests than cores have one each, in turn.

    Args:
        layout: How many guests.
        cores: The arm's processors on the host.
        memory_bytes: The arm's memory.

    Raises:
        ValueError: the cores cannot be cut into so many equal parts.
    """
    count = layout.guests
    if not divides(count, len(cores)):
        msg = f"{len(cores)} cores cannot be cut into {count} equal parts"
        raise ValueError(msg)
    each = max(1, len(cores) // count)
    first = enumerate(number * each % len(cores) for number in range(count))
    memory = memory_bytes if count == 1 else memory_share(count, memory_bytes)
    return tuple(GuestShare(tuple(cores[at : at + each]), memory, number) for number, at in first)


def label_of(layout: Layout, cores: int | None = None, *, of: str = "guest") -> str:
    """Return what a layout is called, ``4 guests on 2 cores, stagger 5 s, 2 at once, preload``.

    Args:
        layout: The layout.
        cores: Cores of the arm; fewer than guests are said. ``None`` says nothing of them.
        of: What share it, in the singular.
    """
    count = layout.guests
    shared = cores is not None and cores < count
    on = f" on {cores} core{'s' if cores != 1 else ''}" if shared else ""
    starts = "".join(f", {word}" for word in start_words(layout.stagger_s, layout.at_once))
    return f"{count} {of}{'s' if count > 1 else ''}{on}{starts}{', preload' if layout.preload else ''}"


def start_words(stagger_s: float, at_once: int) -> tuple[str, ...]:
    """Return what is said of starts in labels, ``stagger 5 s`` and ``2 at once``; nothing of one moment."""
    stagger = (f"stagger {stagger_s:g} s",) if stagger_s else ()
    return (*stagger, *((f"{at_once} at once",) if at_once > 1 else ()))
