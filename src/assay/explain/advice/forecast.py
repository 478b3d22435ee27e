"""What a job would lose, from what it does on the machine itself and from losses that were measured there."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from assay.stats.mean import t_quantile

Seconds = Mapping[str, float]
"""Seconds of wall time by what they are spent on: user, system, io, queue, idle."""
FEWEST = 4
"""Workloads without which nothing is forecast: what one says is checked by the others."""
RIDGE = 0.03
"""How little it takes to move a slowdown from that of all: what no workload tells of has that one."""
BEYOND = 0.2
"""Share of a job's time by which it may do more of something than any workload did."""
WIDEST = 0.5
"""An interval of a loss that is wider is no answer."""


@dataclass(frozen=True)
class Known:
    """A workload whose loss was measured.

    Attributes:
        name: Its name.
        host: What it spends on the machine itself.
        guest_s: Seconds that it takes in the guest for the same work.
    """

    name: str
    host: Seconds
    guest_s: float

    @property
    def host_s(self) -> float:
        """Seconds on the machine itself."""
        return math.fsum(self.host.values())


@dataclass(frozen=True)
class Checked:
    """A workload's loss as the others forecast it, beside what was measured.

    Attributes:
        name: The workload.
        forecast: The loss that the others say, a fraction.
        measured: The loss that was measured.
    """

    name: str
    forecast: float
    measured: float


@dataclass(frozen=True)
class Forecast:
    """A forecast of a loss.

    Attributes:
        loss: The loss, a fraction of throughput; ``None`` where it cannot be said.
        low: Lower end of its interval.
        high: Upper end.
        slowdowns: Times the time for what is spent on each, as the workloads say.
        checked: Each workload, forecast by the others.
        reasons: Why it cannot be said; empty where it can.
    """

    loss: float | None
    low: float | None
    high: float | None
    slowdowns: Seconds
    checked: tuple[Checked, ...]
    reasons: tuple[str, ...]


def forecast(job: Seconds, known: Sequence[Known], *, confidence: float = 0.95) -> Forecast:
    """Return what a job would lose.

    The time in the guest is taken to be a sum of what is spent on each kind of thing on the machine itself,
    each slowed down by a factor of its own that is the same for all programs. How far that is from the truth
    is seen by forecasting each workload from the others: their errors make the interval.

    Args:
        job: What it spends on the machine itself.
        known: Workloads whose loss was measured there.
        confidence: Coverage of the interval, if the job is like the workloads.

    Source:
        Leave-one-out validation: M. Stone, "Cross-validatory choice and assessment of statistical
        predictions", J. R. Stat. Soc. B 36 (1974) 111-147; non-negative least squares: C. L. Lawson, R. J.
        Hanson, "Solving Least Squares Problems" (1974), chapter 23.

    Limits:
        Caches, exits and the start of a guest differ from program to program: a factor for each kind of time
        cannot know them. The interval says how well it did on the workloads, not on the job.
    """
    kinds = sorted({kind for one in known for kind in one.host} | set(job))
    reasons = list(_refusals(job, known))
    if len(known) < FEWEST:
        return Forecast(None, None, None, {}, (), tuple(reasons))
    slowdowns = _slowdowns(known, kinds)
    checked, errors = [], []
    for at, one in enumerate(known):
        others = [*known[:at], *known[at + 1 :]]
        expected = _time(one.host, _slowdowns(others, kinds))
        errors.append(math.log(expected / one.guest_s))
        checked.append(Checked(one.name, 1 - one.host_s / expected, 1 - one.host_s / one.guest_s))
    spread = math.sqrt(math.fsum(error**2 for error in errors) / len(errors))
    half = t_quantile(confidence, len(errors) - 1) * spread * math.sqrt(1 + 1 / len(errors))
    host_s, guest_s = math.fsum(job.values()), _time(job, slowdowns)
    low, high = (1 - host_s / guest_s * math.exp(sign * half) for sign in (1, -1))
    if high - low > WIDEST:
        reasons.append(
            f"the workloads do not foretell each other: the interval would be {low:.0%} to {high:.0%}"
        )
    if reasons:
        return Forecast(None, None, None, slowdowns, tuple(checked), tuple(reasons))
    return Forecast(1 - host_s / guest_s, low, high, slowdowns, tuple(checked), ())


def _refusals(job: Seconds, known: Sequence[Known]) -> Iterator[str]:
    """Yield why nothing can be said of a job before anything is computed."""
    if len(known) < FEWEST:
        yield f"the losses of {len(known)} workloads are known here, {FEWEST} are needed"
        return
    whole = math.fsum(job.values())
    for kind, seconds in job.items():
        most = max(known, key=lambda one: one.host.get(kind, 0.0) / one.host_s)
        share, seen = seconds / whole, most.host.get(kind, 0.0) / most.host_s
        if share > seen + BEYOND:
            yield (
                f"{share:.0%} of the job's time is {kind}, of no workload's more than {seen:.0%} "
                f"({most.name}): measure one that does as much of it"
            )


def _slowdowns(known: Sequence[Known], kinds: Sequence[str]) -> dict[str, float]:
    """Return the factor of each kind of time by which the workloads' times come out best, none below 0."""
    import numpy as np
    from scipy.optimize import nnls

    common = math.exp(math.fsum(math.log(one.guest_s / one.host_s) for one in known) / len(known))
    rows = np.array([[one.host.get(kind, 0.0) / one.guest_s for kind in kinds] for one in known])
    pull = RIDGE / common * np.eye(len(kinds))
    wanted = np.concatenate([np.ones(len(known)), np.full(len(kinds), RIDGE)])
    found, _ = nnls(np.concatenate([rows, pull]), wanted)
    return {kind: float(one) for kind, one in zip(kinds, found, strict=True)}


def _time(host: Seconds, slowdowns: Seconds) -> float:
    """Return the time in the guest; never less than nothing."""
    return max(math.fsum(seconds * slowdowns[kind] for kind, seconds in host.items()), 1e-9)
