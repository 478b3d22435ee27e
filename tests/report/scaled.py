"""Scaling curves written by hand: a host that ends at its disk, a guest that ends at two workers."""

from __future__ import annotations

from assay.model.trial import Arm
from assay.report.scaling import Scaling, ScalingCurve, ScalingPoint


def _points(rates: dict[int, float], half: float) -> tuple[ScalingPoint, ...]:
    least, base = next(iter(rates.items()))
    return tuple(
        ScalingPoint(
            workers, 5, rate, rate * (1 - half), rate * (1 + half),
            (share := rate * least / (base * workers)), share * (1 - half / 2), share * (1 + half / 2),
        )
        for workers, rate in rates.items()
    )  # fmt: skip


HOST = ScalingCurve(
    Arm.BASELINE, "host", _points({1: 812.0, 2: 1618.5, 4: 3213.0, 6: 4790.0, 8: 4915.0, 10: 4902.5}, 0.015),
    6.07, 5.94, 6.21, 8, "disk throughput",
    "Behind the knee the disk moves 55 MB/s, is busy 98% of the time, the processors are 61% busy.",
    "Use more or faster disks, or preload the input.",
)  # fmt: skip
GUEST = ScalingCurve(
    Arm.TREATMENT, "guest", _points({1: 644.0, 2: 1279.0, 4: 1466.0, 6: 1402.5, 8: 1371.0, 10: 1290.0}, 0.04),
    2.24, 2.02, 2.49, 4, "lock contention",
    "Behind the knee 71% of the CPU time is spent in the kernel, 6% with the fewest workers: workers wait for its locks.",
    "Profile the kernel ('profile: {scope: machine}', as root).",
)  # fmt: skip
STRAIGHT = ScalingCurve(
    Arm.BASELINE, "host", (ScalingPoint(1, 1, 3.5, None, None, 1.0, None, None),
                           ScalingPoint(2, 1, 7.0, None, None, 1.0, None, None)),
    None, None, None, 2, "none", "A knee is looked for from three numbers of workers on.", None,
)  # fmt: skip
SCALINGS = (
    Scaling("proof", "events_per_s", "events/s", (HOST, GUEST)),
    Scaling("<b>alone</b>", "jobs", "jobs/s", (STRAIGHT,)),
)
