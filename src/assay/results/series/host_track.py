"""A guest seen from its host, on the timeline and the clock of its trial."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.model.trial import Trial
from assay.pages.host_phase import Growth, HostPhase, Named
from assay.pages.track import Line, PhaseSpan, Quantity
from assay.results.losses.spans import NS, Since, since_release
from assay.results.series.host_series import EXITS, HostSeries, Totals
from assay.stats.between import grown_between
from assay.stats.rates import range_around, step_rates

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

WHOLE = "whole trial"
"""The one phase of a trial that told of none."""
LINES: dict[Quantity, str] = {
    "vcpu_run": "vcpu_run_s",
    "vcpu_wait": "vcpu_wait_s",
    "qemu_other": "other_s",
    "qemu_read": "read_bytes",
    "qemu_write": "write_bytes",
    "net_received": "received_bytes",
    "net_sent": "sent_bytes",
}
EVENTS = (
    "thp_fault_alloc", "thp_fault_fallback", "thp_collapse_alloc", "thp_collapse_alloc_failed",
    "thp_split_page", "thp_split_pmd", "cow_ksm", "ksm_full_scans", "ksm_pages_sharing", "numa_pte_updates",
    "numa_hint_faults", "numa_hint_faults_local", "numa_pages_migrated",
)  # fmt: skip
"""What tells of huge pages, same-page merging and NUMA balancing, in the kernel's own words."""
TICKS_S = {"other_s": 0.02}
"""What a total is known to by itself: user and system time of a process come in ticks of 10 ms,
rounded down.
"""
GAUGES = ("ksm_pages_sharing",)
"""Amounts now, which may fall."""


@dataclass(frozen=True)
class HostClock:
    """The host's clock since the release of a trial's job; it is the controller's.

    Attributes:
        zero_ns: The controller's monotonic clock at the release.
        known_s: It is known to this.
    """

    zero_ns: float
    known_s: float

    def seconds(self, moments: Numbers) -> Numbers:
        """Return moments of the host as seconds since the release."""
        return (moments - self.zero_ns) / NS


def host_clock(trial: Trial, since: Since) -> HostClock | None:
    """Return the controller's clock at a trial's release, from the readings around the trial; ``None``
    without.
    """
    check = trial.clock
    if check is None:
        return None
    away_ns = (since.zero_ns - check.before.there_ns) / check.rate
    return HostClock(
        check.before.here_ns + away_ns, max(check.before.uncertainty_s, check.after.uncertainty_s)
    )


def line_of(quantity: Quantity, values: Numbers, ends: tuple[Numbers, Numbers] | None = None) -> Line:
    """Return a quantity in the steps of a trial, NaN as "not measured"; ``ends`` are the smallest and the
    largest of what was joined in each.
    """
    told = tuple(
        tuple(None if math.isnan(value) else value for value in one.tolist())
        for one in (values, *(ends or ()))
    )
    return Line(quantity, *told)


def host_lines(
    host: HostSeries, clock: HostClock, bounds_s: Numbers, *, joined: bool = False
) -> Iterator[Line]:
    """Yield what the host tells of a guest as mean rates in the steps of its trial; where these are
    ``joined`` ones, with the smallest and the largest between two samples of the host.

    Limits: the host was sampled at other moments than the guest; between two of them a total is taken to grow
        evenly.
    """
    import numpy as np

    if host.guest is None or len(bounds_s) < 2:
        return
    seconds, everything = clock.seconds(host.guest.mono_ns), np.arange(len(bounds_s))
    for quantity, column in LINES.items():
        totals = host.guest.columns[column]
        reported = ~np.isnan(totals)
        if reported.sum() < 2:
            continue
        moments, known = seconds[reported], totals[reported]
        at = np.interp(bounds_s, moments, known, left=math.nan, right=math.nan)
        rates = step_rates(moments, known, np.arange(len(moments)))
        ends = range_around(moments, rates, bounds_s) if joined else None
        yield line_of(quantity, step_rates(bounds_s, at, everything), ends)


def host_phases(
    trial: Trial, host: HostSeries, clock: HostClock, *, spans: Sequence[PhaseSpan], since: Since
) -> tuple[HostPhase, ...]:
    """Return what the host counted in each phase of a trial's job, those of its first copy.

    Args:
        trial: Its record.
        host: What was sampled on its host.
        clock: The host's clock.
        spans: The phases on the controller's clock.
        since: The guest's clock.
    """
    if host.guest is None or trial.usage is None or trial.host_watch is None:
        return ()
    own = [span for span in spans if span.copy == 0]
    stays: dict[str, list[tuple[float, float]]] = {}
    for span in own:
        stays.setdefault(span.phase, []).append((span.started_s, span.ended_s))
    stays = stays or {WHOLE: [(0.0, trial.usage.wall_s / since.rate)]}
    reader = _Reader(host, clock, trial.host_watch.interval_s)
    return tuple(
        _phase(name, reader, of_phase, _steal(trial, name, since)) for name, of_phase in stays.items()
    )


