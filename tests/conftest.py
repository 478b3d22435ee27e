"""What holds for all tests: lanes, marks, modules compiled once, and a list of what was passed by."""

from __future__ import annotations

import os
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.model.files.home import mark_home
from tests import guard, properties
from tests.postgres import Server, running

sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # processes that tests start need not compile everything anew

# before numpy is loaded: matrices of tests are small, and workers stand in each other's way
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

properties.choose_profile(os.environ.get(properties.CAMPAIGN))


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Server]:
    """A real server of PostgreSQL, one for all tests of a worker."""
    with running() as server:
        yield server


LIVE = Path(__file__).parent / "live"


def pytest_configure(config: pytest.Config) -> None:
    """Watch what tests start, and let it hear SIGINT, which a shell's background jobs are made to ignore."""
    guard.install()
    if home := os.environ.get("ASSAY_HOME"):  # guests' images are built in it, before any command marks it
        Path(home).mkdir(mode=0o755, parents=True, exist_ok=True)
        mark_home(Path(home))
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse a test among those with real parts that does not say so."""
    unmarked = [
        one.nodeid for one in items if LIVE in one.path.parents and not one.get_closest_marker("live")
    ]
    if unmarked:
        msg = f"not marked live: {', '.join(unmarked)}"
        raise pytest.UsageError(msg)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Note which test begins."""
    guard.begin(item)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    """Fail a test that started what only live ones may."""
    guard.end()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Put the tests with guests on one worker."""
    from tests.lanes import Lanes

    return Lanes(config, log)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say how many tests were passed by, and for want of what."""
    reasons = Counter(
        str(one.longrepr[2]).removeprefix("Skipped: ") for one in terminalreporter.stats.get("skipped", [])
    )
    terminalreporter.section(f"skipped, for want of hardware: {reasons.total()}")
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"{count:5d}  {reason}")
