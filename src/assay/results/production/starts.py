"""From prmon's files of a farm's jobs to what starts at once cost them, by class of machines."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean, median

from assay.exchange.jobs.job import Damaged, Job, LeftOut, Told
from assay.pages.production import LeftOutJobs, Spread
from assay.pages.starts import StartsCheck, StartsForecast, StartsPage, StartsRow
from assay.results.production.nodes import FarmNodes
from assay.results.production.reading import read_all
from assay.results.production.tally import MOST_DAMAGES, MOST_UNKNOWN, NO_NODE
from assay.stats.jackknife import half_width
from assay.stats.starts.course import Files, Start, Startup
from assay.stats.starts.fit import FEWEST_JOBS, Checked, Fit, fit

CONFIDENCE = 0.95
LONGEST_S = 1e9
"""Thirty years: no job takes so long."""
TOO_LONG = "longer than thirty years"
NO_START, NO_MACHINE = "without a time of start", "on guests whose machine is not known"
FEWEST_TELLING = 3
"""Jobs that tell their I/O wait, below which it is not told of them."""
TOGETHER = (1, 2, 3, 6, 12, 24)
"""Where classes of "guests at once" begin."""
Step = Callable[[int, int], None]


@dataclass
class _Class:
    """Jobs on machines of one class."""

    machines: dict[str, list[Start]] = field(default_factory=dict)
    size_of: dict[str, int | None] = field(default_factory=dict)

    @property
    def seen(self) -> int:
        return sum(one.init_s is not None for starts in self.machines.values() for one in starts)


@dataclass
class _Starts:
    """All starts that files tell of."""

    nodes: FarmNodes
    classes: dict[str, _Class] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)
    unknown: dict[str, None] = field(default_factory=dict)
    damages: list[str] = field(default_factory=list)
    damaged: int = 0
    ended_badly: set[str] = field(default_factory=set)

    def add(self, told: Iterable[Told]) -> int:
        """Add what a file tells; return how many jobs of it count: prmon's alone."""
        return sum(self._add(one) for one in told)

    def _add(self, one: Told) -> bool:
        if isinstance(one, Damaged):
            self.damaged += 1
            if len(self.damages) < MOST_DAMAGES:
                self.damages.append(f"{one.place}: expected {one.expected}, got {one.actual}")
        elif isinstance(one, LeftOut):
            self.left_out[one.why] += 1
            if one.number is not None:
                self.ended_badly.add(one.number)
        elif one.from_prmon and one.number not in self.ended_badly:
            why = self._take(one)
            if why is None:
                return True
            self.left_out[why] += 1
        return False

    def _take(self, job: Job) -> str | None:
        """Take a job, or return why it is left out."""
        node = self.nodes.of(job.node)
        if node is None:
            if len(self.unknown) < MOST_UNKNOWN:
                self.unknown[job.node] = None
            return NO_NODE
        if node.on is None or job.start_s is None:
            return NO_MACHINE if node.on is None else NO_START
        if job.wall_s > LONGEST_S:
            return TOO_LONG
        its = self.classes.setdefault(node.of_class, _Class())
        its.size_of[job.node] = node.cores
        its.machines.setdefault(node.on, []).append(
            Start(
                job.node,
                job.start_s,
                job.start_s + job.wall_s,
                job.init_s,
                job.init_bytes,
                job.init_iowait_s,
            )
        )
        return None


def starts_page(files: Sequence[Path], nodes: FarmNodes, step: Step = lambda _at, _of: None) -> StartsPage:
    """Return what files say of jobs that start beside each other.

    Args:
        files: prmon's files, or folders of them; accounting beside them says which jobs failed.
        nodes: What is known of the nodes.
        step: Is told how many fits are made, and of how many.

    Raises:
        TableError: A file cannot be read, or is no accounting.
    """
    found = _Starts(nodes)
    sources = read_all(files, None, found)
    classes = sorted(found.classes.items())
    rows = []
    for at, (name, its) in enumerate(classes):
        rows.append(_row(name, its, _later(step, at, len(classes))))
    return StartsPage(
        sources=sources,
        confidence=CONFIDENCE,
        rows=tuple(rows),
        left_out=tuple(LeftOutJobs(why, jobs) for why, jobs in found.left_out.most_common()),
        unknown=tuple(found.unknown),
        damaged=found.damaged,
        damages=tuple(found.damages),
    )


