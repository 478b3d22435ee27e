"""Inside CPU time: more instructions, more cycles for each, or slower cycles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from assay.explain.budget import TimeShare, share_of


@dataclass(frozen=True)
class Work:
    """What a processor did for a job; all above zero.

    Attributes:
        instructions: Instructions executed.
        cycles: Cycles that they took.
        cpu_s: Seconds of ``task-clock`` that they took.
    """

    instructions: float
    cycles: float
    cpu_s: float

    @property
    def cpi(self) -> float:
        """Cycles an instruction."""
        return self.cycles / self.instructions

    @property
    def frequency_hz(self) -> float:
        """Cycles a second on a processor."""
        return self.cycles / self.cpu_s


@dataclass(frozen=True)
class CpuFactors:
    """Seconds of CPU time that the treatment takes more, by factor; they add up to the whole difference."""

    instructions_s: float
    cpi_s: float
    frequency_s: float


def cpu_factors(baseline: Work, treatment: Work) -> CpuFactors:
    """Return how much of the difference in CPU time each factor of instructions x CPI x 1/frequency holds.

    Each factor's part is L(T1, T0) ln(x1/x0) with the logarithmic mean L(a, b) = (a - b) / ln(a / b). No
    residual is left, and swapping the arms turns every sign.

    Raises:
        ValueError: A count is not above zero.

    Source:
        B. W. Ang, "Decomposition analysis for policymaking in energy", Energy Policy 32 (2004) 1131-1139
        (additive log-mean Divisia index, method I).

    Limits:
        It says which factor moved, not what moved it. In a guest ``task-clock`` holds time that the
        hypervisor took away: that shows as a lower frequency.
    """
    counts = [c for work in (baseline, treatment) for c in (work.instructions, work.cycles, work.cpu_s)]
    if any(not math.isfinite(count) or count <= 0 for count in counts):
        msg = f"CPU time is divided by counts above zero, got {counts}"
        raise ValueError(msg)
    weight = log_mean(treatment.cpu_s, baseline.cpu_s)
    return CpuFactors(
        instructions_s=weight * math.log(treatment.instructions / baseline.instructions),
        cpi_s=weight * math.log(treatment.cpi / baseline.cpi),
        frequency_s=weight * math.log(baseline.frequency_hz / treatment.frequency_hz),
    )


def cpu_shares(
    blocks: Sequence[tuple[Work, Work, float]], *, confidence: float
) -> tuple[TimeShare, TimeShare, TimeShare]:
    """Return the parts of the loss of instructions, CPI and frequency, means over blocks with intervals.

    Args:
        blocks: Work of the baseline and of the treatment, and the treatment's whole time in the same
            seconds (wall time x parallelism), one a block, at least one.
        confidence: Coverage of the intervals.
    """
    factors = [(cpu_factors(base, treated), whole) for base, treated, whole in blocks]
    return (
        share_of([factor.instructions_s / whole for factor, whole in factors], confidence),
        share_of([factor.cpi_s / whole for factor, whole in factors], confidence),
        share_of([factor.frequency_s / whole for factor, whole in factors], confidence),
    )


def log_mean(a: float, b: float) -> float:
    """Return the logarithmic mean of two numbers above zero, which lies between them."""
    ratio = a / b - 1
    if abs(ratio) < 1e-6:
        return b * (1 + ratio / 2 - ratio * ratio / 12)  # the quotient would lose its digits
    return (a - b) / math.log(a / b)
