"""What a page says of the weight of guests, as data: what each held of its host beside its own memory."""

# ruff: noqa: RUF009 - say() is dataclasses.field() with a help text

from __future__ import annotations

from dataclasses import dataclass

from assay.model.trial import Arm
from assay.pages.say import say


@dataclass(frozen=True)
class Amount:
    """A mean over boots with Student's interval."""

    value: float = say("Mean over boots, in the unit of its field.")
    low: float | None = say("Lower end of the interval; null below two boots.")
    high: float | None = say("Upper end of the interval; null below two boots.")
    boots: int = say("Boots that it was taken from, each restored visit as one; each counts once.")


@dataclass(frozen=True)
class WeightPoint:
    """What a guest weighed at the end of one trial."""

    boot: int = say(
        "Boot or restored visit from 0, in the order of the plan; its trials are not independent."
    )
    trial: str = say("Name of the trial's record.")
    age_s: float = say("Seconds since the start of the QEMU process.")
    beside_bytes: int = say("What the QEMU process held beside the guest's memory.")
    touched_bytes: int = say("The part of the guest's memory that the host held.")
    disk_bytes: int = say("What the guest's own disk took on the host's file system.")
    last: bool = say("It was the last trial of its visit: the means are taken over these.")


@dataclass(frozen=True)
class GuestWeights:
    """The weight of the guests of one arm, or of one treatment of several."""

    label: str = say("Label of the arm, or of the treatment where there are several.")
    arm: Arm = say("`baseline` or `treatment`.")
    memory_bytes: int = say("Memory that the guest was given.")
    vcpus: int = say("Number of its virtual processors.")
    accelerator: str = say("`kvm` or `tcg`.")
    age_s: float | None = say("Mean age at the end of a visit, seconds; null without a boot weighed there.")
    beside_bytes: Amount | None = say(
        "Memory of the QEMU process beside the guest's at the end of a visit; null without such "
        "a boot, as in what follows."
    )
    beside_bytes_per_vcpu: Amount | None = say("The same over the number of vCPUs.")
    touched_share: Amount | None = say("Share of the guest's memory that the host held then, a fraction.")
    disk_bytes: Amount | None = say("What the guest's own disk took then.")
    other_cpu_share: Amount | None = say(
        "CPU time of QEMU outside its vCPU threads over the time of the trials, as a share of one processor."
    )
    points: tuple[WeightPoint, ...] = say("Every weighing, in the order of the plan.")