def vcpu_wait(trial: Trial, host: HostSeries) -> tuple[float, float] | None:
    """Return how long a guest's vCPUs waited for a processor over its job, where its kernel could tell, too,
    s.

    Returns:
        At least and at most; ``None`` where one of both does not tell.
    """
    times = vcpu_times(trial, host) if tells_steal(trial) else None
    return None if times is None else (times[1].low, times[1].high)


def vcpu_times(trial: Trial, host: HostSeries) -> tuple[Growth, Growth] | None:
    """Return how long a guest's vCPUs ran on the host's processors over its job, and how long they waited for
    one.

    Returns:
        Seconds of the controller's clock, summed over vCPUs; ``None`` where one of both is not told.
    """
    whole = _whole(trial, host)
    if whole is None:
        return None
    reader, stays = whole
    ran, waited = (reader.amount(host.guest, column, stays) for column in ("vcpu_run_s", "vcpu_wait_s"))
    return None if ran is None or waited is None else (ran, waited)


def totals_of(trial: Trial, host: HostSeries) -> Mapping[str, float]:
    """Return what the host counted over a trial's job: exits by reason, and events of its memory management;
    empty where it was not watched.
    """
    whole = _whole(trial, host)
    if whole is None:
        return {}
    reader, stays = whole
    counted = (*reader.named(host.guest, EXITS, stays), *reader.named(host.machine, EVENTS, stays))
    return {one.name: one.amount.value for one in counted if one.amount.value is not None}


def _whole(trial: Trial, host: HostSeries) -> tuple[_Reader, list[tuple[float, float]]] | None:
    """Return a reader of the host's series and the job's time; ``None`` where the host was not watched."""
    released = [copy.started.mono_ns for copy in trial.copies if copy.started]
    if not released or trial.host_watch is None or trial.usage is None:
        return None
    since = since_release(trial, min(released))
    clock = host_clock(trial, since)
    if clock is None:
        return None
    stays = [(0.0, trial.usage.wall_s / since.rate)]
    return _Reader(host, clock, trial.host_watch.interval_s), stays


def tells_steal(trial: Trial) -> bool:
    """Tell whether a guest's kernel knows its steal.

    Source: Linux, arch/x86/kernel/kvm.c: only KVM tells it; under TCG a guest shows 0 and knows nothing.
    """
    return trial.platform is not None and trial.platform.accelerator == "kvm"


@dataclass(frozen=True)
class _Reader:
    """Reads amounts in the stays of a phase."""

    host: HostSeries
    clock: HostClock
    interval_s: float

    def amount(
        self, totals: Totals | None, column: str, stays: Sequence[tuple[float, float]]
    ) -> Growth | None:
        """Return what a total grew by in all stays; ``None`` where one is not told."""
        if totals is None or column not in totals.columns:
            return None
        seconds, values = self.clock.seconds(totals.mono_ns), totals.columns[column]
        growths = [grown_between(seconds, values, *stay, known=self.clock.known_s) for stay in stays]
        known = [one for one in growths if one is not None]
        if len(known) < len(growths):
            return None
        value, low, high = (math.fsum(parts) for parts in zip(*known, strict=True))
        short = sum(end - start for start, end in stays) < self.interval_s
        ticks_s = len(stays) * TICKS_S.get(column, 0.0)  # each stay has two ends of its own
        low, high = low - ticks_s, high + ticks_s
        least = low if column in GAUGES else max(0.0, low)
        return Growth(None if short and least < high else value, least, high)

    def named(
        self, totals: Totals | None, names: Sequence[str], stays: Sequence[tuple[float, float]]
    ) -> tuple[Named, ...]:
        """Return those of several totals that were told."""
        amounts = ((name, self.amount(totals, name, stays)) for name in names)
        return tuple(Named(name, amount) for name, amount in amounts if amount is not None)


def _phase(
    name: str, reader: _Reader, stays: Sequence[tuple[float, float]], steal_s: float | None
) -> HostPhase:
    guest = reader.host.guest
    reported: Mapping[str, Growth | None] = {
        column: reader.amount(guest, column, stays) for column in LINES.values()
    }
    return HostPhase(
        phase=name,
        seconds=sum(end - start for start, end in stays),
        steal_s=steal_s,
        exits=reader.named(guest, EXITS, stays),
        events=reader.named(reader.host.machine, EVENTS, stays),
        **reported,
    )


def _steal(trial: Trial, phase: str, since: Since) -> float | None:
    """Return the steal that a guest's kernel counted in a phase, on the controller's clock."""
    if trial.usage is None or not tells_steal(trial):
        return None
    if phase == WHOLE:
        reported = [trial.usage.steal_s]
    else:
        reported = [one.steal_s for one in trial.phases if one.copy == 0 and one.phase == phase]
    known = [value for value in reported if value is not None]
    return sum(known) / since.rate if known and len(known) == len(reported) else None
