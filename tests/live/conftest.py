"""A home of the tests' own that QEMU's user can enter, and the sweep: what was not there before
must be gone.
"""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.platforms.daemon.daemon import stop_idle_daemons
from tests.live.parts import (
    Activity,
    Done,
    World,
    activities,
    assert_same_world,
    newest,
    run,
    seed_of,
    world,
)
from tests.platforms.guest_parts import real_image

COMMAND = "sysbench cpu --events=600 --time=0 run"
"""Half a second of work on the host, seconds under emulation: a loss that no noise hides."""


@pytest.fixture(scope="package")
def images() -> Path:
    """Return the folder of images of this machine, with the current one built."""
    return real_image().folder.parent


@pytest.fixture(scope="package")
def make_home(images: Path) -> Iterator[Make]:
    """Yield a maker of homes that share the machine's images; all of them are gone at the end."""
    stop_idle_daemons()  # remembered by a run that was cut with its machine, where /run outlives that
    make = Make(images)
    yield make
    for made in make.made:
        shutil.rmtree(made)


class Make:
    """Makes homes below one folder."""

    def __init__(self, images: Path) -> None:
        self._images = images
        self.made: list[Path] = []

    def __call__(self, name: str, *, images: bool = True) -> Path:
        """Make a home, with or without the machine's images."""
        home = Path(f"/var/lib/assay-tests-{name}-{secrets.token_hex(3)}")
        home.mkdir()
        home.chmod(0o755)
        self.made.append(home)
        if images:
            (home / "images").symlink_to(self._images)
        return home


@pytest.fixture(scope="module")
def home(make_home: Make) -> Iterator[Path]:
    """Yield a home of this file's own; at its end the machine must be as it was."""
    made = make_home("live")
    before = world(made)
    yield made
    assert_same_world(made, before)


@pytest.fixture(scope="module")
def before(home: Path) -> World:
    """Return the machine as it was before this file's first command."""
    return world(home)


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    """Return a folder for a command's output."""
    return tmp_path


@pytest.fixture(scope="package")
def shared_home(make_home: Make) -> Iterator[Path]:
    """Yield a home with the one guest evaluation that several files look at."""
    made = make_home("shared")
    before = world(made)
    yield made
    assert_same_world(made, before)


@pytest.fixture(scope="package")
def evaluated(shared_home: Path) -> tuple[Done, Activity, World]:
    """Evaluate a command in a guest; return what it said, its activity, and the machine before it."""
    before = world(shared_home)
    done = run("evaluate", "--command", COMMAND, "--seed", str(seed_of("btbtbb")), "--json", home=shared_home)
    activity = newest(shared_home)
    assert activity is not None, done.err
    return done, activity, before


QUOTA = """\
scene: quota
title: This machine against itself with less CPU time
baseline: {{machine: local}}
treatment: {{machine: local, factors: {{cpu.quota: {quota}}}}}
workloads: [{{use: sysbench-cpu, parameters: {{runtime: 1 s}}}}]
"""


@pytest.fixture(scope="package")
def halved(shared_home: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Done, Activity]:
    """Evaluate this machine against itself with half of its CPU time."""
    return _under_quota("50 %", shared_home, tmp_path_factory)


@pytest.fixture(scope="package")
def eased(shared_home: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Done, Activity]:
    """Evaluate the same with four fifths of its CPU time."""
    return _under_quota("80 %", shared_home, tmp_path_factory)


def _under_quota(quota: str, home: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Done, Activity]:
    file = tmp_path_factory.mktemp("quota") / "quota.yaml"
    file.write_text(QUOTA.format(quota=quota))
    before = activities(home)
    done = run("evaluate", str(file), "--json", home=home)
    activity = newest(home, before)
    assert activity is not None, done.err
    return done, activity
