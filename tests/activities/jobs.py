"""A visit without a machine: a probe and a guest that note what they are asked, and answer what they are
given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from assay.activities.interrupts import Interrupts
from assay.activities.trials.trial import TrialContext
from assay.activities.visits.visit import Visit
from assay.model.activity import ActivityPlan
from assay.model.machines.clock import ClockReading
from assay.model.machines.machine import Fingerprint, Limits
from assay.model.platforms.platform import GuestWeight, HypervisorCpu
from assay.model.work.page_cache import Residency
from assay.model.work.workload import File, Program
from assay.probe import JobState, RunResult, Space, Spec, StartTime, parse_result
from tests.builders import FACTS

S = 10**9
RESULT = parse_result((Path(__file__).parents[1] / "probe/records/1.0.json").read_bytes(), origin="here")
"""Of a job that ended well after 1.026 s."""
WEIGHT = GuestWeight(100, 50, 5, 1, 9.0)


@dataclass
class Jobs:
    """A probe whose jobs end at once with one result.

    Attributes:
        name: Of its machine, for the notes.
        acts: What was asked so far, of all that share the list.
        result: What every job wrote.
        clocks: Answers to comparisons of the clock, one after the other; the last is given on and on.
        rooms: Free bytes of its disk, one after the other; the last for good.
        interrupt: Waiting for a job is broken off, as by Ctrl-C.
        waits: How long each job was waited for at most, and the time between two ticks.
    """

    name: str = "there"
    acts: list[Any] = field(default_factory=list)
    result: RunResult = RESULT
    clocks: Sequence[ClockReading] = (ClockReading(0, 0, 0.0, 0.0),)
    interrupt: bool = False
    path: str = "/there/probe-1"
    specs: dict[str, Spec] = field(default_factory=dict)
    waits: list[tuple[float, float]] = field(default_factory=list)
    ticks: list[Callable[[], None]] = field(default_factory=list)
    states: dict[str, JobState] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    output: bytes = b""
    rooms: list[int] = field(default_factory=lambda: [1 << 40])
    compared: int = 0

    def _note(self, act: str, what: object) -> None:
        self.acts.append((self.name, act, what))

    def make(self, path: str) -> None:
        self._note("make", path)

    def remove(self, path: str) -> None:
        self._note("remove", path)

    def stop(self, into: str) -> None:
        self._note("stop", into)
        self.states[into] = JobState.ENDED

    def status(self, into: str) -> Any:
        return SimpleNamespace(state=self.states.get(into, JobState.ABSENT))

    def start(self, spec: Spec, into: str) -> None:
        self._note("start", into)
        self.specs[into] = spec
        self.states[into] = JobState.RUNNING

    def wait(self, into: str, *, limit_s: float, on_tick: Any = None, tick_s: float = 0.5) -> None:
        self._note("wait", into)
        self.waits.append((limit_s, tick_s))
        self.ticks.append(on_tick)
        if self.interrupt:
            raise KeyboardInterrupt
        self.states[into] = JobState.ENDED

    def fetch(self, into: str, here: Path) -> RunResult:
        self._note("fetch", into)
        here.mkdir(exist_ok=True)
        (here / "stdout").write_bytes(self.output)
        (here / "stderr").write_bytes(b"")
        for copy in range(1, len(self.result.copies)):
            (here / f"stdout.{copy}").write_bytes(self.output)
            (here / f"stderr.{copy}").write_bytes(b"")
        return self.result

    def digest(self, name: str, script: str | None = None, known: object = None) -> Program:
        self._note("digest", f"{name} {script}" if script else name)
        return Program(File(name.rpartition("/")[2], name, "0"))

    def carry(self, program: Path, *, sha256: str) -> str:
        self._note("carry", program.name)
        return f"/there/{program.name}-{sha256[:4]}"

    def space(self, path: str) -> Space:
        return Space(self.rooms.pop(0) if len(self.rooms) > 1 else self.rooms[0], 1 << 50)

    def size(self, path: str) -> int | None:
        found = self.files.get(path)
        return None if found is None else len(found)

    def bring(self, path: str, here: Path) -> None:
        self._note("bring", path)
        here.parent.mkdir(parents=True, exist_ok=True)
        here.write_bytes(self.files[path])

    def cache(self, act: str, paths: Sequence[str]) -> Residency:
        self._note(act, tuple(paths))
        return Residency(len(paths), 100, 0)

    def compare_clock(self) -> ClockReading:
        self.compared += 1
        return self.clocks[min(self.compared, len(self.clocks)) - 1]

    def start_at(self, here_ns: int) -> StartTime:
        """Return a moment on a clock that is ahead of the controller's by a second."""
        self._note("clock", here_ns)
        return StartTime(here_ns + S, 0.0)


@dataclass
class Booted:
    """A guest whose QEMU process has used so much at each reading."""

    name: str
    acts: list[Any]
    used: Iterable[HypervisorCpu]

    def __post_init__(self) -> None:
        self._used = iter(self.used)

    def hypervisor_cpu(self) -> HypervisorCpu:
        self.acts.append((self.name, "cpu", None))
        return next(self._used)

    def weight(self) -> GuestWeight:
        return WEIGHT

    def mark_pending(self, pending: bool) -> None:
        self.acts.append((self.name, "pending", pending))


def visit_of(jobs: Jobs, **changes: Any) -> Visit:
    """Return a visit of this machine with a probe of its own."""
    visit = Visit(
        machine="local",
        probe=cast("Any", jobs),
        put=lambda path, place: jobs.acts.append((jobs.name, "put", (path.name, place))),
        fingerprint=Fingerprint(FACTS, {}, 5),
        limits=Limits((1,)),
        boot="boot",
        directory=f"/{jobs.name}",
        own_clock=False,
    )
    for name, value in changes.items():
        setattr(visit, name, value)
    return visit


def guest_of(jobs: Jobs, *used: HypervisorCpu, **changes: Any) -> Visit:
    """Return the visit of a guest, whose clock is its own."""
    guest = Booted(f"domain-{jobs.name}", jobs.acts, used)
    return visit_of(jobs, **({"guest": guest, "own_clock": True, "boot": f"boot-{jobs.name}"} | changes))


def bench_of(plan: ActivityPlan, folder: Path, **changes: Any) -> TrialContext:
    """Return the bench of an activity whose folder is there."""
    (folder / "trials").mkdir(parents=True)
    return replace(TrialContext(plan, folder, Interrupts(), lambda: None), **changes)


def acts_of(jobs: Jobs, *kinds: str) -> list[Any]:
    """Return who was asked what, of these kinds, in order."""
    return [(who, act, what) for who, act, what in jobs.acts if act in kinds]
