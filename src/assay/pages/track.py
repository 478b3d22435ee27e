"""What a page says of a trial over time, as data: phases, and quantities on the controller's clock."""

# ruff: noqa: RUF009 - say() is dataclasses.field() with a help text

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from assay.model.trial import Arm
from assay.pages.host_phase import HostPhase
from assay.pages.say import say

Quantity = Literal[
    "job_user", "job_system", "machine_user", "machine_system", "machine_iowait", "machine_steal", "job_rss",
    "read", "write", "logical_read", "logical_write", "events",
    "vcpu_run", "vcpu_wait", "qemu_other", "qemu_read", "qemu_write", "net_received", "net_sent",
]  # fmt: skip


@dataclass(frozen=True)
class PhaseSpan:
    """One phase of one copy of a trial's job."""

    copy: int = say("Copy of the command from 0.")
    phase: str = say("Name of the phase; `init` before the job told of any.")
    started_s: float = say("Its beginning, seconds of the controller's clock after the job's release.")
    ended_s: float = say("Its end, on the same clock.")
    share: float = say("Its share of the trial's wall time, a fraction.")
    user_s: float | None = say(
        "CPU seconds of the job in user mode; null where other copies ran beside this one."
    )
    system_s: float | None = say("CPU seconds of the job in the kernel; null as above.")
    events: int | None = say("Events in it; null where none were told of.")


@dataclass(frozen=True)
class ProbeUse:
    """What watching one trial took: the probe's own cost."""

    cpu_share: float | None = say("Its CPU seconds over the trial's wall time, a fraction of one core.")
    rss_bytes: int = say("Its largest resident set.")
    samples: int = say("Samples that it took.")
    largest_gap_s: float | None = say("Longest time between two samples; null for fewer than two.")
    wake_ups: int | None = say("Times that it was woken; null where it did not count them (protocol 1.0).")


@dataclass(frozen=True)
class Line:
    """One quantity of a trial over time."""

    quantity: Quantity = say(
        "What it is; CPU in cores, `job_rss` in bytes, I/O in bytes/s, events in 1/s. `vcpu_…`, "
        "`qemu_…`, `net_…` are of the guest, as its host saw it."
    )
    values: tuple[float | None, ...] = say(
        "One value a step: mean rates, for `job_rss` the largest value; null = not measured."
    )
    least: tuple[float | None, ...] = say(
        "Smallest rate between two samples of each step, for `job_rss` the smallest value; empty where a "
        "step is what lies between two samples, and of `events`.",
        default=(),
    )
    most: tuple[float | None, ...] = say("The largest, likewise.", default=())


@dataclass(frozen=True)
class Track:
    """One trial over time."""

    trial: str = say("Name of the trial's record.")
    arm: Arm = say("`baseline` or `treatment`.")
    label: str = say("Where it ran: the label of its arm.")
    wall_s: float = say("Length of the job, seconds of the controller's clock.")
    uncertainty_s: float | None = say(
        "Moments are known to this on the controller's clock; null where the machine's clock is that clock."
    )
    bounds_s: tuple[float, ...] = say(
        "Ends of the steps, seconds after the release; one more than there are values."
    )
    lines: tuple[Line, ...] = say("Quantities that were measured.")
    phases: tuple[PhaseSpan, ...] = say("Its phases; empty where none were told of.")
    vcpu_s: float | None = say(
        "CPU seconds of the guest's vCPUs as the hypervisor counted them; null outside a guest."
    )
    other_s: float | None = say("CPU seconds of the rest of the QEMU process; null outside a guest.")
    host: tuple[HostPhase, ...] = say(
        "What the guest's host counted in each phase; empty outside a guest and where it was not watched.",
        default=(),
    )


@dataclass(frozen=True)
class Timeline:
    """The trials of one block of one workload, side by side."""

    workload: str = say("Name of the workload.")
    block: int = say("Block from 0.")
    tracks: tuple[Track, ...] = say("Its trials, the baseline's first; at most one of each arm.")