def _later(step: Step, at: int, of: int) -> Step:
    """Return a step of the class at a place among so many."""
    return lambda done, fits: step(at * fits + done, of * fits)


def _row(name: str, its: _Class, step: Step) -> StartsRow:
    machines = {on: sorted(starts, key=lambda one: one.at_s) for on, starts in sorted(its.machines.items())}
    found = fit(machines, its.size_of, step)
    if found is None:
        few = f"{its.seen} jobs whose initialization is seen: a fit needs {FEWEST_JOBS}"
        return _nothing(name, its, few)
    whole = found.startup
    on_disk = [one.start.read_bytes for one in found.checked if one.files is Files.DISK]
    told = [count for count in on_disk if count is not None]
    read = median(told) if told else None
    together = max((round(one.together) for one in found.checked), default=0)
    limit = None if math.isinf(whole.fed) else whole.fed
    wall, trivial_wall = _wall_errors(found, its.size_of)
    better = Spread(*found.better)
    forecasts = tuple(_forecasts(found, its)) if better.low is not None and better.low > 0 else ()
    return StartsRow(
        of_class=name,
        machines=len(its.machines),
        guests=len(its.size_of),
        jobs=its.seen,
        alone_s=_spread(found, lambda one: one.alone_s),
        fed=None if limit is None else _spread(found, lambda one: one.fed),
        kept=_spread(found, lambda one: one.kept) if _kept(found) else None,
        most_together=together,
        read_bytes=read,
        disk_bytes_s=None if limit is None or read is None else limit * read / whole.alone_s,
        held_out="machines" if found.by_machine else "times",
        error=math.expm1(found.error),
        trivial_error=math.expm1(found.trivial_error),
        better=better,
        wall_error=wall,
        trivial_wall_error=trivial_wall,
        checks=tuple(_checks(found.checked, its.size_of)),
        forecasts=forecasts,
        reasons=tuple(_reasons(found, forecasts, together)),
    )


def _nothing(name: str, its: _Class, why: str) -> StartsRow:
    return StartsRow(
        of_class=name,
        machines=len(its.machines),
        guests=len(its.size_of),
        jobs=its.seen,
        alone_s=None,
        fed=None,
        kept=None,
        most_together=0,
        read_bytes=None,
        disk_bytes_s=None,
        held_out=None,
        error=None,
        trivial_error=None,
        better=None,
        wall_error=None,
        trivial_wall_error=None,
        checks=(),
        forecasts=(),
        reasons=(why,),
    )


def _kept(found: Fit) -> bool:
    return any(one.files is Files.MEMORY for one in found.checked)


def _spread(found: Fit, figure: Callable[[Startup], float]) -> Spread:
    return _over_parts(figure(found.startup), [figure(one) for one in found.without.values()])


def _over_parts(whole: float, without: Sequence[float]) -> Spread:
    """Return a figure above 0 with its interval on the log scale, from leaving out each part in turn."""
    import numpy as np

    logs = np.log(np.array([whole, *without]))
    half = half_width(logs, len(without) - 1, confidence=CONFIDENCE)
    if not half:
        return Spread(whole, None, None)
    return Spread(whole, whole * math.exp(-half), whole * math.exp(half))


def _run_s(checked: Iterable[Checked], size_of: Mapping[str, int | None]) -> dict[int | None, float]:
    """Return the mean of the rest of jobs, over the nodes of each size."""
    by_node: dict[str, list[float]] = {}
    for one in checked:
        rest = one.start.ended_s - one.start.at_s - (one.start.init_s or 0.0)
        by_node.setdefault(one.start.guest, []).append(rest)
    by_size: dict[int | None, list[float]] = {}
    for node, rests in by_node.items():
        by_size.setdefault(size_of.get(node), []).append(fmean(rests))
    return {size: fmean(means) for size, means in by_size.items()}


