"""A trial's moments on the controller's clock, counted from the release of its job."""

from __future__ import annotations

from dataclasses import dataclass

from assay.model.trial import Trial
from assay.model.work.observation import ProbeCost
from assay.pages.track import PhaseSpan, ProbeUse
from assay.results.losses.figures import judge_clock

NS = 1e9


@dataclass(frozen=True)
class Since:
    """The controller's clock since a moment of a machine's clock.

    With ``here = before.here_ns + (there - before.there_ns) / rate`` for both, the readings themselves
    drop out of a difference: only the rate is left, and its uncertainty grows with the time since.

    Attributes:
        zero_ns: The machine's monotonic clock at the release.
        rate: Seconds of the machine's clock per second of the controller's.
    """

    zero_ns: int
    rate: float

    def seconds(self, there_ns: float) -> float:
        """Return the seconds of the controller's clock from the release to a moment of the
        machine's clock.
        """
        return (there_ns - self.zero_ns) / self.rate / NS


def since_release(trial: Trial, zero_ns: int) -> Since:
    """Return the clock of a trial; where its check bars figures, the rate that was found is still
    the best.
    """
    if trial.clock is None:
        return Since(zero_ns, 1.0)
    return Since(zero_ns, judge_clock(trial.clock).rate or trial.clock.rate)


def phase_spans(trial: Trial) -> tuple[PhaseSpan, ...]:
    """Return a trial's phases on the controller's clock; none where none were told of."""
    if not trial.phases or trial.usage is None or trial.usage.wall_s <= 0:
        return ()
    since = since_release(trial, min(phase.started.mono_ns for phase in trial.phases))
    return tuple(
        PhaseSpan(
            copy=phase.copy,
            phase=phase.phase,
            started_s=since.seconds(phase.started.mono_ns),
            ended_s=since.seconds(phase.ended.mono_ns),
            share=phase.wall_s / trial.usage.wall_s,
            user_s=None if phase.user_s is None else phase.user_s / since.rate,
            system_s=None if phase.system_s is None else phase.system_s / since.rate,
            events=phase.events,
        )
        for phase in trial.phases
    )


def host_use(trial: Trial) -> ProbeUse | None:
    """Return what watching a guest's host took, as a share of the trial's wall time on the host's clock."""
    if trial.host_watch is None:
        return None
    wall_s = trial.usage.wall_s / since_release(trial, 0).rate if trial.usage else None
    return probe_use(trial.host_watch.cost, wall_s)


def probe_use(cost: ProbeCost | None, wall_s: float | None) -> ProbeUse | None:
    """Return what watching a trial took; both times are of the machine's clock, so its rate does
    not matter.
    """
    if cost is None:
        return None
    share = cost.cpu_s / wall_s if wall_s else None
    return ProbeUse(share, cost.rss_bytes, cost.samples, cost.largest_gap_s, cost.wake_ups)
