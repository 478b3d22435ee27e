"""File systems for scratch folders: made, seen by the kernel, kept between visits, gone with the activity's
data.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from assay.model.errors import MissingError
from assay.platforms.data_servers.files import make_data_folder
from assay.platforms.data_servers.serve import data_folder, end_data
from assay.platforms.filesystems.scratch_disk import lay_scratch, leave_scratch, require_room, room_for
from assay.platforms.mounts import filesystem_of, loops_below, mounts_below, read_mounts

live = pytest.mark.live
GIB = 1 << 30
ROOM = 4 * GIB


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return an activity's folder of data."""
    made = data_folder(tmp_path, "0123abcd")
    make_data_folder(made)
    return made


def seen_at(folder: Path, level: str) -> Path:
    """Return where a file system is shown, beside the folder of data."""
    return folder.parents[1] / "work" / f"{folder.name}-on-{level}"


@live
@pytest.mark.parametrize(
    ("level", "kind"),
    [
        ("xfs", "xfs"),
        ("ext4-nojournal", "ext4-nojournal"),
        ("ext4-on-tmpfs", "ext4"),
        ("ext4-on-xfs", "ext4"),
        ("tmpfs", "tmpfs"),
    ],
)
def test_the_kernel_shows_the_level_and_nothing_is_left(folder: Path, level: str, kind: str) -> None:
    laid = lay_scratch(folder, level, seen_at(folder, level), ROOM)
    try:
        assert filesystem_of(laid.root, read_mounts()) == kind
        assert kind in laid.how
        assert (" on " in laid.how) == ("-on-" in level)
        (laid.root / "kept").write_bytes(b"x" * 100_000)
        assert lay_scratch(folder, level, laid.root, ROOM) == laid
        assert (laid.root / "kept").exists(), "a visit later it is the same"
    finally:
        assert end_data(folder)
    assert not mounts_below(folder, read_mounts())
    assert not mounts_below(laid.root.parent, read_mounts())
    assert not laid.root.exists()
    assert not loops_below(folder)


@live
def test_several_levels_lie_side_by_side(folder: Path) -> None:
    try:
        roots = [
            lay_scratch(folder, level, seen_at(folder, level), ROOM).root
            for level in ("ext4", "ext4-on-tmpfs")
        ]
        assert len(set(roots)) == 2
        assert {filesystem_of(root, read_mounts()) for root in roots} == {"ext4"}
    finally:
        assert end_data(folder)
    assert not loops_below(folder)


@live
@pytest.mark.parametrize("level", ["xfs-on-tmpfs", "tmpfs"])
def test_a_level_in_memory_goes_with_its_visit_and_one_on_disk_stays(folder: Path, level: str) -> None:
    try:
        on_disk = lay_scratch(folder, "ext4", seen_at(folder, "ext4"), ROOM).root
        root = lay_scratch(folder, level, seen_at(folder, level), ROOM).root
        (root / "kept").write_bytes(b"x" * 100_000)
        for one in (level, "ext4"):
            leave_scratch(folder, one)
        assert not root.exists()
        assert [mount.point for mount in mounts_below(folder, read_mounts())] == [
            folder / "disks-scratch-ext4/disk"
        ]
        assert len(loops_below(folder)) == 1
        assert on_disk.exists()
        assert not (lay_scratch(folder, level, root, ROOM).root / "kept").exists()
    finally:
        assert end_data(folder)


def test_there_is_room_for_the_files_that_are_known_and_for_four_gibibytes_at_least() -> None:
    rooms = (room_for(0), room_for(3 * GIB), room_for(3 * GIB + 1), room_for(26 * GIB))
    assert rooms == (4 * GIB, 4 * GIB, 5 * GIB, 27 * GIB)


def test_levels_on_disk_need_room_together_and_those_in_memory_one_by_one(folder: Path) -> None:
    most = shutil.disk_usage(folder).free * 2 // 3
    require_room(folder, ["ext4"], most)
    with pytest.raises(MissingError, match=r"cannot make scratch.filesystem=ext4, xfs: .* are needed"):
        require_room(folder, ["ext4", "xfs-on-tmpfs", "xfs"], most)
    available = int(re.search(r"MemAvailable: *(\d+)", Path("/proc/meminfo").read_text())[1])  # type: ignore[index]
    require_room(folder, ["tmpfs", "xfs-on-tmpfs"], available * 1024 * 2 // 3)


@pytest.mark.parametrize("level", ["ext4", "tmpfs"])
def test_want_of_room_is_refused_with_both_figures(folder: Path, level: str) -> None:
    with pytest.raises(MissingError, match=rf"cannot make scratch.filesystem={level}: .* are needed"):
        lay_scratch(folder, level, seen_at(folder, level), 1 << 60)
