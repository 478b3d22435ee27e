"""Real containers: started, looked at from outside, removed, also after a crash."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from assay.activities.visits.contained import check_wanted, container_visit, make_container
from assay.activities.visits.visit import Visit
from assay.model.activity import PlannedArm
from assay.model.errors import MissingError
from assay.model.files.native import PROBE
from assay.model.machines.machine import Limits, Machine
from assay.model.platforms.container import PlannedContainer, Runtime
from assay.model.platforms.layout import GuestShare
from assay.model.trial import State
from assay.platforms.containers.container import find_pid
from assay.platforms.leftovers.clean import clean, leftovers
from assay.probe import Spec
from tests.passing import needs_small_registers

pytestmark = pytest.mark.live

CORE = max(os.sched_getaffinity(0))
ACTIVITY = f"test{os.getpid()}"
NAME = f"assay-{ACTIVITY}-b0"
WANTED = {
    "runc": PlannedContainer(Runtime.RUNC, 256 << 20, 0.5),
    "podman": PlannedContainer(Runtime.PODMAN, 256 << 20, 0.5),
    "runsc": PlannedContainer(Runtime.RUNSC, 256 << 20, platform="ptrace"),
    "uml": PlannedContainer(Runtime.UML, 256 << 20),
}
KILLED = """
import os, signal, sys
from pathlib import Path
from assay.activities.visits.contained import container_visit
from assay.probe import Spec
from tests.activities.visits.test_containers_live import WANTED, made
home, word = Path(sys.argv[1]), sys.argv[2]
container = made(WANTED[word], home, sys.argv[3])
with container_visit(container, word, sys.argv[3], home=home) as visit:
    into = visit.directory + "/job"
    visit.probe.start(Spec(command=("sleep", "1000"), directory=into + ".work"), into)
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    clean(tmp_path, subreaper=PROBE.path())


def made(wanted: PlannedContainer, home: Path, activity: str = ACTIVITY):  # type: ignore[no-untyped-def]
    arm = PlannedArm(str(wanted.runtime), Machine("local"), Limits((CORE,)), container=wanted)
    share = GuestShare(arm.limits.cpus, wanted.memory_bytes or 0)
    return make_container(arm, share, name=f"assay-{activity}-b0", activity=activity, home=home, network=None)


@pytest.fixture(autouse=True)
def runs_here(request: pytest.FixtureRequest) -> None:
    """Pass a platform by that this machine's hardware does not carry."""
    asked = getattr(request.node, "callspec", None)
    if asked is not None and asked.params.get("word") == "uml":
        needs_small_registers()


@contextmanager
def opened(wanted: PlannedContainer, home: Path) -> Iterator[Visit]:
    container = made(wanted, home)
    try:
        with container_visit(container, str(wanted.runtime), ACTIVITY, home=home) as visit:
            yield visit
    finally:
        container.remove()


def groups() -> list[str]:
    # groups of others come and go meanwhile
    return [
        f"{folder}/{name}"
        for folder, names, _ in os.walk("/sys/fs/cgroup")
        for name in names
        if ACTIVITY in name
    ]


@pytest.mark.parametrize("word", WANTED)
def test_a_program_runs_in_a_container_that_the_kernel_shows_and_nothing_is_left(
    word: str, home: Path
) -> None:
    wanted = WANTED[word]
    with opened(wanted, home) as visit:
        seen = visit.contained
        assert seen is not None
        assert (seen.runtime, seen.platform, seen.cpus) == (wanted.runtime, wanted.platform, (CORE,))
        assert seen.cpu_quota == wanted.cpu_quota
        assert seen.memory_bytes is not None
        assert (
            seen.memory_bytes == wanted.memory_bytes if word != "uml" else 0 < seen.memory_bytes < 256 << 20
        )
        assert {"mnt", "uts"} <= set(seen.isolated) if word != "uml" else seen.isolated == ()
        assert seen.writable == (None if word in {"runsc", "uml"} else (str(home / "work"),))
        assert visit.facts.hostname == os.uname().nodename
        assert visit.program("true").executable.sha256  # the machine's own files
        into = f"{visit.directory}/job"
        before = visit.container_cpu_s()
        visit.probe.start(Spec(command=("touch", "/etc/assay", "made"), directory=f"{into}.work"), into)
        visit.probe.wait(into, limit_s=60)
        result = visit.probe.fetch(into, home / "fetched")
        assert result.state is State.FAILED
        assert "'/etc/assay': Read-only file system" in (home / "fetched/stderr").read_text()
        assert Path(f"{into}.work/made").exists()
        assert (visit.container_cpu_s() or 0) >= (before or 0)
        clock = visit.clock()
        assert (clock is None) == (word in {"runc", "podman"})
    assert find_pid(wanted.runtime, NAME, home / "containers" / NAME) is None
    assert list((home / "containers").iterdir()) == []
    assert groups() == []


@pytest.mark.parametrize("word", WANTED)
def test_a_container_ends_with_the_process_that_was_killed_and_cleaning_takes_what_is_left(
    word: str, home: Path
) -> None:
    argv = [sys.executable, "-c", KILLED, str(home), word, ACTIVITY]
    assert subprocess.run(argv, check=False).returncode == -signal.SIGKILL
    folder = home / "containers" / NAME
    deadline = time.monotonic() + 20
    while find_pid(WANTED[word].runtime, NAME, folder) is not None and time.monotonic() < deadline:
        time.sleep(0.1)
    assert find_pid(WANTED[word].runtime, NAME, folder) is None
    found = [item.name for item in leftovers(home, subreaper=PROBE.path()) if item.kind == "container"]
    assert found == [NAME]
    clean(home, subreaper=PROBE.path())
    assert list((home / "containers").iterdir()) == []
    assert groups() == []


def test_a_container_that_outlives_its_controller_is_ended_by_cleaning(home: Path) -> None:
    container = made(WANTED["runc"], home)
    argv = container.enclose(("/bin/sleep", "1000"))
    process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, start_new_session=True)
    deadline = time.monotonic() + 20
    while find_pid(Runtime.RUNC, NAME, container.spec.folder) is None and time.monotonic() < deadline:
        time.sleep(0.05)
    assert find_pid(Runtime.RUNC, NAME, container.spec.folder) is not None
    clean(home, subreaper=PROBE.path())
    assert process.wait(20) != 0
    assert find_pid(Runtime.RUNC, NAME, container.spec.folder) is None
    assert groups() == []


@pytest.mark.parametrize("word", WANTED)
def test_a_platform_that_runs_here_is_not_refused(word: str, home: Path) -> None:
    check_wanted([WANTED[word]], home=home)
    assert list((home / "containers").iterdir()) == []


def test_a_way_of_gvisor_that_its_version_does_not_know_is_refused_in_its_own_words(home: Path) -> None:
    wanted = PlannedContainer(Runtime.RUNSC, platform="no-such")
    with pytest.raises(MissingError, match=r"runsc --platform no-such.*unknown platform: no-such"):
        check_wanted([wanted], home=home)
    assert list((home / "containers").iterdir()) == []
