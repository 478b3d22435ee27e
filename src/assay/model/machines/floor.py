"""What a site's comparisons of a machine with itself (A/A) have shown."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class MetricFloor:
    """One metric of one workload where nothing differed; standard deviations of the log slowdown of a block.

    Attributes:
        work: What was done (``Workload.work``).
        workload: Name of the workload.
        metric: Name of the metric.
        sessions: Sessions in which it was measured.
        blocks: Blocks in all of them.
        session: Of what an arm has in one session and not in another; ``None`` with one session.
        block: Of the blocks of one session; ``None`` where it is not known.
    """

    work: str
    workload: str
    metric: str
    sessions: int
    blocks: int
    session: float | None
    block: float | None


@dataclass(frozen=True)
class SiteFloor:
    """The A/A history of a machine when an activity was planned, or last extended.

    Attributes:
        machine: Host name of the machine.
        taken_ns: End of the newest of its campaigns, ns since 1970.
        campaigns: Series of blocks on which a verdict was drawn: one a metric and activity.
        false_verdicts: Those that found a loss or a gain where there was none.
        metrics: What was found, by workload and metric.
    """

    machine: str
    taken_ns: int
    campaigns: int
    false_verdicts: int
    metrics: tuple[MetricFloor, ...]

    def of(self, work: str, metric: str, workload: str | None = None) -> MetricFloor | None:
        """Return what is known of one metric of the same work: of the workload itself where it is known over
        sessions, else of the one that was measured in most.
        """
        same = [one for one in self.metrics if (one.work, one.metric) == (work, metric)]
        order = ((one.session is not None, one.workload == workload, one.sessions) for one in same)
        return max(zip(order, same, strict=True), key=lambda pair: pair[0], default=(None, None))[1]
