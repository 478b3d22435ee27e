"""Machines that outlast the controller: their jobs, their guests and the marks on these, without
a process.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from assay.activities.visits.visit import Visit
from assay.model.machines.machine import Fingerprint, Limits
from assay.model.trial import Arm, PlannedTrial
from assay.model.work.workload import File, Program
from assay.probe import RunResult, Space, StartTime, parse_result
from tests.builders import FACTS

RESULT = json.loads((Path(__file__).parents[1] / "probe/records/1.0.json").read_text())
GUEST = "assay-0123abcd-b0"


@dataclass
class World:
    """What is on the machines.

    Attributes:
        jobs: State of each job by its folder.
        guests: The guests that run, and whether each is marked as holding a record.
        starts: Folder of every job that was ever started, in order.
        fetched: Folders of jobs whose results were fetched, and lie there yet.
        homes: How many results of each trial were taken off their machine after they were fetched.
        safe: Trials that a watcher was told of as safe.
        listed: The database knows of the activity.
    """

    jobs: dict[str, str] = field(default_factory=dict)
    guests: dict[str, bool] = field(default_factory=dict)
    starts: list[str] = field(default_factory=list)
    fetched: set[str] = field(default_factory=set)
    homes: Counter[str] = field(default_factory=Counter)
    safe: set[str] = field(default_factory=set)
    listed: bool = False

    def key(self) -> tuple[object, ...]:
        """Return what tells two worlds apart."""
        return tuple(sorted(self.jobs.items())), tuple(sorted(self.guests.items()))

    def copy(self) -> World:
        """Return the world as it is now."""
        return deepcopy(self)

    def gone(self) -> World:
        """Return it after a power cut: no job and no guest outlasts that."""
        return replace(self.copy(), jobs={}, guests={})


def said_by(into: str, number: int) -> bytes:
    """Return what the job prints that was started as the n-th in this folder."""
    return f"{into} {number}\n".encode() * 20


@dataclass
class Machines:
    """The double of probes, guests and the environment that opens them.

    Attributes:
        world: What is on the machines.
        tell: Told of each act.
        waiting: Called where a job is waited for.
        several: The guest is two, which run a trial together; what is left of such a trial is never taken up
            again.
    """

    world: World
    tell: Callable[[str], None] = lambda _act: None
    waiting: Callable[[], None] = lambda: None
    several: bool = False

    # the probe
    path: str = "/bin/assay-probe"

    def status(self, into: str) -> Any:
        return SimpleNamespace(state=self.world.jobs.get(into, "absent"))

    def start(self, _spec: object, into: str) -> None:
        assert into not in self.world.jobs, "the folder holds a job already"
        self.world.jobs[into] = "running"
        self.world.starts.append(into)
        self.tell(f"start {into}")

    def wait(self, into: str, **_named: object) -> None:
        self.waiting()
        assert self.world.jobs[into] in {"running", "ended"}
        self.world.jobs[into] = "ended"
        self.tell(f"end {into}")

    def start_at(self, here_ns: int) -> StartTime:
        return StartTime(here_ns, 0.0)

    def stop(self, into: str) -> None:
        self.world.jobs[into] = "ended"
        self.tell(f"stop {into}")

    def fetch(self, into: str, here: Path) -> RunResult:
        assert self.world.jobs[into] == "ended"
        number = self.world.starts.count(into)
        failed = ".job-" in into
        usage = RESULT["usage"] | {"wall_s": float(number)}
        state = {"state": "failed", "cause": "it broke", "exit_code": 1} if failed else {}
        written = json.dumps(RESULT | state | {"usage": usage}).encode()
        (here / "groups").mkdir(parents=True, exist_ok=True)  # what came home before a cut is kept
        (here / "probe.json").write_bytes(written)
        (here / "stdout").write_bytes(said_by(into, number))
        (here / "stdout.1").write_bytes(said_by(into, number))
        (here / "stderr").write_bytes(b"")
        (here / "groups" / "some.csv").write_bytes(said_by(into, number))
        self.world.fetched.add(into)
        return parse_result(written, origin=into)

    def space(self, _path: str) -> Space:
        return Space(1 << 40, 1 << 50)

    def remove(self, path: str) -> None:
        if path in self.world.jobs:
            if path in self.world.fetched and not path.startswith("/guest/1/"):  # two guests bring one record
                self.world.homes[path.rpartition("/")[2]] += 1
                self.world.fetched.discard(path)
            del self.world.jobs[path]
            self.tell(f"remove {path}")

    def make(self, _path: str) -> None:
        pass

    def digest(self, program: str, script: str | None = None, known: object = None) -> Program:
        return Program(File(program, f"/bin/{program}", "0"))

    # the guest
    name: str = GUEST
    pid: int = 1

    def mark_pending(self, pending: bool) -> None:
        self.world.guests[GUEST] = pending
        self.tell(f"mark {pending}")

    def hypervisor_cpu(self) -> None:
        return None

    def weight(self) -> None:
        return None

    # the environment
    def environment(self, *_given: object) -> Machines:
        return self

    def open(self) -> None:
        self._destroy()

    def close(self) -> None:
        pass

    def tidy(self) -> None:
        pass

    def end_left(self) -> None:
        pass

    def end_guest(self, _trial: PlannedTrial, name: str | None) -> None:
        if name is not None:
            self._destroy()

    @contextmanager
    def visit(self, trial: PlannedTrial) -> Iterator[Visit]:
        if trial.arm is Arm.BASELINE:
            yield self._host()
            return
        self.world.guests[GUEST] = False
        try:
            yield self._guest()
        finally:
            self._destroy()

    @contextmanager
    def revisit(self, trial: PlannedTrial, guest: str | None) -> Iterator[Visit | None]:
        if self.several and trial.arm is Arm.TREATMENT:
            self._destroy()
            yield None
        elif guest is None:
            yield self._host()
        elif guest not in self.world.guests:
            yield None
        else:
            try:
                yield self._guest()
            finally:
                self._destroy()

    def _destroy(self) -> None:
        self.world.guests.clear()
        for into in [into for into in self.world.jobs if into.startswith("/guest/")]:
            del self.world.jobs[into]
        self.tell("no guest")

    def _host(self) -> Visit:
        return self._opened("/host", "boot-0")

    def _guest(self) -> Visit:
        boot = f"boot-{len(self.world.starts)}"
        visit = self._opened("/guest/0" if self.several else "/guest", boot)
        visit.guest = cast("Any", self)
        if self.several:
            visit.beside = (self._opened("/guest/1", f"{boot}-1"),)
        return visit

    def _opened(self, directory: str, boot: str) -> Visit:
        seen = Fingerprint(FACTS, {}, 5)
        put = cast("Any", None)
        return Visit("node", cast("Any", self), put, seen, Limits((1,)), boot, directory, own_clock=False)
