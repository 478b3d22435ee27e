"""What an arm sees of the data is looked at file by file, wherever it runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from assay.activities.data.seen import check_files, check_sizes
from assay.model.platforms.data import DataFile, DataSet
from assay.platforms.data_servers.files import lay_data
from assay.platforms.errors import PlatformError
from tests.activities.doubles import Door, visit_at

DATA = DataSet((DataFile("f0", 5), DataFile("sub/f1", 7)), seed=1)


def test_files_of_a_container_are_looked_at_from_this_machine(tmp_path: Path) -> None:
    lay_data(DATA, tmp_path / "files")
    door = Door()
    inside = visit_at(door, container=SimpleNamespace())
    root = f"{tmp_path}/files"
    assert check_sizes(inside, DATA, root) == f"2 files of 12 bytes at {root}"
    assert door.ran == []
    (tmp_path / "files/f0").unlink()
    with pytest.raises(PlatformError, match="f0 has 0 bytes, expected 5"):
        check_sizes(inside, DATA, root)


def test_many_files_are_looked_at_by_several_commands_and_one_is_called_a_file() -> None:
    many = DataSet(tuple(DataFile(f"f{number}", number + 1000) for number in range(1001)))

    class Stat(Door):
        def run(self, argv: Sequence[str], *, timeout_s: float) -> bytes:
            super().run(argv, timeout_s=timeout_s)
            return "".join(f"{int(path[len('/d/f') :]) + 1000}\n" for path in argv[4:]).encode()

    door = Stat()
    assert check_sizes(visit_at(door), many, "/d") == "1001 files of 1,501,500 bytes at /d"
    assert [len(words) - 4 for words in door.ran] == [500, 500, 1]
    assert door.ran[0][:5] == ("stat", "-c", "%s", "--", "/d/f0")
    one = check_sizes(visit_at(Stat()), replace(many, files=many.files[:1]), "/d")
    assert one == "1 file of 1,000 bytes at /d"


def test_files_of_this_machine_are_told_of_with_the_place_that_is_named(tmp_path: Path) -> None:
    lay_data(DATA, tmp_path / "files")
    files = [tmp_path / "files" / file.name for file in DATA.files]
    assert check_files(DATA, files, where="two disks") == "2 files of 12 bytes at two disks"
    with pytest.raises(PlatformError) as refused:
        check_files(DATA, files[::-1], where="two disks")
    assert refused.value.message == ("cannot measure with the data at two disks: f0 has 7 bytes, expected 5")
    assert refused.value.hint == "assay platform clean"
