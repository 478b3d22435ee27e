"""What initialization is like on the machines of a class: fitted to jobs, and tried on jobs held out."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from statistics import fmean, median

from assay.stats.jackknife import half_width
from assay.stats.starts.course import Files, Start, Startup, course
from assay.stats.unpaired import Interval

FEWEST_JOBS = 10
"""Jobs whose initialization is seen, below which nothing is fitted."""
FEWEST_PARTS, MOST_PARTS = 3, 10
"""Parts of the jobs that are held out in turn."""
MOST_FITTED = 2000
"""Jobs to which a fit is made: of more, those of some machines, spread over all of them."""
SIMPLER = 0.02
"""A limit of the disk is believed where it lowers the error by more than this fraction of it."""
BEND = 0.1
"""Log seconds: smaller residuals count by their square, larger ones by their size: outliers do little."""
LEAST = 1e-3
"""Log error that counts as none: below it, what is forecast and what was measured agree to a thousandth."""
LIMITS, SHARES = (1.5, 4.0, 12.0), (0.2, 0.7)
"""Where the search for the limit and for what is kept begins."""

Machines = Mapping[str, Sequence[Start]]
"""By machine, its starts in ascending order."""
Job = tuple[str, int]
"""A machine, and the place of the job among its starts."""
Step = Callable[[int, int], None]
"""Is told after each fit which it was, and of how many."""


@dataclass(frozen=True)
class Checked:
    """A job that was held out.

    Attributes:
        part: The part in which it was.
        start: The job.
        together: Guests of its machine that read at once, itself counted, mean over its initialization as
            forecast; 0 for one that read nothing.
        files: Where its files were, by the forecast.
        forecast_s: Seconds of its initialization, forecast by the others.
        trivial_s: Median of the others, on nodes of its size where there are such.
    """

    part: int
    start: Start
    together: float
    files: Files
    forecast_s: float
    trivial_s: float

    @property
    def error(self) -> float:
        """Log of the forecast over what was measured."""
        return math.log(self.forecast_s / (self.start.init_s or math.nan))

    @property
    def trivial_error(self) -> float:
        """The same of the median."""
        return math.log(self.trivial_s / (self.start.init_s or math.nan))


@dataclass(frozen=True)
class Fit:
    """What was found of a class of machines.

    Attributes:
        startup: From all of its jobs.
        without: The same without each part in turn, by its number.
        by_machine: The parts are machines; else they are times.
        checked: The jobs that were held out, each once.
        error: Mean absolute log error of the forecasts.
        trivial_error: That of the medians.
        better: Log of ``trivial_error`` over ``error``, with its ends from leaving out each part.
    """

    startup: Startup
    without: Mapping[int, Startup]
    by_machine: bool
    checked: tuple[Checked, ...]
    error: float
    trivial_error: float
    better: Interval


def fit(
    machines: Machines, size_of: Mapping[str, int | None], step: Step = lambda _at, _of: None
) -> Fit | None:
    """Fit what initialization is like, and forecast each part of the jobs by the others.

    A part is a tenth of the machines, or each of them where there are fewer; with one or two machines it is a
    tenth of the jobs in the order of time.

    Args:
        machines: The starts.
        size_of: Cores of each guest; ``None`` is "not known".
        step: Is told after each fit.

    Returns:
        ``None`` with fewer than ``FEWEST_JOBS`` jobs whose initialization is seen.

    Source:
        Cross-validation over groups: M. Stone, "Cross-validatory choice and assessment of statistical
        predictions", J. R. Stat. Soc. B 36 (1974) 111-147; the loss bends as Huber's (Ann. Math. Stat. 35
        (1964) 73-101).

    Limits:
        Two forms are tried, with and without a limit of the disk, and that with the lower error is kept: its
        own error is, by that choice, a little too small.
    """
    taken = _some(machines)
    seen = [(name, at) for name, starts in taken.items() for at, one in enumerate(starts) if one.init_s]
    if len(seen) < FEWEST_JOBS:
        return None
    part_of = _parts(taken, seen)
    parts = sorted(set(part_of.values()))
    if len(parts) < FEWEST_PARTS:
        return None
    total, done = 2 * (len(parts) + 1), 0
    forms = []
    for limited in (False, True):
        jobs = _Jobs(taken, limited=limited)
        whole = jobs.fitted(seen, None)
        step(done := done + 1, total)
        without = {}
        for part in parts:
            without[part] = jobs.fitted([job for job in seen if part_of[job] != part], whole)
            step(done := done + 1, total)
        errors = (jobs.errors(one, part, part_of) for part, one in without.items())
        forms.append((fmean(abs(error) for some in errors for error in some), whole, without))
    plain, with_limit = forms
    _, whole, without = with_limit if with_limit[0] < plain[0] * (1 - SIMPLER) else plain
    return _checked(taken, whole, without, part_of, size_of)


def _some(machines: Machines) -> Machines:
    """Return machines with no more than ``MOST_FITTED`` jobs in all, spread over those that there are."""
    jobs = sum(len(starts) for starts in machines.values())
    apart = max(1, -(-jobs // MOST_FITTED))
    names = sorted(machines)[::apart] if len(machines) >= FEWEST_PARTS * apart else sorted(machines)
    most = MOST_FITTED // max(1, len(names))
    return {name: machines[name][:most] for name in names}


def _parts(machines: Machines, seen: Sequence[Job]) -> dict[Job, int]:
    names = sorted({name for name, _ in seen})
    if len(names) >= FEWEST_PARTS:
        place = {name: at % MOST_PARTS for at, name in enumerate(names)}
        return {job: place[job[0]] for job in seen}
    ordered = sorted(seen, key=lambda job: machines[job[0]][job[1]].at_s)
    return {job: at * MOST_PARTS // len(ordered) for at, job in enumerate(ordered)}


class _Jobs:
    """Jobs to which one form is fitted."""

    def __init__(self, machines: Machines, *, limited: bool) -> None:
        self.machines, self.limited = machines, limited
        many = (course(starts, Startup(1.0)) for starts in machines.values())
        self.kept = any(files is Files.MEMORY for found in many for _, files in found)

    def fitted(self, jobs: Sequence[Job], near: Startup | None) -> Startup:
        """Return what comes closest to the jobs; ``near`` is where to begin."""
        from scipy.optimize import minimize

        places: dict[str, list[int]] = {}
        for name, at in jobs:
            places.setdefault(name, []).append(at)

        def cost(point: Sequence[float]) -> float:
            residuals = self._residuals(self._startup(point), places)
            return fmean(math.hypot(one, BEND) for one in residuals)

        begin = self._begins(jobs) if near is None else [self._point(near)]
        found = minimize(
            cost,
            min(begin, key=cost),
            method="Nelder-Mead",
            options={"xatol": 0.003, "fatol": 1e-6, "maxfev": 200},
        )
        return self._startup(found.x)

    def _begins(self, jobs: Sequence[Job]) -> list[list[float]]:
        times = sorted(self.machines[name][at].init_s or math.nan for name, at in jobs)
        alone = times[len(times) // 4], times[len(times) // 2]
        return [self._point(Startup(*one)) for one in product(alone, LIMITS, SHARES)]

    def _point(self, of: Startup) -> list[float]:
        limit = [math.log(max(of.fed - 1, 1e-3))] if self.limited else []
        return [math.log(of.alone_s), *limit, *([_logit(of.kept)] if self.kept else [])]

    def _startup(self, point: Sequence[float]) -> Startup:
        alone, *rest = (float(value) for value in point)
        fed = 1 + math.exp(min(rest[0], 20.0)) if self.limited else math.inf
        kept = 1 / (1 + math.exp(-max(-20.0, min(rest[-1], 20.0)))) if self.kept else 1.0
        return Startup(math.exp(min(alone, 20.0)), fed, kept)

    def _residuals(self, of: Startup, places: Mapping[str, Sequence[int]]) -> list[float]:
        residuals = []
        for name, jobs in places.items():
            starts = self.machines[name]
            found = course(starts, of)
            residuals += [math.log(found[at][0] / (starts[at].init_s or math.nan)) for at in jobs]
        return residuals

    def errors(self, of: Startup, part: int, part_of: Mapping[Job, int]) -> list[float]:
        """Return the log errors of what is forecast for a part."""
        places: dict[str, list[int]] = {}
        for (name, at), its in part_of.items():
            if its == part:
                places.setdefault(name, []).append(at)
        return self._residuals(of, places)


def _logit(share: float) -> float:
    share = min(max(share, 1e-6), 1 - 1e-6)
    return math.log(share / (1 - share))


def _checked(
    machines: Machines,
    whole: Startup,
    without: Mapping[int, Startup],
    part_of: Mapping[Job, int],
    size_of: Mapping[str, int | None],
) -> Fit:
    checked: list[Checked] = []
    for part, startup in without.items():
        medians = _Medians(machines, [job for job, its in part_of.items() if its != part], size_of)
        for name in sorted({name for (name, _), its in part_of.items() if its == part}):
            starts = machines[name]
            found = course(starts, startup)
            beside = _beside(starts, found)
            checked += [
                Checked(part, start, together, files, seconds, medians.of(start.guest))
                for at, (start, (seconds, files), together) in enumerate(
                    zip(starts, found, beside, strict=True)
                )
                if part_of.get((name, at)) == part
            ]
    return Fit(
        startup=whole,
        without=without,
        by_machine=len({name for name, _ in part_of}) >= FEWEST_PARTS,
        checked=tuple(checked),
        error=fmean(abs(one.error) for one in checked),
        trivial_error=fmean(abs(one.trivial_error) for one in checked),
        better=_better(checked, [*without]),
    )


def _better(checked: Sequence[Checked], parts: Sequence[int]) -> Interval:
    """Return the log of the medians' mean error over that of the forecasts, from leaving out each part."""
    import numpy as np

    def ratio(out: int | None) -> float:
        left = [one for one in checked if one.part != out]
        errors = (fmean(abs(error) for error in some)
                  for some in ([one.trivial_error for one in left], [one.error for one in left]))  # fmt: skip
        trivial, own = errors
        return math.log((trivial + LEAST) / (own + LEAST))

    values = np.array([ratio(None), *(ratio(part) for part in parts)])
    half = half_width(values, len(parts) - 1, confidence=0.95)
    value = float(values[0])
    return (value, None, None) if half is None else (value, value - half, value + half)


