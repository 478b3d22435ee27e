"""From files of accounting to the page: jobs by class of node, physical against virtual, beside the lab."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from assay.exchange.jobs.job import EventsOf
from assay.model.figures.estimate import Verdict
from assay.pages.production import (
    LeftOutJobs,
    Prediction,
    ProductionPage,
    ProductionRow,
    ProductionSide,
    Quantity,
    Spread,
    Standing,
)
from assay.results.production.nodes import FarmNodes
from assay.results.production.reading import read_all
from assay.results.production.tally import Course, Groups, Key, Side, Tally
from assay.results.production.unlike import unlike
from assay.stats.unpaired import FEWEST, Interval, difference_between, less, mean_between
from assay.stats.verdicts.verdict import verdict_of

CONFIDENCE, MARGIN = 0.95, 0.01
"""Coverage of all losses together; the difference that does not matter where no result says one."""
MOST_EFFICIENT = 1.02
"""CPU time over wall time times cores; what is beyond is not rounding."""
STANDINGS: Mapping[Verdict, Standing] = {
    Verdict.LOSS: "loses-more",
    Verdict.GAIN: "loses-less",
    Verdict.EQUIVALENT: "agrees",
    Verdict.INCONCLUSIVE: "not-decided",
}


@dataclass(frozen=True)
class Asked:
    """What is asked of accounting.

    Attributes:
        name: Pattern of the names of jobs (``reco-*``); ``None`` is all.
        events: Events of a job.
        cores: Cores of a job of which they are not told.
    """

    name: str | None = None
    events: EventsOf = None
    cores: int | None = None

    @property
    def quantity(self) -> Quantity | None:
        """What wall time is told of: jobs of any name have no wall time in common."""
        if self.events is not None:
            return "event"
        return None if self.name is None else "job"


@dataclass(frozen=True)
class Lab:
    """The lab's side: what it says, and the difference that does not matter to it."""

    prediction: Prediction
    margin: float
    emulated: bool


def production_page(
    files: Sequence[Path], nodes: FarmNodes, asked: Asked, lab: Lab | None = None
) -> ProductionPage:
    """Return what files of accounting say.

    Args:
        files: The files, or folders of prmon's files; of one job's the series is read, and of its summary how
            the job ended.
        nodes: What is known of the nodes.
        asked: What is asked of them.
        lab: What a result says; ``None`` is no result.

    Raises:
        TableError: A file cannot be read, or is no accounting.
    """
    tally = Tally(nodes, asked.name, asked.cores)
    sources = read_all(files, asked.events, tally)
    groups = dict(sorted(tally.groups.items(), key=lambda one: (one[0].of_class, one[0].cores or 0)))
    judged = max(1, sum(len(sides) == 2 for sides in groups.values()))
    each = 1 - (1 - CONFIDENCE) / judged
    made = _Rows(asked.quantity, each, lab, tally.courses)
    return ProductionPage(
        sources=sources,
        name=asked.name,
        quantity=asked.quantity,
        confidence=CONFIDENCE,
        each=each,
        margin=MARGIN if lab is None else lab.margin,
        prediction=None if lab is None else lab.prediction,
        rows=tuple(made.of(groups)),
        left_out=tuple(LeftOutJobs(why, jobs) for why, jobs in tally.left_out.most_common()),
        unknown=tuple(tally.unknown),
        damaged=tally.damaged,
        damages=tuple(tally.damages),
    )


