"""What a guest's host counted in each phase of a trial, as data."""

# ruff: noqa: RUF009 - say() is dataclasses.field() with a help text

from __future__ import annotations

from dataclasses import dataclass

from assay.pages.say import say


@dataclass(frozen=True)
class Growth:
    """What a counter of the host grew by in a phase."""

    value: float | None = say(
        "Its growth, even between two samples; null where the phase is shorter than the time "
        "between samples and the bounds leave more than one."
    )
    low: float = say("It grew by at least this: from the first sample in the phase to the last.")
    high: float = say("It grew by at most this: from the last sample before the phase to the first after it.")


@dataclass(frozen=True)
class Named:
    """One of several counters by its name."""

    name: str = say("The kernel's own name.")
    amount: Growth = say("What it grew by.")


@dataclass(frozen=True)
class HostPhase:
    """What the host of a guest counted in one phase of its job; null is "not told"."""

    phase: str = say(
        "Name of the phase, of copy 0 where there are several; `whole trial` where none were told of."
    )
    seconds: float = say("Length of the phase, all stays together, seconds of the controller's clock.")
    vcpu_run_s: Growth | None = say("Seconds that the guest's vCPU threads ran on the host's processors.")
    vcpu_wait_s: Growth | None = say("Seconds that they could run and waited for one.")
    steal_s: float | None = say(
        "Steal that the guest's own kernel counted, in its ticks; null under TCG, where nobody tells it."
    )
    other_s: Growth | None = say("CPU seconds of QEMU's other threads.")
    read_bytes: Growth | None = say("Bytes that QEMU read from storage, the host's page cache passed by.")
    write_bytes: Growth | None = say("Bytes that QEMU sent to storage.")
    received_bytes: Growth | None = say("Bytes that the guest received over its taps; null without one.")
    sent_bytes: Growth | None = say("Bytes that it sent over them.")
    exits: tuple[Named, ...] = say(
        "Exits of the vCPUs from the guest, all and by reason; empty under TCG and where KVM does not tell."
    )
    events: tuple[Named, ...] = say(
        "Events of the whole host's memory management: transparent huge pages, same-page "
        "merging, NUMA balancing; names that its kernel has not are missing."
    )
