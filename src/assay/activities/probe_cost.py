"""The observer effect: the probe against itself, sampling and hardly sampling, in interleaved blocks."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, geometric_mean
from tempfile import TemporaryDirectory
from uuid import uuid4

from assay.activities.events import Watcher
from assay.activities.visits.visit import open_probe
from assay.design import plan_trials
from assay.model.errors import AssayError, Exit
from assay.model.machines.machine import Machine
from assay.model.metric import Direction
from assay.model.trial import Arm, PlannedTrial, State, Usage
from assay.model.work.placement import Placement
from assay.pages.context import Interval
from assay.probe import Door, Probe, RunResult, Spec
from assay.report.lists.cost import CostPage, CostRow, OwnCost
from assay.stats import log_slowdown, paired_loss

OFF_S = 3600.0
"""The longest interval that the protocol allows: a sample at the begin, one at the end, none between."""
WORK_S = 3.0
"""Long enough for a few samples a second apart, short enough for many blocks."""
MARGIN = 0.005
CONFIDENCE = 0.95
LIMIT_S = 120.0


@dataclass(frozen=True)
class Work:
    """A fixed amount of work, the same on both sides of all blocks.

    Attributes:
        name: For the table.
        what: One phrase.
        first: An amount that takes a fraction of a second anywhere; from its time follows the real one.
        command: With ``{count}`` for the amount and ``{probe}`` for the probe's path.
    """

    name: str
    what: str
    first: int
    command: tuple[str, ...]

    def of(self, count: int, probe: str) -> tuple[str, ...]:
        """Return the argument list for an amount of work."""
        return tuple(word.replace("{count}", str(count)).replace("{probe}", probe) for word in self.command)


WORKS = (
    Work("arithmetic", "events of whole-number arithmetic, nothing else", 400,
         ("{probe}", "kernel", "two-phase", "--init-bytes", "0", "--events", "{count}", "--every",
         "{count}")),
    Work("processes", "starts of a small program one after the other: fork, exec, mmap, page faults, exit",
    100,
         ("/bin/sh", "-c", "i=0; while [ $i -lt {count} ]; do /bin/true || exit 1; i=$((i+1)); done")),
)  # fmt: skip


METRICS: dict[str, Callable[[Usage], float]] = {
    "wall": lambda usage: usage.wall_s,
    "cpu": lambda usage: usage.user_s + usage.system_s,
}
"""Wall time feels all that others take; CPU time of the job is quieter, but feels caches and locks alone."""


class CostError(AssayError):
    """The work could not be run: nothing was measured."""

    exit_code = Exit.NOTHING


@dataclass(frozen=True)
class CostSpec:
    """What is to be measured.

    Attributes:
        interval_s: Time between samples of the side that samples.
        watch: Groups of series that it collects beside the core set.
        blocks: Number of blocks, at least two.
        seed: Seed of the order.
    """

    interval_s: float
    watch: tuple[str, ...]
    blocks: int
    seed: int


def probe_cost(machine: Machine, wanted: CostSpec, *, home: Path, watcher: Watcher) -> CostPage:
    """Measure what watching costs the watched.

    Every block runs each work twice hardly sampled and once sampled, in random order; as many copies run as
    the machine has processors, so that what the probe takes, it takes from the work.

    Args:
        machine: Where.
        wanted: What.
        home: Folder of all state.
        watcher: Told of the progress.

    Raises:
        CostError: The work fails there.
        ProbeError: The probe does not know a group.
        UnreachableError: The machine cannot be reached, or was lost.
    """
    with open_probe(machine, home) as (probe, door):
        bench = _Bench(machine.name, door, probe, len(probe.facts().cpus))
        try:
            # an unknown group is better refused now than in the midst of the first block
            bench.run(WORKS[0], WORKS[0].first, interval_s=wanted.interval_s, watch=wanted.watch)
            counts = {work.name: _amount(bench, work, watcher) for work in WORKS}
            planned = plan_trials([work.name for work in WORKS], blocks=wanted.blocks, seed=wanted.seed)
            runs = list(_runs(bench, wanted, planned, counts, watcher))
        finally:
            probe.remove(bench.folder)
    return _page(bench, wanted, runs)


class _Bench:
    """The machine with its probe, and a folder of our own there."""

    def __init__(self, machine: str, door: Door, probe: Probe, copies: int) -> None:
        self.machine, self.probe, self.copies = machine, probe, copies
        self.folder = f"{door.folder}/cost-{uuid4().hex[:8]}"
        self._door, self._runs = door, 0

    def run(
        self, work: Work, count: int, *, interval_s: float, watch: tuple[str, ...] = ()
    ) -> tuple[RunResult, Usage]:
        """Run some work to its end; whatever happens, it does not run on."""
        self._runs += 1
        into = f"{self.folder}/{self._runs}"
        spec = Spec(
            command=work.of(count, self.probe.path),
            directory=f"{self.folder}/work",
            interval_s=interval_s,
            time_limit_s=LIMIT_S,
            placement=Placement(copies=self.copies),
            watch=watch,
        )
        self.probe.start(spec, into)
        try:
            self.probe.wait(into, limit_s=LIMIT_S + 30)
        except BaseException:
            with suppress(AssayError):  # what went wrong first is told
                self.probe.stop(into)
                self.probe.wait(into, limit_s=30)
            raise
        return self._result(work, into)

    def _result(self, work: Work, into: str) -> tuple[RunResult, Usage]:
        with TemporaryDirectory(prefix="assay-cost-") as here:
            result = self.probe.fetch(into, Path(here) / "run")
        if result.state is not State.ENDED or result.usage is None:
            msg = f"cannot measure the probe's cost on {self.machine}: {work.name}: {result.cause}"
            raise CostError(msg)
        return result, result.usage


@dataclass(frozen=True)
class _Run:
    planned: PlannedTrial
    result: RunResult
    usage: Usage


def _amount(bench: _Bench, work: Work, watcher: Watcher) -> int:
    """Return how much work takes about ``WORK_S`` on this machine, all its copies together."""
    watcher.step(f"finding out how long {work.name} takes")
    count = work.first
    while True:
        wall_s = bench.run(work, count, interval_s=OFF_S)[1].wall_s
        if wall_s > WORK_S / 10:
            return max(1, round(count * WORK_S / wall_s))
        count *= 8


def _runs(
    bench: _Bench, wanted: CostSpec, planned: Sequence[PlannedTrial], counts: dict[str, int], watcher: Watcher
) -> Iterator[_Run]:
    works, began = {work.name: work for work in WORKS}, time.monotonic()
    for done, trial in enumerate(planned):
        a_run_s = (time.monotonic() - began) / done if done else WORK_S + 0.5
        watcher.progress(done=done, total=len(planned), remaining_s=a_run_s * (len(planned) - done))
        watcher.step("measuring the probe against itself")
        on = trial.arm is Arm.TREATMENT
        work, watch = works[trial.workload], wanted.watch if on else ()
        interval_s = wanted.interval_s if on else OFF_S
        result, usage = bench.run(work, counts[work.name], interval_s=interval_s, watch=watch)
        yield _Run(trial, result, usage)


def _page(bench: _Bench, wanted: CostSpec, runs: Sequence[_Run]) -> CostPage:
    groups = [series for run in runs for series in run.result.series if series.absent]
    return CostPage(
        machine=bench.machine,
        copies=bench.copies,
        interval_s=wanted.interval_s,
        off_s=OFF_S,
        watch=wanted.watch,
        absent=tuple(dict.fromkeys(f"{series.group}: {series.absent}" for series in groups)),
        blocks=wanted.blocks,
        seed=wanted.seed,
        confidence=CONFIDENCE,
        margin=MARGIN,
        own=tuple(_own(work, runs) for work in WORKS),
        rows=tuple(
            _row(work, metric, [run for run in runs if run.planned.workload == work.name])
            for work in WORKS
            for metric in METRICS
        ),
    )


def _row(work: Work, metric: str, runs: Sequence[_Run]) -> CostRow:
    of = METRICS[metric]
    blocks = [_block([run for run in runs if run.planned.block == at], of) for at in _blocks(runs)]
    logs = [log_slowdown(off, on, Direction.LOWER) for off, on in blocks]
    floors = [log_slowdown(off[:1], off[1], Direction.LOWER) for off, _ in blocks]
    estimate = paired_loss(logs, confidence=CONFIDENCE, margin=MARGIN)
    floor = paired_loss(floors, confidence=CONFIDENCE)
    return CostRow(
        work=work.name,
        metric=metric,
        seconds=geometric_mean([value for off, _ in blocks for value in off]),
        loss=Interval(estimate.loss, estimate.low, estimate.high, estimate.blocks),
        floor=Interval(floor.loss, floor.low, floor.high, floor.blocks),
        verdict=estimate.verdict,
        blocks_more=estimate.blocks_more,
    )


def _own(work: Work, runs: Sequence[_Run]) -> OwnCost:
    watched = [run for run in runs if run.planned.arm is Arm.TREATMENT and run.planned.workload == work.name]
    costs = [(run.result.cost, run.usage.wall_s) for run in watched if run.result.cost]
    wakes = [cost.wake_ups / wall_s for cost, wall_s in costs if cost.wake_ups is not None]
    return OwnCost(
        work=work.name,
        what=work.what,
        cpu_share=fmean(cost.cpu_s / wall_s for cost, wall_s in costs),
        rss_bytes=max(cost.rss_bytes for cost, _ in costs),
        largest_gap_s=max((c.largest_gap_s for c, _ in costs if c.largest_gap_s is not None), default=None),
        wake_ups_per_s=fmean(wakes) if wakes else None,
    )


def _blocks(runs: Sequence[_Run]) -> list[int]:
    return sorted({run.planned.block for run in runs})


def _block(runs: Sequence[_Run], of: Callable[[Usage], float]) -> tuple[list[float], float]:
    """Return the times of one block: hardly sampled in the order of the visits, and sampled."""
    off = [of(run.usage) for run in runs if run.planned.arm is Arm.BASELINE]
    (on,) = [of(run.usage) for run in runs if run.planned.arm is Arm.TREATMENT]
    return off, on
