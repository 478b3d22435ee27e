"""Which tests reach which mutated functions, drawn by one run of the tests."""

from __future__ import annotations

import json
import os
import time
from collections import defaultdict
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from campaign.forked import own_cpu_s

DEAR_S, MOST_S = 1.0, 15.0
"""Tests dearer than the first are left out once a mutant's tests together would take more than the second."""


@dataclass(frozen=True)
class Map:
    """What a run of the tests reached.

    Attributes:
        seconds: Processor time of each test that passes, by its name, in the order of the run.
        wall_s: Its wall time.
        reached: Names of functions by test.
        imported: Functions that are called before the first test.
        failing: Tests that fail without any mistake; they judge nothing.
    """

    seconds: dict[str, float]
    wall_s: dict[str, float]
    reached: dict[str, list[str]]
    imported: list[str]
    failing: list[str]

    def tests_of(self, function: str, *, folder: str) -> list[str]:
        """Return the tests that judge a function: those that reach it first, then the others of their files.

        A result that a file's tests share is computed in the first that needs it, so the others seem not to
        reach it. Where no test reaches it, those of the folder.
        """
        first = [name for name, names in self.reached.items() if function in names]
        return self._affordable(first, folder)

    def tests_of_module(self, module: str, *, folder: str) -> list[str]:
        """Return the tests that judge a module."""
        head = f"{module}."
        first = [
            name
            for name, names in self.reached.items()
            if any(one.startswith(head) and "." not in one[len(head) :] for one in names)
        ]
        others = [name for name in self.seconds if name.startswith(f"{folder}/")]
        return self._affordable([*dict.fromkeys([*first, *others])], folder)

    def _affordable(self, first: list[str], folder: str) -> list[str]:
        files = dict.fromkeys(name.partition("::")[0] for name in first)
        names = [*first, *(name for name in self.seconds if name.partition("::")[0] in files)]
        if not names:
            names = [name for name in self.seconds if name.startswith(f"{folder}/")]
        chosen, spent = [], 0.0
        for name in dict.fromkeys(names):
            if spent + self.seconds[name] > MOST_S and (self.seconds[name] > DEAR_S or spent > 2 * MOST_S):
                continue
            chosen.append(name)
            spent += self.seconds[name]
        return self._likely_first(chosen, folder)

    def _likely_first(self, names: list[str], folder: str) -> list[str]:
        """Put the room's own files first, then cheap files; a file's tests stay together, its cheap ones
        first.
        """
        cost: dict[str, float] = defaultdict(float)
        for name in names:
            cost[name.partition("::")[0]] += self.seconds[name]

        def place(name: str) -> tuple[bool, float, str, float]:
            file = name.partition("::")[0]
            return not file.startswith(f"{folder}/"), cost[file], file, self.seconds[name]

        return sorted(names, key=place)

    def write(self, path: Path) -> None:
        """Keep it."""
        path.write_text(json.dumps(vars(self)))


def read(path: Path) -> Map:
    """Return a map that was kept."""
    return Map(**json.loads(path.read_text()))


class Mapper:
    """Plug-in of pytest that draws the map."""

    def __init__(self, into: Path, hits: Path) -> None:
        self._into, self._hits = into, hits
        self._open: list[set[str]] = [set()]
        self._fixtures: dict[tuple[str, str], set[str]] = defaultdict(set)
        self._map = Map({}, {}, {}, [], [])
        self._failed: set[str] = set()

    def hit(self, name: str, caller: str | None = None) -> None:
        """Take note of a function that is called."""
        del caller
        for names in self._open:
            names.add(name)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Generator[None, Any, Any]:
        """What a fixture reaches, all tests reach that use it."""
        names = self._fixtures[fixturedef.argname, fixturedef.baseid]
        self._open.append(names)
        try:
            return (yield)
        finally:
            self._read_hits()
            self._open.pop()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: Any) -> Generator[None, Any, Any]:
        """Note what one test reaches and takes."""
        names: set[str] = set()
        if not self._map.imported:
            self._map.imported.extend(self._open[0])
        self._open.append(names)
        began, cpu_s = time.monotonic(), own_cpu_s()
        try:
            return (yield)
        finally:
            self._read_hits()
            self._open.pop()
            self._map.wall_s[item.nodeid] = round(time.monotonic() - began, 4)
            self._add(item, names, own_cpu_s() - cpu_s)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Note what fails, and what is passed by."""
        if not report.passed:
            self._failed.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        """Keep the map."""
        self._map.write(self._into)

    def _add(self, item: Any, names: set[str], seconds: float) -> None:
        if item.nodeid in self._failed:
            self._map.failing.append(item.nodeid)
            return
        for (name, place), reached in self._fixtures.items():
            if name in item.fixturenames and item.nodeid.startswith(place):
                names |= reached
        self._map.seconds[item.nodeid] = round(seconds, 4)
        self._map.reached[item.nodeid] = sorted(names)

    def _read_hits(self) -> None:
        if self._hits.exists() and self._hits.stat().st_size:
            for name in self._hits.read_text().split("\n"):
                if name:
                    self.hit(name)
            os.truncate(self._hits, 0)
