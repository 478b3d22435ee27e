"""Weight of the guests of a result: each visit is one sample, taken at the end of its last trial.

A visit has a QEMU process of its own, also where its guest is restored and shares its boot with other visits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from assay.model.activity import ActivityPlan, PlannedArm
from assay.model.platforms.platform import GuestWeight
from assay.model.trial import Arm, Trial
from assay.pages.families.weight import Amount, GuestWeights, WeightPoint
from assay.stats.mean import student

Boot = list[Trial]
"""The trials of one guest in one visit, in the order in which they ran."""


def guest_weights(plan: ActivityPlan, records: Sequence[Trial]) -> tuple[GuestWeights, ...]:
    """Return what the guests of each arm weighed; none where no guest was weighed.

    Args:
        plan: What was planned.
        records: What ran; a failed trial has a weight, too.
    """
    arms = ((arm, Arm.BASELINE if arm is plan.baseline else Arm.TREATMENT)
             for arm in plan.arms if arm.guest is not None)  # fmt: skip
    by_arm = (_weights(plan, arm, which, records) for arm, which in arms)
    return tuple(weights for weights in by_arm if weights is not None)


def _weights(
    plan: ActivityPlan, arm: PlannedArm, which: Arm, records: Sequence[Trial]
) -> GuestWeights | None:
    boots = _boots(plan, arm, records)
    weighed = [record for boot in boots for record in boot if record.weight and record.platform]
    if not weighed or weighed[0].platform is None:
        return None
    platform, lasts = weighed[0].platform, _last_trials(plan)
    ends = [w for boot in boots if boot[-1].planned.index in lasts and (w := boot[-1].weight)]

    def mean(of: Callable[[GuestWeight], float]) -> Amount | None:
        return _amount([of(weight) for weight in ends], plan.confidence)

    age = mean(lambda weight: weight.age_s)
    return GuestWeights(
        label=arm.label,
        arm=which,
        memory_bytes=platform.memory_bytes,
        vcpus=platform.vcpus,
        accelerator=platform.accelerator,
        age_s=age.value if age else None,
        beside_bytes=mean(lambda weight: weight.beside_bytes),
        beside_bytes_per_vcpu=mean(lambda weight: weight.beside_bytes / platform.vcpus),
        touched_share=mean(lambda weight: weight.touched_bytes / weight.memory_bytes),
        disk_bytes=mean(lambda weight: weight.disk_bytes),
        other_cpu_share=_amount([s for boot in boots if (s := _other(boot)) is not None], plan.confidence),
        points=tuple(_points(boots, lasts)),
    )


def _boots(plan: ActivityPlan, arm: PlannedArm, records: Sequence[Trial]) -> list[Boot]:
    """Return the trials of each boot of an arm; a visit that was resumed in a new guest is another boot.

    Visits of a restored guest have the identity of the one boot that was saved, and are told apart by their
    place. Trials that several guests ran together are left out: the map of layouts has what all of them
    weighed.
    """
    boots: dict[tuple[str, int, int], Boot] = {}
    for record in sorted(records, key=lambda record: record.planned.index):
        if plan.arm_of(record.planned) is arm and not record.members:
            visit = (record.boot, record.planned.block, record.planned.slot)
            boots.setdefault(visit, []).append(record)
    return list(boots.values())


def _last_trials(plan: ActivityPlan) -> frozenset[int]:
    """Return the places of the trials that end a visit."""
    return frozenset({(trial.block, trial.slot): trial.index for trial in plan.trials}.values())


def _other(boot: Boot) -> float | None:
    """Return the processors that QEMU kept busy beside its vCPUs over a boot's trials; ``None`` is "not
    counted".
    """
    spent = [
        (r.hypervisor_cpu.other_s,
        r.host.seconds) for r in boot if r.hypervisor_cpu and r.host and r.host.seconds > 0
    ]  # fmt: skip
    return sum(cpu for cpu, _ in spent) / sum(seconds for _, seconds in spent) if spent else None


def _amount(values: Sequence[float], confidence: float) -> Amount | None:
    if not values:
        return None
    centre = student(values, confidence)
    low, high = (centre.low, centre.high) if centre.finite else (None, None)
    return Amount(centre.value, low, high, len(values))


def _points(boots: Sequence[Boot], lasts: frozenset[int]) -> Iterator[WeightPoint]:
    for number, boot in enumerate(boots):
        for record in boot:
            if (weight := record.weight) is not None:
                yield WeightPoint(
                    boot=number,
                    trial=record.planned.name,
                    age_s=weight.age_s,
                    beside_bytes=weight.beside_bytes,
                    touched_bytes=weight.touched_bytes,
                    disk_bytes=weight.disk_bytes,
                    last=record is boot[-1] and record.planned.index in lasts,
                )
