"""The data of an arm of several machines: a copy on each, or on the first, from which the others read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.activities.data import together
from assay.activities.data.together import brought_together
from assay.activities.visits.visit import Visit
from assay.machines.errors import CommandError
from assay.model.activity import Beside, PlannedArm
from assay.model.machines.machine import Limits, Machine, Reach
from assay.model.platforms.data import DataFile, DataSet
from assay.platforms.data_servers.own_server import Served
from assay.platforms.errors import PlatformError
from tests.activities.doubles import Door, Probe, visit_at

DATA = DataSet((DataFile("f0.root", 5), DataFile("f1.root", 7)), seed=1)
FILES = Path("/here/files")
N1, N2 = (Machine(name, Reach.SSH, name) for name in ("n1", "n2"))
ARM = PlannedArm("n1+n2", N1, Limits((1,)), beside=(Beside(N2, Limits((0,))),))
REMOTE = replace(ARM, data=(("data.access", "xrootd"),))
SERVED = Served("10.0.0.1", 4711, "XrootD/v5.5.3")


class Disk(Door):
    """A machine whose files are there once they were copied to it."""

    def run(self, argv: Sequence[str], *, timeout_s: float) -> bytes:
        if argv[0] == "stat" and not self.sent:
            raise CommandError(self.name, argv, exit_code=1, stderr="No such file")
        return super().run(argv, timeout_s=timeout_s)


def machines(sizes: str = "5\n7\n") -> tuple[list[Disk], list[Visit]]:
    doors = [Disk({"stat": sizes}, name=name) for name in ("n1", "n2")]
    return doors, [visit_at(door, Probe(), own_clock=True) for door in doors]


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Serve without a server; what was served, and when, is noted."""
    acts: list[str] = []

    @contextmanager
    def serve(talk: Any, run: Any, folder: str, *, machine: str) -> Iterator[Served]:
        del talk, run
        acts.append(f"{machine} serves {folder}")
        yield SERVED
        acts.append("ended")

    monkeypatch.setattr(together, "serving", serve)
    monkeypatch.setattr(together, "check_served", lambda *_: [5, 7])
    return acts


def test_each_machine_gets_a_copy_once(served: list[str]) -> None:
    doors, visits = machines()
    for _ in range(2):
        with brought_together(FILES, visits, ARM, DATA):
            for visit in visits:
                assert visit.data is not None
                assert visit.data.local
                assert visit.data.files == ("/far/0123abcd/data/f0.root", "/far/0123abcd/data/f1.root")
    assert [door.sent for door in doors] == [[(FILES, "/far/0123abcd/data")]] * 2
    assert served == []


def test_others_read_from_the_first_which_reads_its_own_disk(served: list[str]) -> None:
    doors, visits = machines()
    with brought_together(FILES, visits, REMOTE, DATA):
        first, second = (visit.data for visit in visits)
        assert first is not None
        assert second is not None
        assert (first.local, second.local) == (True, False)
        assert second.files == ("http://10.0.0.1:4711//f0.root", "http://10.0.0.1:4711//f1.root")
        (way,), (own,) = second.seen, first.seen
        assert (way.name, way.level, own.level) == ("data.access", "xrootd", "xrootd")
        assert (
            own.how == "2 files of 12 bytes at http://10.0.0.1:4711//, by HTTP of XrootD/v5.5.3, seen from n2"
        )
    assert doors[1].sent == []
    assert served == ["n1 serves /far/0123abcd/data", "ended"]


def test_a_machine_that_sees_other_files_is_refused(
    served: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(together, "check_served", lambda *_: [5, 0])
    _, visits = machines()
    with (
        pytest.raises(PlatformError, match=r"n2 sees 0 bytes of f1\.root, expected 7"),
        brought_together(FILES, visits, REMOTE, DATA),
    ):
        pass
    with (
        pytest.raises(PlatformError, match=r"f1\.root has 6 bytes, expected 7"),
        brought_together(FILES, machines("5\n6\n")[1], ARM, DATA),
    ):
        pass
