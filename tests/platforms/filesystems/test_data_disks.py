"""Data on file systems of their own: made, seen by the kernel, kept between visits, gone with the activity's
data.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.model.errors import MissingError
from assay.model.platforms.data import DataFile, DataSet
from assay.platforms.data_servers.files import lay_data
from assay.platforms.data_servers.serve import data_folder, end_data
from assay.platforms.filesystems import data_disks
from assay.platforms.filesystems.data_disks import lay_on_disks
from assay.platforms.mounts import filesystem_of, loops_below, mounts_below, read_mounts

live = pytest.mark.live

DATA = DataSet(
    tuple(DataFile(name, size) for name, size in (("f0", 5), ("f1", 7), ("sub/f2", 9), ("f3", 1))), seed=1
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return an activity's folder of data, whose files are laid out."""
    made = data_folder(tmp_path, "0123abcd")
    lay_data(DATA, made / "files")
    return made


def kinds(files: tuple[Path, ...]) -> list[str | None]:
    return [filesystem_of(file, read_mounts()) for file in files]


@live
@pytest.mark.parametrize("level", ["ext4-nojournal", "btrfs-raid5", "tmpfs"])
def test_the_kernel_shows_the_level_and_nothing_is_left(folder: Path, level: str) -> None:
    laid = lay_on_disks(folder, level, DATA)
    try:
        assert kinds(laid.files) == [level] * 4
        assert [laid.root / file.name for file in DATA.files] == list(laid.files)
        originals = [folder / "files" / file.name for file in DATA.files]
        assert [file.read_bytes() for file in laid.files] == [file.read_bytes() for file in originals]
        assert level in laid.how
        assert laid.disks == (loops_below(folder) or (str(laid.root),))
        assert len(laid.disks) == (3 if level == "btrfs-raid5" else 1)
        (laid.files[0]).with_name("kept").touch()
        assert lay_on_disks(folder, level, DATA) == laid
        assert (laid.files[0]).with_name("kept").exists(), "a visit later they are the same"
    finally:
        assert end_data(folder)
    assert not mounts_below(folder, read_mounts())
    assert not loops_below(folder)


@live
def test_spread_files_are_dealt_out_to_single_disks(folder: Path) -> None:
    laid = lay_on_disks(folder, "ext4-spread", DATA)
    try:
        assert kinds(laid.files) == ["ext4"] * 4
        assert [file.relative_to(laid.root).parts[0] for file in laid.files] == [
            "disk0",
            "disk1",
            "disk2",
            "disk0",
        ]
        assert len(mounts_below(folder, read_mounts())) == len(loops_below(folder)) == 3
    finally:
        assert end_data(folder)
    assert not loops_below(folder)


@live
def test_data_without_room_are_refused(folder: Path) -> None:
    with pytest.raises(MissingError, match="free"):
        lay_on_disks(folder, "ext4", DataSet((DataFile("f", 1 << 60),)))
    assert not loops_below(folder)


@pytest.mark.parametrize(("level", "root"), [("btrfs-raid5", "disk0/disk"), ("ext4-spread", ".")])
def test_the_root_is_where_the_files_lie_unless_they_are_spread(
    folder: Path, level: str, root: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: dict[Path, str] = {}
    monkeypatch.setattr(data_disks, "make_filesystem", lambda part, kind, **_: made.update({part: kind}))
    monkeypatch.setattr(data_disks, "_shown", made.get)
    laid = lay_on_disks(folder, level, DATA)
    assert laid.root == folder / f"disks-{level}" / root
    assert (laid.files[0].read_bytes(), laid.files[2].name) == ((folder / "files/f0").read_bytes(), "f2")
