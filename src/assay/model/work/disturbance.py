"""What else happened on the machine that carries both arms while a trial ran."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Cause(StrEnum):
    """Why a trial may be run again: declared before the start, seen from outside both arms, never
    its value.
    """

    FOREIGN_CPU = "foreign-cpu"
    HOST_STEAL = "host-steal"
    THROTTLED = "throttled"
    SWAP = "swap"
    CLOCK_STEP = "clock-step"


@dataclass(frozen=True)
class HostOver:
    """The host over one trial, read by its controller in the same way on both arms; ``None`` is "not told".

    Attributes:
        seconds: Time between the reading before the trial and that after it.
        cpus: The measured processors.
        foreign_s: CPU seconds that others than the job had there; of a guest, others than its QEMU process.
        steal_s: CPU seconds that the host's own hypervisor took from them.
        throttle_count: Times that the processor slowed itself down for heat or power.
        below_base: Whether the highest frequency allowed lay below the base frequency.
        swap_pages: Pages swapped in and out, of the whole machine.
        clock_step_s: How far the wall clock was set, forward above zero; a suspension counts as well.
        controller_s: CPU seconds of assay itself and the programs that it keeps running, wherever they ran;
            ``None`` in records before format 1.7, too.
    """

    seconds: float
    cpus: tuple[int, ...]
    foreign_s: float | None
    steal_s: float | None
    throttle_count: int | None
    below_base: bool | None
    swap_pages: int | None
    clock_step_s: float | None
    controller_s: float | None = None


@dataclass(frozen=True)
class Disturbance:
    """A declared cause that was found.

    Attributes:
        cause: Which.
        amount: Share of the measured processors' time that others or the host's own hypervisor had, times
            that a processor slowed itself down, pages that were swapped, or seconds by which the clock was
            set; ``None`` for a processor that was held below its base frequency.
    """

    cause: Cause
    amount: float | None
