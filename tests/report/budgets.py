"""Budgets for report pages: divided by ``explain`` from times written by hand."""

from __future__ import annotations

from assay.explain.budget import Budget, budget
from assay.explain.split import Use, split
from assay.explain.waterfall import waterfall
from assay.pages.budget import (
    BudgetPart,
    BudgetShown,
    BudgetStep,
    CauseShown,
    CountedFigure,
    CpuFactor,
    PhaseShare,
)

HOST = (
    Use("init", 1.1, 0.5, 0.4, 0.05, 0.01),
    Use("event-loop", 3.4, 3.25, 0.12),
    Use("rest", 0.01, 0.005, 0.002),
)
GUEST = (
    Use("init", 9.5, 2.5, 2.25, 4.0, 0.2),
    Use("event-loop", 28.6, 27.5, 0.9, 0.02, 0.15),
    Use("rest", 0.1, 0.04, 0.03),
)
NOISE = ((1.0, 0.99), (1.01, 1.02), (0.995, 1.0))


def made_budget() -> Budget:
    """Return the budget of a job of two phases in three blocks."""
    blocks = [(_times(HOST, a), _times(GUEST, b)) for a, b in NOISE]
    return budget(blocks)


def _times(uses: tuple[Use, ...], factor: float) -> dict[tuple[str, object], float]:
    return {key: seconds * factor for key, seconds in split(uses, 1).items()}


def phases_budget() -> BudgetShown:
    """Return a budget of phases with causes, counters and notes; words in it try to break out."""
    made = made_budget()
    first, second = made.sum_of(lambda key: key[1] == "user"), made.sum_of(lambda key: key[1] == "io")
    return BudgetShown(
        workload="my-job", time="wall time", metrics=("wall_time",), parallelism=1, blocks=3,
        loss=made.loss.value, low=made.loss.low, high=made.loss.high,
        headline=0.8812, headline_low=0.8731, headline_high=0.8894,
        baseline_s=made.baseline_s, treatment_s=made.treatment_s, io_from="job", queue_from="processors",
        parts=tuple(
            BudgetPart(p.phase, p.category.value, p.baseline_s, p.treatment_s, p.contribution.value,
                       p.contribution.low, p.contribution.high)
            for p in made.parts
        ),
        steps=tuple(
            BudgetStep(s.phase, s.category.value if s.category else "small", s.together, s.start, s.end,
                       s.share.low, s.share.high)
            for s in waterfall(made)
        ),
        cpu=(
            CpuFactor("instructions", 1.1e10, 1.15e10, 0.031, 0.029, 0.033),
            CpuFactor("cpi", 0.912, 1.204, 0.212, 0.208, 0.216),
            CpuFactor("frequency", 2.81e9, 2.51e9, 0.11, 0.09, 0.13),
        ),
        causes=(
            CauseShown("emulation",
            "The guest's instructions are emulated (TCG): 33 s on a processor instead of 4.3 s.",
                       "use a host with hardware virtualization (/dev/kvm)", first.value, first.low,
                       first.high,
                       first.value / made.loss.value, overlaps=False),
            CauseShown("disk-throughput",
            "The disk is slower on guest: <b>1 GiB</b> & more of storage took it 4 s.",
                       "look at the disk's limits | `io.max`", second.value, second.low, second.high,
                       second.value / made.loss.value, overlaps=False, evidence="caused"),
            CauseShown("cold-start",
            "Initialization takes 9.5 s instead of 1.1 s and holds 25 % of the loss.",
                       "run more events in a job", 0.22, 0.21, 0.23, 0.25, overlaps=True),
        ),
        counted=(
            CountedFigure("read from storage", "B", 1_000_000.0, 1_073_741_824.0),
            CountedFigure("other page faults", "", 900.0, None),
            CountedFigure("memory limit hit", "", 0.0, 0.0),
            CountedFigure("CPU of QEMU's vCPU threads", "s", None, 38.25),
        ),
        notes=("Waits for a processor hold steal alone; those in the run queue are in the idle time.",),
    )  # fmt: skip


def lone_budget() -> BudgetShown:
    """Return a budget of a single block: nothing has an interval, and no cause is named."""
    made = budget([(split([Use("total", 4.5, 4.4, 0.05)], 2), split([Use("total", 4.6, 4.4, 0.1, 0.02)], 2))])
    return BudgetShown(
        workload="<b>other", time="time for the same work, by rate", metrics=("rate",), parallelism=2,
        blocks=1, loss=made.loss.value, low=None, high=None, headline=None, headline_low=None,
        headline_high=None, baseline_s=made.baseline_s, treatment_s=made.treatment_s, io_from="none",
        queue_from="machine",
        parts=tuple(
            BudgetPart(p.phase, p.category.value, p.baseline_s, p.treatment_s, p.contribution.value, None,
            None)
            for p in made.parts
        ),
        steps=tuple(
            BudgetStep(s.phase, s.category.value if s.category else "small", s.together, s.start, s.end, None,
            None)
            for s in waterfall(made)
        ),
        by_phase=(PhaseShare("init", 0.4, 0.45, 0.05 / 4.6, None, None),
                  PhaseShare("rest", 4.1, 4.15, 0.05 / 4.6, None, None)),
    )  # fmt: skip
