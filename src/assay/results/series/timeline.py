"""One block of each workload over time, from the series that its trials recorded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assay.model.activity import ActivityPlan
from assay.model.trial import Arm, State, Trial
from assay.model.units import BYTES
from assay.pages.track import Line, Quantity, Timeline, Track
from assay.probe import PhaseEvent, parse_phase_events, read_series
from assay.results.losses.parts import parts_of
from assay.results.losses.spans import Since, phase_spans, since_release
from assay.results.series.host_series import HostSeries
from assay.results.series.host_track import host_clock, host_lines, host_phases, line_of
from assay.stats.rates import between_known, step_peaks, step_range, step_rates, steps, totals_at

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

MOST_STEPS = 240
"""A column of the report is some 500 pixels wide. Of more samples several are joined into a step, which keeps
the smallest and the largest of them: a spike of one sample stays.
"""

TOTALS: dict[Quantity, str] = {
    "job_user": "job_user_s",
    "job_system": "job_system_s",
    "machine_user": "machine_user_s",
    "machine_system": "machine_system_s",
    "machine_iowait": "machine_iowait_s",
    "machine_steal": "machine_steal_s",
    "read": "job_read_bytes",
    "write": "job_write_bytes",
    "logical_read": "job_logical_read_bytes",
    "logical_write": "job_logical_write_bytes",
}
"""Cumulative columns of ``samples.csv`` by what they become as a rate."""
RSS = "job_rss_bytes"


def timelines(
    plan: ActivityPlan, records: Sequence[Trial], folder: Path, *, block: int | None = None
) -> tuple[Timeline, ...]:
    """Return one block of each workload over time.

    Args:
        plan: What was planned.
        records: The records of all trials.
        folder: The activity's folder, with the series.
        block: Which one; ``None`` is each workload's first in which both arms ended, or any arm did.
    """
    blocks = (workload_block(workload.name, records, folder, block) for workload in plan.workloads)
    return tuple(
        Timeline(
            name,
            number,
            tuple(
                _track(part, _label(plan, trial, place), place)
                for trial, path in trials
                for part, place in parts_of(trial, path)
            ),
        )
        for name, number, trials in blocks
        if trials
    )


MOST_PHASES_BYTES = 32 * BYTES["MiB"]
"""Of ``phases.csv``: of a job that tells of more events than fit, their rate is not drawn."""
WorkloadBlock = tuple[str, int, list[tuple[Trial, Path]]]


def workload_block(
    workload: str, records: Sequence[Trial], folder: Path, block: int | None = None
) -> WorkloadBlock:
    """Return the trials of a workload's block that have series, the baseline's first."""
    blocks: dict[int, list[tuple[Trial, Path]]] = {}
    for record in sorted(records, key=lambda record: record.planned.arm is Arm.TREATMENT):
        planned, place = record.planned, folder / "trials" / record.planned.name
        ended = record.state is State.ENDED and record.usage is not None
        if planned.workload == workload and ended and not planned.replicate and _sampled(record, place):
            blocks.setdefault(planned.block, []).append((record, place))
    if block is not None:
        return workload, block, blocks.get(block, [])
    number = min(blocks, key=lambda at: (-len(blocks[at]), at), default=0)
    return workload, number, blocks.get(number, [])


def _sampled(record: Trial, place: Path) -> bool:
    folders = [place / one.name for one in record.members] or [place]
    return all((folder / "samples.csv").is_file() for folder in folders)


def _label(plan: ActivityPlan, trial: Trial, place: Path) -> str:
    """Return what a track is called: by its arm, and of several guests by which it is."""
    label = plan.arm_of(trial.planned).label
    return f"{label}, {place.name}" if trial.members else label


def _track(trial: Trial, label: str, place: Path) -> Track:
    reported = place / "phases.csv"
    short = reported.is_file() and reported.stat().st_size <= MOST_PHASES_BYTES
    marks = parse_phase_events(reported.read_bytes()) if short else ()
    host = HostSeries(place / "host")
    samples = read_series(place / "samples.csv", (*TOTALS.values(), RSS))
    return track(trial, label, samples=samples, reported=marks, host=host)


def track(
    trial: Trial,
    label: str,
    *,
    samples: Mapping[str, Numbers],
    reported: Sequence[PhaseEvent] = (),
    host: HostSeries | None = None,
) -> Track:
    """Return a trial over time; a pure function of its record and of what the probe wrote beside it.

    Args:
        trial: Its record, of a job that ran.
        label: Name of where it ran.
        samples: Columns of ``samples.csv``.
        reported: ``phases.csv`` as values.
        host: What was sampled on a guest's host; ``None`` outside one.
    """
    import numpy as np

    moments = samples.get("mono_ns", np.empty(0))
    since = since_release(trial, _zero_ns(trial, moments))
    seconds = (moments - since.zero_ns) / since.rate / 1e9
    bounds = steps(len(seconds), MOST_STEPS)
    wall_s = trial.usage.wall_s / since.rate if trial.usage else 0.0
    cpu, spans = trial.hypervisor_cpu, phase_spans(trial)
    clock = host_clock(trial, since) if host else None
    return Track(
        trial=trial.planned.name,
        arm=trial.planned.arm,
        label=label,
        wall_s=wall_s,
        uncertainty_s=None if trial.clock is None else trial.clock.rate_uncertainty * wall_s,
        bounds_s=tuple(seconds[bounds].tolist()),
        lines=(
            *_lines(samples, seconds, bounds, since, reported),
            *(
                host_lines(host, clock, seconds[bounds], joined=_joined(seconds, bounds))
                if host and clock
                else ()
            ),
        ),
        phases=spans,
        vcpu_s=cpu.vcpu_s if cpu else None,
        other_s=cpu.other_s if cpu else None,
        host=host_phases(trial, host, clock, spans=spans, since=since) if host and clock else (),
    )


def _zero_ns(trial: Trial, moments: Numbers) -> int:
    """Return the release; records before protocol 1.1 do not hold it, but a sample was taken at once then."""
    released = [copy.started.mono_ns for copy in trial.copies if copy.started]
    return min(released) if released else int(moments[0]) if len(moments) else 0


def _lines(
    series: Mapping[str, Numbers],
    seconds: Numbers,
    bounds: NDArray[np.intp],
    since: Since,
    reported: Sequence[PhaseEvent],
) -> Iterator[Line]:
    for quantity, column in TOTALS.items():
        if column in series:
            # CPU seconds are counted by the machine's own clock, as its moments are
            scale = 1 / since.rate if column.endswith("_s") else 1.0
            totals = between_known(seconds, series[column]) * scale
            yield _rate_line(quantity, seconds, totals, bounds)
    if RSS in series:
        yield _rss_line(series[RSS], bounds)
    if any(mark.events is not None for mark in reported):
        yield line_of("events", step_rates(seconds, _events(reported, since, seconds), bounds))


def _events(reported: Sequence[PhaseEvent], since: Since, seconds: Numbers) -> Numbers:
    """Return the events of all copies so far, at the time of each sample."""
    import numpy as np

    total = np.zeros(len(seconds))
    for copy in {mark.copy for mark in reported}:
        ours = [
            (since.seconds(m.mono_ns), m.events) for m in reported if m.copy == copy and m.events is not None
        ]
        moments, counts = np.array(ours, dtype=np.float64).reshape(-1, 2).T
        total += totals_at(moments, counts, seconds)
    return total


def _joined(samples: Numbers, bounds: NDArray[np.intp]) -> bool:
    """Tell whether a step holds more than what lies between two samples."""
    return len(samples) > len(bounds) > 0


def _rate_line(quantity: Quantity, seconds: Numbers, totals: Numbers, bounds: NDArray[np.intp]) -> Line:
    import numpy as np

    means = step_rates(seconds, totals, bounds)
    if not _joined(seconds, bounds):
        return line_of(quantity, means)
    return line_of(
        quantity, means, step_range(step_rates(seconds, totals, np.arange(len(seconds))), bounds[:-1])
    )


def _rss_line(values: Numbers, bounds: NDArray[np.intp]) -> Line:
    peaks = step_peaks(values, bounds)
    ends = (-step_peaks(-values, bounds), peaks) if _joined(values, bounds) else None
    return line_of("job_rss", peaks, ends)