def _forecasts(found: Fit, its: _Class) -> Iterator[StartsForecast]:
    most: dict[int | None, int] = {}
    for one in found.checked:
        size = its.size_of.get(one.start.guest)
        most[size] = max(most.get(size, 1), round(one.together))
    whole = _run_s(found.checked, its.size_of)
    without = {
        part: _run_s((one for one in found.checked if one.part != part), its.size_of)
        for part in found.without
    }
    for size in sorted(most, key=lambda cores: (cores is None, cores or 0)):
        rests = [without[part].get(size, whole[size]) for part in found.without]
        for guests in _numbers(most[size]):
            init = [one.together_s(guests) for one in (found.startup, *found.without.values())]
            alone = [one.alone_s for one in (found.startup, *found.without.values())]
            walls = [a + b for a, b in zip(init, (whole[size], *rests), strict=True)]
            ratios = [(a + b) / wall for a, b, wall in zip(alone, (whole[size], *rests), walls, strict=True)]
            rate = _over_parts(3600 / walls[0], [3600 / wall for wall in walls[1:]])
            kept = _over_parts(ratios[0], ratios[1:])
            yield StartsForecast(
                cores=size,
                guests=guests,
                init_s=_over_parts(init[0], init[1:]),
                run_s=whole[size],
                jobs_per_hour=rate,
                loss=Spread(
                    1 - kept.value,
                    None if kept.high is None else 1 - kept.high,
                    None if kept.low is None else 1 - kept.low,
                ),
            )


def _numbers(most: int) -> list[int]:
    """Return 1, 2, 4 … up to the most, which is always there."""
    return sorted({*(1 << at for at in range(most.bit_length()) if 1 << at <= most), most})


def _wall_errors(found: Fit, size_of: Mapping[str, int | None]) -> tuple[float, float]:
    errors: list[tuple[float, float]] = []
    for part in found.without:
        rest = _run_s((one for one in found.checked if one.part != part), size_of)
        usual = fmean(rest.values())
        held = [one for one in found.checked if one.part == part]
        runs = sum(rest.get(size_of.get(one.start.guest), usual) for one in held)
        wall = sum(one.start.ended_s - one.start.at_s for one in held)
        forecast, trivial = sum(one.forecast_s for one in held), sum(one.trivial_s for one in held)
        errors.append((abs((forecast + runs) / wall - 1), abs((trivial + runs) / wall - 1)))
    return fmean(one for one, _ in errors), fmean(one for _, one in errors)


def _checks(checked: Iterable[Checked], size_of: Mapping[str, int | None]) -> Iterator[StartsCheck]:
    groups: dict[tuple[int | None, Files, int], list[Checked]] = {}
    for one in checked:
        together = max(1, round(one.together))
        fewest = max(first for first in TOGETHER if first <= together) if one.files is Files.DISK else 0
        groups.setdefault((size_of.get(one.start.guest), one.files, fewest), []).append(one)
    order = [*Files]
    for size, files, fewest in sorted(
        groups, key=lambda key: (key[0] is None, key[0] or 0, order.index(key[1]), key[2])
    ):
        jobs = groups[size, files, fewest]
        later = next((first - 1 for first in TOGETHER if first > fewest), None) if fewest else 0
        yield StartsCheck(
            cores=size,
            files=files.value,
            fewest=fewest,
            most=later,
            jobs=len(jobs),
            measured_s=median(one.start.init_s or math.nan for one in jobs),
            forecast_s=median(one.forecast_s for one in jobs),
            trivial_s=median(one.trivial_s for one in jobs),
            in_wait=_in_wait(jobs),
        )


def _in_wait(jobs: Iterable[Checked]) -> float | None:
    """Return the processors in I/O wait, the median of jobs; ``None`` where fewer than three tell."""
    told = [wait for one in jobs if (wait := one.start.in_wait) is not None]
    return median(told) if len(told) >= FEWEST_TELLING else None


def _reasons(found: Fit, forecasts: Sequence[StartsForecast], together: int) -> Iterator[str]:
    if not forecasts:
        yield (
            "no forecast: for jobs held out it is no better than the median of the others on nodes of their "
            "size; what starts at once cost is not seen here"
        )
    if together < 2:
        yield "no two guests of a machine read at once: what that would cost is not known"
    elif math.isinf(found.startup.fed):
        yield f"the disks fed all that read at once, up to {together} guests"
    else:
        yield from _not_the_disk(found)
    if not found.by_machine:
        yield "of one or two machines: held out were times, and intervals are of these machines alone"


def _not_the_disk(found: Fit) -> Iterator[str]:
    """Yield what speaks against a limit of the disk: processors waited no more beyond it than within it."""
    on_disk = [one for one in found.checked if one.files is Files.DISK]
    beyond = _in_wait(one for one in on_disk if one.together > found.startup.fed)
    within = _in_wait(one for one in on_disk if one.together <= found.startup.fed)
    if beyond is not None and within and beyond <= within:  # many guests count none at all
        yield (
            "no more processors of a guest were in I/O wait beyond the limit than within it: what slowed "
            "these starts need not be the disk"
        )
