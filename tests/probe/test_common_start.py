"""Jobs on several machines that are to start at the same instant of the controller's clock."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from statistics import median

import pytest

from assay.machines import open_door
from assay.model.machines.machine import Machine
from assay.model.work.placement import Placement, Start
from assay.probe import Probe, RunResult, Spec
from tests.hosts import SshHost, entered, ssh_host

AHEAD_NS = 700_000_000
"""Time to ask two machines for their clocks and to start a job on each."""
ROUNDS = 6


class Far:
    """A machine, its probe, and a folder there."""

    def __init__(self, probe: Probe, work: str, here: Path) -> None:
        self._probe, self._work, self._here = probe, work, here
        self._job = 0

    def start(self, here_ns: int, **changes: object) -> None:
        """Start a job for an instant of ours."""
        self._job += 1
        at = self._probe.start_at(here_ns)
        # both machines are this one in truth, so that the right answer is known
        assert abs(at.at_mono_ns - here_ns) / 1e9 <= at.uncertainty_s
        start = Start(at.at_mono_ns, **changes)  # type: ignore[arg-type]
        spec = Spec(("true",), f"{self._work}/scratch", start=start, placement=Placement(copies=2))
        self._probe.start(spec, f"{self._work}/{self._job}")

    def result(self) -> RunResult:
        """Wait for the job and bring its result home."""
        self._probe.wait(f"{self._work}/{self._job}", limit_s=30)
        return self._probe.fetch(f"{self._work}/{self._job}", self._here / str(self._job))


def reach(machine: Machine, work: str, tmp_path: Path, stack: ExitStack) -> Far:
    door = open_door(machine, home=tmp_path / work)
    stack.callback(door.close)
    probe = Probe.attach(door)
    stack.callback(probe.close)
    stack.callback(shutil.rmtree, f"{door.folder}/{work}", ignore_errors=True)
    return Far(probe, f"{door.folder}/{work}", tmp_path / work / "here")


@pytest.fixture
def two_hosts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Far, Far]]:
    """Two machines, each behind an sshd and a network of its own."""
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    with ExitStack() as stack:
        made: list[Far] = []
        for name in ("one", "two"):
            (tmp_path / name / "here").mkdir(parents=True)
            (tmp_path / f"sshd-{name}").mkdir()
            host: SshHost = stack.enter_context(ssh_host(tmp_path / f"sshd-{name}"))
            monkeypatch.setenv("HOME", str(host.home))
            with entered(host.client_namespace):  # a connection stays in the network where it was made
                made.append(reach(host.described(), name, tmp_path, stack))
        yield made[0], made[1]


@pytest.mark.live
@pytest.mark.long
def test_two_machines_release_their_jobs_within_five_milliseconds(two_hosts: tuple[Far, Far]) -> None:
    apart_s = []
    for _ in range(ROUNDS):
        here_ns = time.monotonic_ns() + AHEAD_NS
        for far in two_hosts:
            far.start(here_ns)
        one, two = (far.result() for far in two_hosts)
        if not missed(one) and not missed(two):
            apart_s.append(abs(one.started.mono_ns - two.started.mono_ns) / 1e9)
    assert apart_s, "a machine that is this busy cannot be tested"
    assert median(apart_s) <= 0.005, apart_s


def missed(result: RunResult) -> bool:
    """Tell whether the probe says itself that it was too late: others had the processor."""
    return "start-missed" in {doubt.code for doubt in result.doubts}


def test_copies_start_one_after_the_other(tmp_path: Path) -> None:
    with ExitStack() as stack:
        (tmp_path / "local" / "here").mkdir(parents=True)
        far = reach(Machine("local"), "local", tmp_path, stack)
        here_ns = time.monotonic_ns() + AHEAD_NS
        far.start(here_ns, stagger_s=0.2)
        result = far.result()
    first, second = (copy.started for copy in result.copies)
    assert first is not None
    assert second is not None
    assert 0 <= (first.mono_ns - here_ns) / 1e9 < 0.5
    assert (second.mono_ns - first.mono_ns) / 1e9 == pytest.approx(0.2, abs=0.15)
    assert first == result.started
