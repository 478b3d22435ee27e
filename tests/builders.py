"""Records and plans for tests, as small as they can be and still be whole."""

from __future__ import annotations

from dataclasses import replace

from assay.model.activity import ActivityPlan, PlannedArm
from assay.model.machines.clock import ClockCheck, ClockReading
from assay.model.machines.machine import Facts, Limits, Machine
from assay.model.metric import Direction, Measurement, Metric
from assay.model.trial import PlannedTrial, State, Trial, Usage
from assay.model.work.observation import ProbeCost
from assay.model.work.workload import Workload

RATE = Metric("events", "events/s", Direction.HIGHER)
FACTS = Facts("node", "6.1", "x86_64", "A CPU", (0, 1), 1 << 20, 8 << 30, False, "tsc", None, None, "v2")  # noqa: FBT003
WORKLOAD = Workload("spin", ("spin",), "sysbench-cpu", (RATE,), program="spin", package="spin")


def plan_of(trials: tuple[PlannedTrial, ...], **changes: object) -> ActivityPlan:
    """Return a plan of one workload between this machine and itself."""
    arm = PlannedArm("host", Machine("local"), Limits((1,)))
    blocks = 1 + max((trial.block for trial in trials), default=0)
    plan = ActivityPlan(
        id="0123abcd", scene="quick", title="A title", scene_digest="d", scene_text="scene: quick\n",
        command=None, created_ns=1_700_000_000_000_000_000, seed=5, confidence=0.95, margin=0.02,
        blocks=blocks, baseline=arm, treatment=replace(arm, label="other"), workloads=(WORKLOAD,),
        trials=trials,
    )  # fmt: skip
    return replace(plan, **changes)  # type: ignore[arg-type]


def record_of(planned: PlannedTrial, value: float | None, **changes: object) -> Trial:
    """Return the record of a trial with one figure."""
    start = 1_700_000_000_000_000_000 + planned.index * 10_000_000_000
    trial = Trial(
        activity="0123abcd", planned=planned, machine="local", state=State.ENDED, cause=None, exit_code=0,
        started_ns=start, ended_ns=start + 4_000_000_000, command=("spin",), boot="local",
        measurements=(Measurement(RATE, value),), usage=Usage(4.0, 3.5, 0.25, 1 << 20, None, 0),
        probe=ProbeCost(0.001, 1 << 20, 5, 1.0), clock=None, doubts=(), facts=FACTS, limits=Limits((1,)),
        program=None, platform=None, hypervisor_cpu=None,
    )  # fmt: skip
    return replace(trial, **changes)  # type: ignore[arg-type]


def clock_check(
    rate: float = 1.0, *, uncertainty_s: float = 0.001, rate_uncertainty: float = 1e-4
) -> ClockCheck:
    """Return a clock that ran at this rate over a trial."""
    reading = ClockReading(0, 0, 0.002, uncertainty_s)
    return ClockCheck(reading, reading, rate, rate_uncertainty)
