"""Jobs added up by node: of a million jobs no more is in memory than of a thousand."""

from __future__ import annotations

import fnmatch
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from assay.exchange.jobs.job import Damaged, Job, LeftOut, Told
from assay.results.production.nodes import FarmNodes

MOST_NAMES = 1000
"""Names of jobs that are counted each; further ones are one name."""
MOST_UNKNOWN, MOST_DAMAGES = 20, 10
OTHER_NAME, NO_NODE = "of other names", "on nodes that are not known"
_DIGITS = re.compile(r"\d+")


@dataclass(slots=True)
class NodeSums:
    """What the jobs of one node came to."""

    jobs: int = 0
    wall_s: float = 0.0
    cpu_jobs: int = 0
    cpu_s: float = 0.0
    core_s: float = 0.0
    events: float = 0.0
    event_jobs: int = 0
    event_wall_s: float = 0.0


@dataclass(slots=True)
class Course:
    """What jobs told of their initialization."""

    jobs: int = 0
    init_s: float = 0.0
    wall_s: float = 0.0


@dataclass(slots=True)
class Side:
    """Jobs of one class and size on physical, or on virtual nodes."""

    nodes: dict[str, NodeSums] = field(default_factory=dict)
    works: Counter[str] = field(default_factory=Counter)
    first_s: float | None = None
    last_s: float | None = None

    def add(self, job: Job) -> None:
        """Add a job."""
        sums = self.nodes.setdefault(job.node, NodeSums())
        sums.jobs += 1
        sums.wall_s += job.wall_s
        if job.cpu_s is not None and job.cores is not None:
            sums.cpu_jobs += 1
            sums.cpu_s += job.cpu_s
            sums.core_s += job.wall_s * job.cores
        if job.events is not None:
            sums.events += job.events
            sums.event_jobs += 1
            sums.event_wall_s += job.wall_s
        work = _DIGITS.sub("#", job.name)
        self.works[work if work in self.works or len(self.works) < MOST_NAMES else "others"] += 1
        if job.start_s is not None:
            self.first_s = job.start_s if self.first_s is None else min(self.first_s, job.start_s)
            self.last_s = job.start_s if self.last_s is None else max(self.last_s, job.start_s)


class Key(NamedTuple):
    """What is compared: nodes of one class, jobs of one size."""

    of_class: str
    cores: int | None


Groups = dict[Key, dict[bool, Side]]
"""By what is compared, then by whether the nodes are virtual."""


@dataclass
class Tally:
    """All that was read.

    Attributes:
        nodes: What is known of nodes.
        name: Pattern of the names of jobs that count; prmon's files name none, and all of them count.
        cores: Cores of a job of which they are not told.
    """

    nodes: FarmNodes
    name: str | None
    cores: int | None
    accounted: Groups = field(default_factory=dict)
    watched: Groups = field(default_factory=dict)
    courses: dict[tuple[str, bool], Course] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)
    unknown: dict[str, None] = field(default_factory=dict)
    damaged: int = 0
    damages: list[str] = field(default_factory=list)
    ended_badly: set[str] = field(default_factory=set)

    @property
    def groups(self) -> Groups:
        """Jobs of the batch system's accounting; prmon's where there is no other."""
        return self.accounted or self.watched

    def add(self, told: Iterable[Told]) -> int:
        """Add what a file tells; return how many jobs of it count."""
        taken = 0
        for one in told:
            if isinstance(one, Job):
                taken += self._add(one)
            elif isinstance(one, LeftOut):
                self.left_out[one.why] += 1
                if one.number is not None:
                    self.ended_badly.add(one.number)
            else:
                self._note(one)
        return taken

    def _add(self, job: Job) -> bool:
        if job.number in self.ended_badly:
            if job.from_prmon:
                return False  # a watcher knows only that it ended; it is counted by its accounting
            self.ended_badly.remove(job.number)  # it ran again
        if self.name is not None and not job.from_prmon and not fnmatch.fnmatchcase(job.name, self.name):
            self.left_out[OTHER_NAME] += 1
            return False
        node = self.nodes.of(job.node)
        if node is None:
            self.left_out[NO_NODE] += 1
            if len(self.unknown) < MOST_UNKNOWN:
                self.unknown[job.node] = None
            return False
        if job.cores is None and self.cores is not None:
            job = replace(job, cores=self.cores)
        if job.init_s is not None:
            course = self.courses.setdefault((node.of_class, node.virtual), Course())
            course.jobs += 1
            course.init_s += job.init_s
            course.wall_s += job.wall_s
        groups = self.watched if job.from_prmon else self.accounted
        groups.setdefault(Key(node.of_class, job.cores), {}).setdefault(node.virtual, Side()).add(job)
        return True

    def _note(self, damage: Damaged) -> None:
        self.damaged += 1
        if len(self.damages) < MOST_DAMAGES:
            self.damages.append(f"{damage.place}: expected {damage.expected}, got {damage.actual}")
