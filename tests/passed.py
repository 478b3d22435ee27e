"""Go on with a run of all tests that was cut off: ``pytest -p tests.passed``.

What passed is kept in ``build/tests-passed.jsonl``, a line for each test, and left out of the next run while
neither the test's own file nor anything else of the checkout has changed but other files of tests, nor the
kernel or Python. Where a test failed and has not changed since, all run again, unless it gets a second try
(``tests/again.py``). Without git, nothing is kept.
"""

from __future__ import annotations

import hashlib
import json
import platform
import re
import subprocess
from functools import cache
from pathlib import Path
from typing import IO

import pytest

from tests.again import why_not

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "build/tests-passed.jsonl"
TESTS = re.compile(r"tests/(.*/)?test_\w+\.py")
IMPORTED = re.compile(r"^from (tests\.[\w.]*\btest_\w+) import", re.MULTILINE)
"""A file of tests that others take something from is as good as any source."""
NOTHING_RUN = 5
"""Pytest's status of a run without tests."""


@cache
def files() -> tuple[str, ...]:
    """Return the checkout's files, new ones too, by their paths below it; none where git cannot tell."""
    words = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"]
    try:
        done = subprocess.run(words, cwd=ROOT, check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError):
        return ()
    return tuple(sorted(one for one in done.stdout.split("\0") if one and (ROOT / one).is_file()))


@cache
def of_all() -> str:
    """Return a digest of all that is no file of tests only, and of what it runs on."""
    tests = {one for one in files() if TESTS.fullmatch(one)}
    texts = "\n".join((ROOT / one).read_text() for one in files() if re.search(r"^tests/.*\.py$", one))
    tests -= {f"{name.replace('.', '/')}.py" for name in IMPORTED.findall(texts)}
    digest = hashlib.sha256(f"{platform.platform()} {platform.python_version()}\n".encode())
    for name in files():
        if name not in tests:
            digest.update(f"{name}\0{hashlib.sha256((ROOT / name).read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()


@cache
def of_file(name: str) -> str:
    """Return a digest of all that tests of a file rest on; empty where there is no such file."""
    file = ROOT / name
    return hashlib.sha256(of_all().encode() + file.read_bytes()).hexdigest() if file.is_file() else ""


def line(name: str, *, passed: bool) -> str:
    """Return what is kept of a test."""
    row = {"test": name, "of": of_file(name.partition("::")[0]), "passed": passed}
    return json.dumps(row) + "\n"


def still_passed() -> list[str]:
    """Return the names of tests that need not run again."""
    if not KEPT.exists() or not files():
        return []
    rows = [json.loads(text) for text in KEPT.read_text().splitlines() if text.endswith("}")]
    last = {
        row["test"]: row["passed"] for row in rows if row["of"] == of_file(row["test"].partition("::")[0])
    }
    failed = [name for name, passed in last.items() if not passed]
    return [] if failed and why_not(failed, ROOT) else [name for name, passed in last.items() if passed]


class Keeper:
    """Keeps how tests end; in workers, which only read, one is not registered."""

    def __init__(self, passed: list[str]) -> None:
        self.before = len(passed)
        self.over: set[str] = set()
        for name in filter(TESTS.fullmatch, files()):  # as they are now: one may be edited while tests run
            of_file(name)
        KEPT.parent.mkdir(exist_ok=True)
        new = KEPT.with_suffix(".new")
        new.write_text("".join(line(name, passed=True) for name in passed))
        new.replace(KEPT)
        self.file: IO[str] = KEPT.open("a", buffering=1)

    def pytest_report_header(self) -> str:
        return f"passed before on this source, left out: {self.before} ({KEPT.relative_to(ROOT)})"

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.file.write(line(report.nodeid, passed=False))
        if not report.passed:
            self.over.add(report.nodeid)  # what was skipped is looked at again
        elif report.when == "teardown" and report.nodeid not in self.over:
            self.file.write(line(report.nodeid, passed=True))

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        if exitstatus == NOTHING_RUN and self.before:
            session.exitstatus = pytest.ExitCode.OK


def pytest_configure(config: pytest.Config) -> None:
    """Read what passed, before the workers start, and keep what will."""
    if files() and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Keeper(still_passed()))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what passed."""
    names = set(still_passed())
    config.hook.pytest_deselected(items=[one for one in items if one.nodeid in names])
    items[:] = [one for one in items if one.nodeid not in names]
