"""Scaling curves written by hand: knees at a disk and at two workers, and curves that bend all the way."""

from __future__ import annotations

from typing import Any

from assay.explain.scaling import Form
from assay.model.trial import Arm
from assay.pages.families.scaling import Scaling, ScalingCurve, ScalingPoint


def _points(rates: dict[int, float], half: float) -> tuple[ScalingPoint, ...]:
    least, base = next(iter(rates.items()))
    return tuple(
        ScalingPoint(
            workers, 5, rate, rate * (1 - half), rate * (1 + half),
            (share := rate * least / (base * workers)), share * (1 - half / 2), share * (1 + half / 2),
        )
        for workers, rate in rates.items()
    )  # fmt: skip


NONE: dict[str, Any] = dict.fromkeys(
    name
    for parameter in ("serial", "coherency", "peak", "knee")
    for name in (parameter, f"{parameter}_low", f"{parameter}_high")
)


def _kneed(one: float, knee: float, low: float, high: float, slope: float) -> dict[str, Any]:
    return {
        **NONE,
        "law": Form.HINGE,
        "one": one,
        "knee": knee,
        "knee_low": low,
        "knee_high": high,
        "slope": slope,
    }


HOST = ScalingCurve(
    arm=Arm.BASELINE, label="host", **_kneed(806.2, 6.07, 5.94, 6.21, 0.0),
    points=_points({1: 812.0, 2: 1618.5, 4: 3213.0, 6: 4790.0, 8: 4915.0, 10: 4902.5}, 0.015),
    best=8, resource="disk throughput",
    sentence="Behind the knee the disk moves 55 MB/s, is busy 98% of the time, the processors are 61% busy.",
    next="Use more or faster disks, or preload the input.",
)  # fmt: skip
GUEST = ScalingCurve(
    arm=Arm.TREATMENT, label="guest", **_kneed(641.7, 2.24, 2.02, 2.49, -0.08),
    points=_points({1: 644.0, 2: 1279.0, 4: 1466.0, 6: 1402.5, 8: 1371.0, 10: 1290.0}, 0.04),
    best=4, resource="lock contention",
    sentence="Behind the knee 71% of the CPU time is spent in the kernel, 6% with the fewest workers: "
"workers wait for its locks.",
    next="Profile the kernel ('profile: {scope: machine}', as root).",
)  # fmt: skip
STRAIGHT = ScalingCurve(
    arm=Arm.BASELINE, label="host", **NONE, law=None, one=None, slope=None,
    points=(ScalingPoint(1, 1, 3.5, None, None, 1.0, None, None),
            ScalingPoint(2, 1, 7.0, None, None, 1.0, None, None)),
    best=2, resource="none", sentence="A knee is looked for from three numbers of workers on.", next=None,
)  # fmt: skip
AMDAHL = ScalingCurve(
    arm=Arm.BASELINE, label="host",
    **{**NONE, "law": Form.AMDAHL, "one": 100.2, "serial": 0.041, "serial_low": 0.032, "serial_high": 0.05,
    "slope": None},
    points=_points({1: 100.0, 2: 192.5, 4: 356.0, 8: 622.0, 12: 827.0}, 0.01),
    best=12, resource="cpu", sentence="With the most workers the 12 processors are 93% busy.",
    next="More processors, or less work for an event, is what would lift the rate.",
)  # fmt: skip
USL = ScalingCurve(
    arm=Arm.TREATMENT, label="guest",
    **{**NONE, "law": Form.USL, "one": 80.1, "serial": 0.05, "serial_low": 0.045, "serial_high": 0.055,
    "coherency": 0.01,
       "coherency_low": 0.0094, "coherency_high": 0.0106, "peak": 9.747, "peak_low": 9.5, "peak_high": 10.0,
       "slope": None},
    points=_points({1: 80.0, 2: 149.5, 4: 252.0, 8: 334.0, 12: 335.0}, 0.01),
    best=8, resource="unknown", sentence="Nothing that was measured tells what limits with the most workers.",
    next="Look for a lock in the program itself (profile).",
)  # fmt: skip
SCALINGS = (
    Scaling("proof", "events_per_s", "events/s", (HOST, GUEST)),
    Scaling("<b>alone</b>", "jobs", "jobs/s", (STRAIGHT,)),
    Scaling("bending", "events_per_s", "events/s", (AMDAHL, USL)),
)


def _layout(label: str, rates: dict[int, float], best: int) -> Scaling:
    treated = ScalingCurve(
        arm=Arm.TREATMENT, label=label, **NONE, law=None, one=None, slope=None, points=_points(rates, 0.02),
        best=best, resource="disk throughput", sentence="The disk is busy.", next=None,
    )  # fmt: skip
    return Scaling(f"root-analysis, {label}", "events_per_s", "events/s", (HOST, treated))


DISKS = (
    _layout("ext4, cold cache", {1: 640.0, 2: 1250.0, 4: 1262.0, 8: 1240.0}, 2),
    _layout("ext4, warm cache", {1: 840.0, 2: 1660.0, 4: 3290.0, 8: 5990.0, 10: 6030.0}, 8),
    _layout("ext4-spread, cold cache", {1: 660.0, 2: 1290.0, 4: 2400.0, 8: 3410.0, 10: 3385.0}, 8),
    _layout("btrfs-raid5, cold cache", {1: 610.0, 2: 1190.0, 4: 2200.0, 8: 2275.0, 10: 2190.0}, 4),
)
"""Curves of one workload on several layouts of disks."""
