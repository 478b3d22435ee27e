"""Phases of a job: how they are told, and how long they took."""

from __future__ import annotations

from dataclasses import dataclass

from assay.model.machines.clock import Instant
from assay.model.work.observation import PhaseCount

FIRST_PHASE = "init"
"""The phase of a copy before it told of any."""


@dataclass(frozen=True)
class Mark:
    """A line of the log that begins a phase.

    Attributes:
        phase: Its name: letters, digits, ``-`` and ``_``.
        pattern: Regular expression (of Rust's ``regex``) that the line matches somewhere.
    """

    phase: str
    pattern: str


@dataclass(frozen=True)
class PhaseRules:
    """How the phases of a job are told.

    Attributes:
        marks: Lines that begin a phase.
        events: Pattern of a line that tells of an event; its first group, where it has one, is the number
            of events so far. ``None`` is "no line does".
        log: File that is read, relative to the copy's folder; ``None`` is standard output.
        announce: The job tells phases itself, by ``ASSAY_PHASE_FD`` or ``ASSAY_PHASE_SOCKET``.
    """

    marks: tuple[Mark, ...] = ()
    events: str | None = None
    log: str | None = None
    announce: bool = False


@dataclass(frozen=True)
class PhaseTime:
    """One stay of one copy in one phase, on the clock of the machine where it ran.

    Attributes:
        copy: Number of the copy from 0.
        phase: Name of the phase.
        started: Its begin.
        ended: Its end.
        wall_s: From begin to end.
        user_s: CPU seconds of the whole job in user mode; ``None`` where other copies ran beside this one.
        system_s: The same in the kernel.
        events: Events in it; ``None`` where none were told of.
        counters: Event counters of the whole job over it; empty where other copies ran beside this one.
        run_queue_s: As ``Usage`` has it, of the whole job; ``None`` also where other copies ran beside this
            one.
        block_io_s: The same for block I/O.
        io_wait_s: As ``Usage`` has it, of the job's processors; so is what follows.
        steal_s: Taken by a hypervisor.
        idle_s: Idle.
    """

    copy: int
    phase: str
    started: Instant
    ended: Instant
    wall_s: float
    user_s: float | None
    system_s: float | None
    events: int | None
    counters: tuple[PhaseCount, ...] = ()
    run_queue_s: float | None = None
    block_io_s: float | None = None
    io_wait_s: float | None = None
    steal_s: float | None = None
    idle_s: float | None = None
