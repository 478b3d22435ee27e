"""What the comparisons of a machine with itself (A/A) show, all together."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from assay.design.blocks import blocks_of, metrics_of, slowdowns
from assay.model.activity import ActivityPlan
from assay.model.figures.estimate import Verdict
from assay.model.machines.floor import MetricFloor, SiteFloor
from assay.model.trial import Trial
from assay.stats import paired_loss
from assay.stats.replication.components import Floor, components, floor_of
from assay.stats.verdicts.sequence import ever_refuted, refutable

FALSE = (Verdict.LOSS, Verdict.GAIN)
"""Verdicts that are wrong where nothing differs."""


@dataclass(frozen=True)
class Campaign:
    """One metric of one activity in which nothing differed.

    Attributes:
        activity: Identity of the activity.
        machine: Host name.
        ended_ns: End of its last trial, ns since 1970.
        work: What was done (``Workload.work``).
        workload: Name of the workload.
        metric: Name of the metric.
        sessions: Log slowdown of each block, by session.
        false_verdict: A look after some block would have found a loss or a gain.
    """

    activity: str
    machine: str
    ended_ns: int
    work: str
    workload: str
    metric: str
    sessions: tuple[tuple[float, ...], ...]
    false_verdict: bool


@dataclass(frozen=True)
class History:
    """All campaigns of a site, as they are kept.

    Attributes:
        campaigns: In the order in which their activities were kept.
    """

    campaigns: tuple[Campaign, ...]


def is_same(plan: ActivityPlan) -> bool:
    """Tell whether the two arms of a plan do not differ in anything but their names."""
    return not plan.more and replace(plan.treatment, label="") == replace(plan.baseline, label="")


def campaigns_of(plan: ActivityPlan, records: Sequence[Trial], *, machine: str) -> Iterator[Campaign]:
    """Yield the campaigns of an A/A activity: one for each metric with at least two whole blocks.

    None where the guests come from a saved state: what differs from boot to boot is not in their blocks.

    Args:
        plan: What was planned.
        records: What ran.
        machine: Host name of the machine, also of that which carries the guests.
    """
    if not records or not is_same(plan) or plan.baseline.restored:
        return
    ended_ns = max(record.ended_ns for record in records)
    for workload in plan.workloads:
        for metric in metrics_of(records, workload):
            blocks = [block for block in blocks_of(plan, records, workload, metric) if block.whole]
            logs = slowdowns(blocks, metric.direction)
            if len(logs) > 1:
                numbers = sorted({block.session for block in blocks})
                sessions = tuple(
                    tuple(d for d, block in zip(logs, blocks, strict=True) if block.session == number)
                    for number in numbers
                )
                wrong = is_false(logs, confidence=plan.confidence)
                yield Campaign(
                    plan.id, machine, ended_ns, workload.work, workload.name, metric.name, sessions, wrong
                )


def is_false(logs: Sequence[float], *, confidence: float = 0.95) -> bool:
    """Tell whether any look would have found a loss or a gain: one after every block.

    With too few blocks for a verdict from such looks, the only one is that at the end.
    """
    if refutable(len(logs), confidence):
        return ever_refuted(logs, confidence=confidence)
    return paired_loss(logs, confidence=confidence).verdict in FALSE


def site_floor(campaigns: Iterable[Campaign], machine: str) -> SiteFloor | None:
    """Return what all campaigns of one machine show, or ``None`` where there is none.

    Sessions of different activities are different sessions. What an arm has in a session is the sessions'
    component over sqrt(2): both arms have one.
    """
    ours = [campaign for campaign in campaigns if campaign.machine == machine]
    if not ours:
        return None
    names = sorted({(campaign.work, campaign.workload, campaign.metric) for campaign in ours})
    return SiteFloor(
        machine=machine,
        taken_ns=max(campaign.ended_ns for campaign in ours),
        campaigns=len(ours),
        false_verdicts=sum(campaign.false_verdict for campaign in ours),
        metrics=tuple(
            _metric_floor(name, [c for c in ours if (c.work, c.workload, c.metric) == name]) for name in names
        ),
    )


def _metric_floor(name: tuple[str, str, str], campaigns: Sequence[Campaign]) -> MetricFloor:
    sessions = [session for campaign in campaigns for session in campaign.sessions]
    values = [value for session in sessions for value in session]
    parts = components(values, [at for at, session in enumerate(sessions) for _ in session])
    session = None if parts.session is None else parts.session / math.sqrt(2)
    return MetricFloor(*name, len(sessions), len(values), session, parts.block)


def floor_known(site: SiteFloor | None, work: str, metric: str, workload: str | None = None) -> Floor | None:
    """Return the A/A floor of a metric of the same work, of the workload itself if it can be had; ``None``
    where the history has no two sessions of it.
    """
    known = site.of(work, metric, workload) if site else None
    if known is None or known.session is None:
        return None
    return floor_of(known.session, known.block or 0.0, known.sessions)


def most_false(campaigns: int, false_verdicts: int) -> float:
    """Return the largest rate of false verdicts that so few of them still allow (one-sided 95 %).

    Source:
        C. J. Clopper, E. S. Pearson, Biometrika 26 (1934) 404-413.
    """
    from scipy.special import betaincinv

    if false_verdicts >= campaigns:
        return 1.0
    return float(betaincinv(false_verdicts + 1, campaigns - false_verdicts, 0.95))
