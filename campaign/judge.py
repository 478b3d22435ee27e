"""Judges mutants inside the private copy: ``python -m campaign.judge JOB.json``, in the folder of the copy.

Three processes, each forked from the one before: the first knows no code of ours and starts whatever must be loaded
with the mistake in it; the second has collected the tests; the third runs some of them with one mutant turned on.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, TextIO

import pytest
from mutmut.mutation import trampoline

from campaign import coverage_map, handmade
from campaign.confirm import Confirmation
from campaign.coverage_map import Map, Mapper
from campaign.forked import Ended, be_silent, forked
from campaign.generated import module_of
from campaign.mutant import Mutant
from campaign.progress import Progress
from campaign.verdicts import Verdict, keep

PRELOADED = (
    "numpy",
    "scipy.stats",
    "pydantic",
    "sqlalchemy",
    "click",
    "jinja2",
    "rich.console",
    "ruamel.yaml",
)
"""What takes long to load and is not ours."""
PATIENCE_S, FACTOR, LOADING_S = 10.0, 5.0, 20.0
"""Processor time that the tests of a mutant may take: so much and so many times what they take without."""
WALL_S, WALL_FACTOR = 60.0, 8.0
"""The same of wall time, for tests that wait for ever."""


@dataclass(frozen=True)
class Job:
    """What is to be judged.

    Attributes:
        room: Name of the room.
        folders: Folders of tests, the room's own first.
        selection: Which tests, as pytest's ``-m``.
        mutants: In the order of their drawing.
        map: Where the map is, or is to be.
        state: Where verdicts are kept.
        commit: Commit of the copy.
    """

    room: str
    folders: list[str]
    selection: str
    mutants: list[Mutant]
    map: Path
    state: Path
    commit: str

    def arguments(self, *more: str) -> list[str]:
        """Return the words for pytest."""
        words = ["-q", "-x", "-p", "no:cacheprovider", "-p", "no:randomly", "-p", "no:xdist"]
        return [*words, "-m", self.selection, "--basetemp", f"{tempfile.gettempdir()}/base", *more]


def read_job(path: Path) -> Job:
    """Return the job of a file."""
    told = json.loads(path.read_text())
    mutants = [Mutant(**one) for one in told.pop("mutants")]
    return Job(**{**told, "map": Path(told["map"]), "state": Path(told["state"])}, mutants=mutants)


def draw_map(job: Job) -> Map:
    """Return the map, drawn by a run of all tests where there is none."""
    if not job.map.exists():
        part = job.map.with_suffix(".part")
        ended = forked(lambda _: _mapping(job, part), cpu_s=7200, wall_s=36000)
        if ended.code not in {0, 1}:
            message = f"cannot run the tests of {job.room}: pytest ended with {ended.code}\n{ended.told}\nhint: run them yourself"
            raise SystemExit(message)
        part.rename(job.map)
    return coverage_map.read(job.map)


def _mapping(job: Job, into: Path) -> int:
    hits = into.with_suffix(".hits")
    os.environ["CAMPAIGN_HITS"] = str(hits)
    trampoline.set_mutant_under_test("stats")
    mapper = Mapper(into, hits)
    trampoline.record_trampoline_hit = mapper.hit
    return int(pytest.main(job.arguments("--maxfail=10000", *job.folders), plugins=[mapper]))


class Chosen:
    """Plug-in of pytest that runs some tests, the first that fails ends it."""

    def __init__(self, names: list[str], tell: Callable[[str], None]) -> None:
        self._names, self._tell = names, tell

    def pytest_runtestloop(self, session: Any) -> bool:
        """Run them in the order of the names."""
        by_name = {item.nodeid: item for item in session.items}
        run_all([by_name[name] for name in self._names if name in by_name], self)
        return True

    def pytest_runtest_logreport(self, report: Any) -> None:
        """End with the first that fails."""
        if report.failed:
            self._tell(report.nodeid)
            os._exit(1)


def run_all(items: list[Any], plugin: Chosen) -> None:
    """Run tests."""
    del plugin
    for item, following in zip(items, [*items[1:], None], strict=True):
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)


class Collected:
    """Plug-in of pytest that, all tests being collected, judges what it is asked to."""

    def __init__(self, asked: TextIO, answers: TextIO) -> None:
        self._asked, self._answers = asked, answers
        self._tell: Callable[[str], None] | None = None

    def pytest_runtestloop(self, session: Any) -> bool:
        """Judge one mutant a line."""
        by_name = {item.nodeid: item for item in session.items}
        for line in self._asked:
            switch, names, cpu_s, wall_s = json.loads(line)
            items = [by_name[name] for name in names]

            def work(tell: Callable[[str], None], switch: str = switch, items: list[Any] = items) -> int:
                turn_on(switch)
                self._tell = tell
                run_all(items, self)
                return 0

            ended = forked(work, cpu_s=cpu_s, wall_s=wall_s)
            self._answers.write(json.dumps(vars(ended)) + "\n")
            self._answers.flush()
        return True

    def pytest_runtest_logreport(self, report: Any) -> None:
        """End with the first that fails."""
        if report.failed and self._tell:
            self._tell(report.nodeid)
            os._exit(1)


def turn_on(switch: str) -> None:
    """Turn a mutant on, in this process and in all that it starts."""
    trampoline.set_mutant_under_test(switch)
    trampoline.get_mutant_under_test = lambda: switch


class Bench:
    """The process that has collected the tests."""

    def __init__(self, job: Job) -> None:
        ask, answer = os.pipe(), os.pipe()
        self._child = os.fork()
        if self._child == 0:
            os.close(ask[1])
            os.close(answer[0])
            self._collect(job, os.fdopen(ask[0]), os.fdopen(answer[1], "w"))
        os.close(ask[0])
        os.close(answer[1])
        self._ask, self._answer = os.fdopen(ask[1], "w"), os.fdopen(answer[0])

    @staticmethod
    def _collect(job: Job, asked: TextIO, answers: TextIO) -> None:
        code = 3
        try:
            turn_on("")
            be_silent()
            code = int(pytest.main(job.arguments(*job.folders), plugins=[Collected(asked, answers)]))
        finally:
            os._exit(code)

    def judge(self, switch: str, names: list[str], limits: tuple[float, float]) -> Ended:
        """Return how the tests of a mutant end."""
        self._ask.write(json.dumps([switch, names, *limits]) + "\n")
        self._ask.flush()
        if answer := self._answer.readline():
            return Ended(**json.loads(answer))
        message = "cannot collect the tests\n\nhint: run pytest --collect-only in the copy"
        raise SystemExit(message)

    def close(self) -> None:
        """End it."""
        self._ask.close()
        os.waitpid(self._child, 0)


def judge_fresh(job: Job, names: list[str], limits: tuple[float, float], switch: str) -> Ended:
    """Return how tests end in a process that loads our code anew."""
    cpu_s, wall_s = limits
    files = list(dict.fromkeys(name.partition("::")[0] for name in names))

    def work(tell: Callable[[str], None]) -> int:
        turn_on(switch)
        sys.dont_write_bytecode = True
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        code = int(pytest.main(job.arguments(*files), plugins=[Chosen(names, tell)]))
        if code:
            tell("the tests cannot be collected")
        return code

    return forked(work, cpu_s=cpu_s + LOADING_S, wall_s=wall_s + WALL_FACTOR * LOADING_S)


class Judge:
    """Judges mutants one after the other."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._held = handmade.read_held(job.map.with_name("held.json"))
        handmade.restore(self._held)
        self.map = draw_map(job)
        self._imported = set(self.map.imported)
        self._bench = Bench(job)
        self._confirmation = Confirmation(lambda names: self._forked(names, ""))

    def verdict(self, mutant: Mutant) -> Verdict:
        """Return what becomes of one."""
        folder = self._job.folders[0]
        function = mutant.switch.rpartition("__mutmut_")[0]
        if mutant.switch:
            names = self.map.tests_of(function, folder=folder)
        else:
            names = self.map.tests_of_module(module_of(mutant.file), folder=folder)
        if not mutant.switch:
            ended = self._confirmation.run(names, lambda left: self._by_hand(left, mutant))
        elif function in self._imported:
            ended = self._confirmation.run(names, lambda left: self._fresh(left, mutant.switch))
        else:
            ended = self._confirmation.run(names, lambda left: self._forked(left, mutant.switch))
        return self._of(mutant, ended, len(names))

    def _by_hand(self, names: list[str], mutant: Mutant) -> Ended:
        with handmade.in_place(mutant, self._held):
            return self._fresh(names, "")

    def _fresh(self, names: list[str], switch: str) -> Ended:
        return judge_fresh(self._job, names, self._limits(names), switch)

    def _forked(self, names: list[str], switch: str) -> Ended:
        return self._bench.judge(switch, names, self._limits(names))

    def _limits(self, names: list[str]) -> tuple[float, float]:
        """Return the most processor time and wall time for tests."""
        cpu_s = sum(self.map.seconds[name] for name in names)
        wall_s = sum(self.map.wall_s[name] for name in names)
        return PATIENCE_S + FACTOR * cpu_s, WALL_S + WALL_FACTOR * wall_s

    def _of(self, mutant: Mutant, ended: Ended, tests: int) -> Verdict:
        verdict = "timeout" if ended.late else "survived" if ended.code == 0 else "killed"
        by = f"{tests} tests" if verdict == "survived" else ended.told or f"exit {ended.code}"
        return Verdict(mutant.id, verdict, by, round(ended.seconds, 2), self._job.commit)

    def close(self) -> list[str]:
        """End what was started, and return the tests that could not be relied on."""
        self._bench.close()
        return self._confirmation.doubtful


def main() -> int:
    """Judge all that the job names."""
    job = read_job(Path(sys.argv[1]))
    for name in PRELOADED:
        import_module(name)
    with tempfile.TemporaryDirectory(prefix="campaign-") as temporary:
        tempfile.tempdir = temporary
        os.environ["TMPDIR"] = temporary
        began = time.monotonic()
        judge = Judge(job)
        failing = judge.map.failing
        sys.stdout.write(f"{job.room}: {len(judge.map.seconds)} tests, {time.monotonic() - began:.0f} s")
        sys.stdout.write(f"; {len(failing)} do not pass without a mistake\n")
        sys.stdout.flush()
        progress = Progress(job.room, len(job.mutants))
        for mutant in job.mutants:
            verdict = judge.verdict(mutant)
            keep(job.state, verdict)
            progress.step(verdict.verdict)
        for name in judge.close():
            sys.stdout.write(f"{job.room}: not relied on, for it fails without a mistake as well: {name}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
