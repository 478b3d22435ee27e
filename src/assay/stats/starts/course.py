"""What becomes of jobs that start on one machine whose disk feeds only so many guests at once.

A job's initialization reads its software from the disk. Guests that do so at once share the disk; jobs of one
guest share its page cache, so that the first of them reads and the others follow; what a guest has read
before lies in its memory.

Source:
    Egalitarian processor sharing with a limit for each customer: L. Kleinrock, "Queueing Systems", volume 2
    (1976), section 4.4; the bounds max(a, n d) of a closed system, which it comes to where all start at once:
    P. J. Denning, J. P. Buzen, "The Operational Analysis of Queueing Network Models", ACM Computing Surveys
    10 (1978) 225-261.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

KEPT_S = 3600.0
"""Seconds after the last job of a guest for which what it read is taken to lie in its memory still."""


class Files(StrEnum):
    """Where a job's files were as it started."""

    DISK = "disk"
    """On the disk: the guest reads them for it."""
    FOLLOWED = "followed"
    """Another job of the guest was just reading them."""
    MEMORY = "memory"
    """In the guest's page cache."""


@dataclass(frozen=True, slots=True)
class Start:
    """A job's start on a machine.

    Attributes:
        guest: The node that it ran on; of a physical node the machine itself.
        at_s: When it started, seconds of any clock.
        ended_s: When it ended, the same clock.
        init_s: Seconds of its initialization as measured, above 0; ``None`` where nothing was seen of one.
        read_bytes: What it had read from the disk by then; ``None`` is "not told".
        iowait_s: Processor seconds that its guest had spent in I/O wait by then; ``None`` is "not told".
    """

    guest: str
    at_s: float
    ended_s: float
    init_s: float | None = None
    read_bytes: float | None = None
    iowait_s: float | None = None

    @property
    def in_wait(self) -> float | None:
        """Processors of the guest in I/O wait, mean over the initialization; ``None`` is "not told"."""
        return None if self.iowait_s is None or not self.init_s else self.iowait_s / self.init_s


@dataclass(frozen=True, slots=True)
class Startup:
    """What the initialization of jobs is like on machines of one class.

    Attributes:
        alone_s: Seconds that it takes where no other guest of the machine reads, above 0.
        fed: Guests that the disk feeds at once, none waiting for another, at least 1; ``inf``: no limit.
        kept: Part of ``alone_s`` that is left where the files lie in the guest's memory, above 0 to 1.
    """

    alone_s: float
    fed: float = math.inf
    kept: float = 1.0

    def together_s(self, guests: int) -> float:
        """Return the seconds of an initialization where so many guests begin at once, none with its files."""
        return self.alone_s * max(1.0, guests / self.fed)


def course(starts: Sequence[Start], of: Startup) -> list[tuple[float, Files]]:
    """Return the seconds that each job initializes, and where its files were.

    Args:
        starts: All jobs of one machine, ascending by ``at_s``.
        of: What initialization is like there.

    Limits:
        Guests read alike, and evenly over their initialization. What a guest read before its first job here
        is not known: its first job finds nothing in memory.
    """
    machine = _Machine(of, starts)
    for job, start in enumerate(starts):
        machine.until(start.at_s)
        machine.begin(job)
    machine.until(math.inf)
    return [machine.found[job] for job in range(len(starts))]


@dataclass(slots=True)
class _Reading:
    """A guest that reads; the first of ``jobs`` has it read, the others follow."""

    guest: str
    done: float
    jobs: list[int]


class _Machine:
    """The disk of a machine: all guests that read get the same share of it, so that the first ends first."""

    def __init__(self, of: Startup, starts: Sequence[Start]) -> None:
        self.found: dict[int, tuple[float, Files]] = {}
        self._of, self._starts = of, starts
        self._now_s, self._served = -math.inf, 0.0
        self._queue: deque[_Reading] = deque()
        self._by_guest: dict[str, _Reading] = {}
        self._kept_until: dict[str, float] = {}

    def until(self, then_s: float) -> None:
        """Go on to a time, and end what ends before it."""
        while self._queue:
            speed, first = min(1.0, self._of.fed / len(self._queue)), self._queue[0]
            left_s = (first.done - self._served) / speed
            if self._now_s + left_s > then_s:
                self._served += (then_s - self._now_s) * speed
                break
            self._now_s += left_s
            self._served = first.done
            self._end(self._queue.popleft())
        self._now_s = then_s

    def _end(self, reading: _Reading) -> None:
        del self._by_guest[reading.guest]
        for place, job in enumerate(reading.jobs):
            start = self._starts[job]
            least_s = self._of.alone_s * self._of.kept if place else 0.0
            took_s = max(self._now_s - start.at_s, least_s)
            self.found[job] = took_s, Files.FOLLOWED if place else Files.DISK
            self._keep(reading.guest, max(self._now_s, start.ended_s))

    def _keep(self, guest: str, used_s: float) -> None:
        self._kept_until[guest] = max(used_s + KEPT_S, self._kept_until.get(guest, -math.inf))

    def begin(self, job: int) -> None:
        """Start a job now."""
        start, whole = self._starts[job], self._of.alone_s
        if (reading := self._by_guest.get(start.guest)) is not None:
            reading.jobs.append(job)
        elif self._kept_until.get(start.guest, -math.inf) >= start.at_s:
            self.found[job] = whole * self._of.kept, Files.MEMORY
            self._keep(start.guest, start.ended_s)
        else:
            self._by_guest[start.guest] = reading = _Reading(start.guest, self._served + whole, [job])
            self._queue.append(reading)
