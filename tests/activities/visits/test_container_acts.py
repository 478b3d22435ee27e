"""How a container becomes a visit: what is asked of the platform, what runs first in it, what that knows."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assay.activities.visits import contained
from assay.activities.visits.contained import (
    TICKS_S,
    TOLERANCE,
    check_wanted,
    container_doubts,
    container_visit,
    make_container,
)
from assay.model.activity import PlannedArm
from assay.model.machines.machine import Fingerprint, Limits, Machine
from assay.model.platforms.container import Container, PlannedContainer, Runtime
from assay.model.platforms.layout import GuestShare
from assay.model.trial import Usage
from assay.platforms.containers.available import try_folder, try_name
from assay.platforms.containers.spec import ContainerSpec
from assay.platforms.containers.uml import GREETING
from tests.builders import FACTS

WANTED = PlannedContainer(Runtime.RUNSC, 1 << 30, 0.5, "ptrace")
SIDE = PlannedArm("gVisor", Machine("local"), Limits((0, 1)), container=WANTED)
SEEN = Container(Runtime.RUNSC, "runsc", "gVisor", "ptrace", (), (1,), None, None, "a", None, 9.4)


def spec_of(home: Path, name: str, activity: str) -> ContainerSpec:
    return ContainerSpec(
        name=name,
        activity=activity,
        runtime=Runtime.RUNSC,
        cpus=(0, 1),
        work=home / "work",
        folder=home / "containers" / name,
        memory_bytes=1 << 30,
        cpu_quota=0.5,
        platform="ptrace",
        hostname=os.uname().nodename,
    )


WHOLE = GuestShare(SIDE.limits.cpus, 1 << 30)


def test_a_container_has_the_processors_of_its_side_and_a_folder_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contained, "container_of", lambda spec: spec)
    for network in (None, "bench"):
        where: dict[str, Any] = {"activity": "a", "home": tmp_path, "network": network}
        made: Any = make_container(SIDE, WHOLE, name="assay-a-b0", **where)
        assert made == replace(spec_of(tmp_path, "assay-a-b0", "a"), network=network)
        half: Any = make_container(SIDE, GuestShare((2,), 1 << 29, 1), name="assay-a-b0-1", **where)
        assert (half.cpus, half.memory_bytes) == ((2,), 1 << 29)
        free: Any = make_container(SIDE, GuestShare((2,), 0), name="assay-a-b0", **where)
        assert free.memory_bytes is None
    with pytest.raises(TypeError, match="BUG: gVisor is no PlannedContainer"):
        make_container(replace(SIDE, container=None), WHOLE, name="a", **where)


def test_each_kind_of_container_is_tried_once_on_one_processor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[ContainerSpec] = []
    monkeypatch.setattr(contained, "try_runtime", tried.append)
    check_wanted([WANTED, WANTED, PlannedContainer(Runtime.RUNC)], home=tmp_path)
    cpus = (max(os.sched_getaffinity(0)),)
    folder = try_folder(tmp_path)
    first = replace(
        spec_of(tmp_path, try_name(), try_name()),
        cpus=cpus,
        folder=folder,
        work=folder.parent.parent / "work",
    )
    assert tried[0] == first
    assert tried[1] == replace(first, runtime=Runtime.RUNC, memory_bytes=None, cpu_quota=None, platform=None)
    assert len(tried) == 2


class Running:
    """A container that runs whatever it is given."""

    def __init__(self, runtime: Runtime) -> None:
        self.spec = SimpleNamespace(runtime=runtime, name="assay-a-b0")
        self.runtime = runtime

    def enclose(self, argv: Sequence[str]) -> Sequence[str]:
        return ("inside", *argv)

    def look(self) -> Container:
        return replace(SEEN, runtime=self.runtime, memory_bytes=None)


class Door:
    """Notes what it is made with."""

    batch_job: str | None = None

    def __init__(
        self, name: str, folder: Path, enclose: Callable[..., Sequence[str]], *, greeting: Any
    ) -> None:
        self.name, self.folder, self.enclose, self.greeting = name, str(folder), enclose, greeting

    def put(self, *_given: object) -> None: ...

    def run(self, *_given: object, **_options: object) -> bytes:
        return b""


@pytest.fixture
def doors(monkeypatch: pytest.MonkeyPatch) -> list[Door]:
    """The doors that were opened; behind each is a probe that sees the same."""
    opened: list[Door] = []

    @contextmanager
    def attached(door: Door) -> Iterator[Any]:
        opened.append(door)
        yield SimpleNamespace(fingerprint=lambda: Fingerprint(replace(FACTS, memory_bytes=77), {}, 0xABC))

    monkeypatch.setattr(contained, "InsideDoor", Door)
    monkeypatch.setattr(contained, "attached", attached)
    return opened


@pytest.mark.parametrize(
    ("runtime", "own_clock", "greeting", "memory"),
    [
        (Runtime.RUNC, False, None, None),
        (Runtime.PODMAN, False, None, None),
        (Runtime.RUNSC, True, None, None),
        (Runtime.UML, True, GREETING, 77),
    ],
)
def test_the_stage_of_a_container_knows_its_boot_its_clock_and_what_was_seen(
    tmp_path: Path, doors: list[Door], runtime: Runtime, own_clock: bool, greeting: object, memory: int | None
) -> None:
    running: Any = Running(runtime)
    with container_visit(running, "wall", "0123abcd", home=tmp_path) as visit:
        (door,) = doors
        assert (door.name, door.folder, door.greeting) == ("wall", str(tmp_path / "work"), greeting)
        assert door.enclose(("/probe", "serve", "--home")) == (
            "inside", "/probe", "subreaper", "--", "/probe", "serve", "--home",
        )  # fmt: skip
        assert (visit.machine, visit.own_clock, visit.here) == ("wall", own_clock, False)
        assert (visit.boot, visit.directory) == ("assay-a-b0-abc", f"{tmp_path}/work/0123abcd")
        assert (visit.limits, visit.container) == (Limits(), running)
        assert visit.contained == replace(SEEN, runtime=runtime, memory_bytes=memory)
        assert (visit.put, visit.run) == (door.put, door.run)
        assert visit.facts.memory_bytes == 77


def test_cpu_time_is_doubted_beyond_the_tolerance_and_some_ticks() -> None:
    most_s = (1 + TOLERANCE) * 9.4 + TICKS_S

    def codes(user_s: float) -> list[str]:
        usage = Usage(40.0, user_s, 1.0, 1 << 20, None, 0)
        return [doubt.code for doubt in container_doubts(SEEN, usage)]

    assert codes(most_s - 1.0 - 1e-6) == []
    assert codes(most_s - 1.0 + 1e-6) == ["container-cpu-count"]
    assert list(container_doubts(SEEN, None)) == []
    assert list(container_doubts(cast("Any", None), Usage(1.0, 1.0, 1.0, 1, None, None))) == []
