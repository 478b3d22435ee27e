"""Runs tests with a mutant turned on, in forks: of a process that has collected them, or of one that has
loaded nothing.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from itertools import zip_longest
from pathlib import Path
from typing import Any, TextIO

import pytest
from mutmut.mutation import trampoline

from campaign import coverage_map
from campaign.coverage_map import Map, Mapper
from campaign.forked import Ended, be_silent, forked
from campaign.job import Job

LOADING_S = 20.0
"""Processor time that loading the code anew may take, beside that of the tests."""
WALL_FACTOR = 8.0


def draw_map(job: Job) -> Map:
    """Return the map, drawn by a run of all tests where there is none."""
    if not job.map.exists():
        part = job.map.with_suffix(".part")
        ended = forked(lambda _: _mapping(job, part), cpu_s=7200, wall_s=36000)
        if ended.code not in {0, 1}:
            message = (
                f"cannot run the tests of {job.room}: pytest ended with {ended.code}\n{ended.told}\n"
                "hint: run them yourself"
            )
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
        run_all([by_name[name] for name in self._names if name in by_name])
        return True

    def pytest_runtest_logreport(self, report: Any) -> None:
        """End with the first that fails."""
        if report.failed:
            self._tell(report.nodeid)
            os._exit(1)


def run_all(items: list[Any]) -> None:
    """Run tests."""
    for item, following in zip_longest(items, items[1:]):
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
            items = [by_name[name] for name in names if name in by_name]

            def work(tell: Callable[[str], None], switch: str = switch, items: list[Any] = items) -> int:
                turn_on(switch)
                self._tell = tell
                run_all(items)
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


class TrialContext:
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
