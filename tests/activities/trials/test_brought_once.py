"""Inputs on another machine that stands: brought once, copied there for every trial and every copy."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from assay.activities.trials.preparation import put_inputs
from assay.activities.visits.visit import Visit, attached
from assay.machines.errors import CommandError
from assay.machines.local import LocalDoor
from assay.model.errors import NoRoomError
from tests.activities.doubles import visit_at
from tests.builders import WORKLOAD


class Counting(LocalDoor):
    """A door that counts what is put, and counts as another machine's."""

    def __init__(self, folder: Path) -> None:
        super().__init__("far", folder)
        self.put_there: list[str] = []

    def put(self, here: Path, there: str, *, executable: bool = False) -> None:
        self.put_there.append(Path(there).name)
        super().put(here, there, executable=executable)


@pytest.fixture
def kept(tmp_path: Path) -> dict[str, Path]:
    """The activity's copies of two inputs, a file and a folder."""
    copies = {
        name: tmp_path / "inputs" / digest / name for name, digest in (("job.sh", "a1"), ("cards", "b2"))
    }
    copies["job.sh"].parent.mkdir(parents=True)
    copies["job.sh"].write_text("#!/bin/sh\n")
    copies["job.sh"].chmod(0o755)
    (copies["cards"] / "deep").mkdir(parents=True)
    (copies["cards"] / "deep/a").write_text("a")
    return {f"/home/{name}": copy for name, copy in copies.items()}


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Counting]:
    with closing(Counting(tmp_path / "far")) as made:
        yield made


@pytest.fixture
def visit(door: Counting, kept: dict[str, Path]) -> Iterator[Visit]:
    with attached(door) as probe:
        yield visit_at(door, probe, inputs=kept, own_clock=True)


WORK = replace(WORKLOAD, inputs=("/home/job.sh", "/home/cards"))


def test_each_comes_once_and_every_folder_has_a_copy_of_its_own(
    visit: Visit, door: Counting, tmp_path: Path
) -> None:
    door.put_there.clear()  # the probe
    folders = [tmp_path / "far/0123abcd" / name for name in ("one", "two", "three")]
    for folder in folders[:2]:
        visit.probe.make(str(folder))
        put_inputs(visit, WORK, str(folder))
    (folders[0] / "job.sh").write_text("changed")
    later = replace(visit, prepared=set())  # a further visit, or one after a resume
    later.probe.make(str(folders[2]))
    put_inputs(later, WORK, str(folders[2]))
    assert door.put_there == ["job.sh", "cards"]
    for folder in folders[1:]:
        assert (folder / "job.sh").read_text() == "#!/bin/sh\n"
        assert (folder / "job.sh").stat().st_mode & 0o777 == 0o755
        assert (folder / "cards/deep/a").read_text() == "a"


def test_one_that_was_cut_off_on_its_way_comes_again(visit: Visit, door: Counting, tmp_path: Path) -> None:
    half = tmp_path / "far/0123abcd/inputs/b2/cards"
    half.mkdir(parents=True)
    door.put_there.clear()
    visit.probe.make(str(tmp_path / "far/0123abcd/one"))
    put_inputs(visit, WORK, str(tmp_path / "far/0123abcd/one"))
    assert door.put_there == ["job.sh", "cards"]
    assert (tmp_path / "far/0123abcd/one/cards/deep/a").exists()


def test_a_disk_that_is_full_there_is_named(visit: Visit) -> None:
    def run(argv: tuple[str, ...], *, timeout_s: float) -> bytes:
        assert timeout_s > 0
        if argv[0] != "cp":
            return b""
        raise CommandError("far", argv, exit_code=1, stderr="cp: error writing 'x': No space left on device")

    with pytest.raises(NoRoomError, match="on far: its disk is full"):
        put_inputs(replace(visit, run=run), WORK, "/there")