@dataclass(frozen=True)
class _Rows:
    quantity: Quantity | None
    each: float
    lab: Lab | None
    courses: Mapping[tuple[str, bool], Course]

    def of(self, groups: Groups) -> Iterator[ProductionRow]:
        for key, sides in groups.items():
            shown = {virtual: self._side(key, virtual, side) for virtual, side in sides.items()}
            if len(sides) == 2:
                yield self._compared(key, sides, shown)
                continue
            lacking = "physical" if True in sides else "virtual"
            reason = f"no such job ran on a {lacking} node of this class"
            yield ProductionRow(
                *key, shown.get(False), shown.get(True), None, None, None, "not-comparable", (reason,)
            )

    def _compared(
        self, key: Key, sides: Mapping[bool, Side], shown: Mapping[bool, ProductionSide]
    ) -> ProductionRow:
        physical, virtual = sides[False], sides[True]
        slower = self._between(*(self._logs(side) for side in (physical, virtual)))
        waits = self._between(*(_efficiencies(side) for side in (physical, virtual)))
        beyond = None if slower is None or self.lab is None else less(slower, _slower(self.lab.prediction))
        hardware = None if self.lab is None else self.lab.prediction.hardware
        grave, others = unlike(key, physical, virtual, events=self.quantity == "event", hardware=hardware)
        standing, why = self._standing(
            slower, beyond, grave, fewest=min(len(physical.nodes), len(virtual.nodes))
        )
        if waits is not None and waits[1] is not None and waits[2] is not None and waits[1] * waits[2] > 0:
            others.append(_waiting(waits[0]))
        if any(side.efficiency and side.efficiency.value > MOST_EFFICIENT for side in shown.values()):
            others.append("jobs took more CPU time than their cores can give: cores do not bound them")
        return ProductionRow(
            of_class=key.of_class,
            cores=key.cores,
            physical=shown[False],
            virtual=shown[True],
            loss=_loss(slower),
            efficiency=_spread(waits),
            beyond=_loss(beyond),
            standing=standing,
            reasons=(*why, *others),
        )

    def _standing(
        self, slower: Interval | None, beyond: Interval | None, grave: list[str], *, fewest: int
    ) -> tuple[Standing, list[str]]:
        """Return whether the lab stands for production, and why that cannot be said."""
        if self.lab is not None and self.lab.emulated:
            grave = [*grave, "the result's guest was emulated (TCG): no farm runs its jobs so"]
        if slower is None:
            ask = "no wall time is compared: give --events for wall time per event, --name for that of a job"
            lacking = "events of jobs are not told on both kinds of nodes"
            return "not-comparable", [ask if self.quantity is None else lacking, *grave]
        if grave:
            return "not-comparable", grave
        if slower[1] is None:
            few = f"an interval needs {FEWEST} nodes of each kind"
            return "not-decided", [few if fewest < FEWEST else "no node differs from another of its kind"]
        if beyond is None or self.lab is None:
            return "no-prediction", []
        low, high = (None if end is None else -math.expm1(-end) for end in beyond[1:])
        if low is None or high is None:
            return "not-decided", ["the result's loss has no interval"]
        return STANDINGS[verdict_of(low, high, self.lab.margin)], []

    def _between(self, a: Sequence[float], b: Sequence[float]) -> Interval | None:
        return difference_between(a, b, confidence=self.each) if a and b else None

    def _logs(self, side: Side) -> list[float]:
        """Return log wall time per event, or per job, of each node."""
        if self.quantity is None:
            return []
        sums = side.nodes.values()
        if self.quantity == "job":
            return [math.log(one.wall_s / one.jobs) for one in sums]
        return [math.log(one.event_wall_s / one.events) for one in sums if one.events > 0]

    def _side(self, key: Key, virtual: bool, side: Side) -> ProductionSide:
        sums, course = side.nodes.values(), self.courses.get((key.of_class, virtual), Course())
        logs, efficiencies = self._logs(side), _efficiencies(side)
        told = sum(one.event_jobs for one in sums)
        wall = [math.exp(end) if end is not None else None for end in self._mean(logs)] if logs else None
        return ProductionSide(
            nodes=len(side.nodes),
            jobs=sum(one.jobs for one in sums),
            efficiency=_spread(self._mean(efficiencies)) if efficiencies else None,
            wall_s=None if wall is None or wall[0] is None else Spread(wall[0], wall[1], wall[2]),
            events=sum(one.events for one in sums) / told if told else None,
            init_share=course.init_s / course.wall_s if course.jobs else None,
            init_jobs=course.jobs,
            first=_moment(side.first_s),
            last=_moment(side.last_s),
        )

    def _mean(self, values: Sequence[float]) -> Interval:
        return mean_between(values, confidence=self.each)


def _efficiencies(side: Side) -> list[float]:
    return [one.cpu_s / one.core_s for one in side.nodes.values() if one.core_s > 0]


def _slower(prediction: Prediction) -> Interval:
    """Return the log slowdown of the lab with its ends; a loss of all has none."""
    loss = prediction.loss
    ends = (None if end is None or end >= 1 else -math.log1p(-end) for end in (loss.low, loss.high))
    low, high = ends
    return -math.log1p(-loss.value), low, high


def _loss(slower: Interval | None) -> Spread | None:
    """Return a loss of what is a log slowdown."""
    if slower is None:
        return None
    low, high = (None if end is None else -math.expm1(-end) for end in slower[1:])
    return Spread(-math.expm1(-slower[0]), low, high)


def _spread(found: Interval | None) -> Spread | None:
    return None if found is None else Spread(*found)


def _waiting(less_by: float) -> str:
    if less_by < 0:
        return (
            "CPU efficiency is lower on virtual nodes: their jobs wait more (for files, the network, "
            "processors), which a lab workload that computes alone does not"
        )
    return (
        "CPU efficiency is higher on virtual nodes: their jobs wait less, or take more CPU time for the same "
        "work"
    )


def _moment(seconds: float | None) -> str | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")