class _Medians:
    """The median of jobs on guests of a size."""

    def __init__(self, machines: Machines, jobs: Sequence[Job], size_of: Mapping[str, int | None]) -> None:
        self._size_of = size_of
        by_size: dict[int | None, list[float]] = {}
        for name, at in jobs:
            start = machines[name][at]
            by_size.setdefault(size_of.get(start.guest), []).append(start.init_s or math.nan)
        self._all = median(one for some in by_size.values() for one in some)
        self._by_size = {size: median(some) for size, some in by_size.items()}

    def of(self, guest: str) -> float:
        return self._by_size.get(self._size_of.get(guest), self._all)


def _beside(starts: Sequence[Start], found: Sequence[tuple[float, Files]]) -> list[float]:
    """Return how many guests read at once, mean over the time of each job that reads; else 0.

    The integral of the number of readers up to a time is a line between its changes.
    """
    readers = [(one.at_s, one.at_s + took) for one, (took, files) in zip(starts, found, strict=True)
               if files is Files.DISK]  # fmt: skip
    changes = sorted([(at, 1) for at, _ in readers] + [(end, -1) for _, end in readers])
    moments: list[float] = []
    integral: list[float] = []
    now = 0
    for at, change in changes:
        gone = now * (at - moments[-1]) if moments else 0.0
        integral.append((integral[-1] if integral else 0.0) + gone)
        moments.append(at)
        now += change
    at_moment = dict(zip(moments, integral, strict=True))
    return [
        (at_moment[one.at_s + took] - at_moment[one.at_s]) / took if files is Files.DISK else 0.0
        for one, (took, files) in zip(starts, found, strict=True)
    ]
