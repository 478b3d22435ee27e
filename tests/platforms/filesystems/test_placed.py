"""Folders on the site's own places: bound or formatted, seen there, and gone with the folder of ours."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.factors.base.levels import LevelError
from assay.factors.base.places import PLACES, dealt, lacks_place
from assay.model.errors import MissingError
from assay.model.files.marker import make_marked
from assay.model.platforms.data import DataFile, DataSet
from assay.platforms.data_servers.files import lay_data
from assay.platforms.data_servers.serve import data_folder, end_data
from assay.platforms.filesystems.data_disks import lay_on_places
from assay.platforms.filesystems.host_filesystem import remove_folder
from assay.platforms.filesystems.placed import LINK, free_bytes, put_at, require_place, seen_places
from assay.platforms.mounts import mounts_below, read_mounts
from tests.factors.parts import FakeHost

live = pytest.mark.live
MIB = 1 << 20
DATA = DataSet(tuple(DataFile(f"f{number}", 5 + number) for number in range(4)), seed=1)


def run(*words: str) -> str:
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def site(tmp_path: Path) -> Iterator[tuple[Path, Path]]:
    """Yield two mount points of a site."""
    points = (tmp_path / "site/data1", tmp_path / "site/data2")
    for point in points:
        point.mkdir(parents=True)
        run("mount", "-t", "tmpfs", "-o", "size=16m", "site", str(point))
        (point / "theirs").write_text("kept")
    yield points
    for point in points:
        run("umount", str(point))


@pytest.fixture
def device(tmp_path: Path) -> Iterator[Path]:
    """Yield an empty block device."""
    file = tmp_path / "disk"
    file.touch()
    run("truncate", "-s", "64M", str(file))
    made = run("losetup", "--find", "--show", str(file)).strip()
    yield Path(made)
    run("losetup", "-d", made)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "home/guests/assay-x-b0"
    make_marked(made)
    return made


def test_places_are_paths_in_one_spelling() -> None:
    assert PLACES.read(" /data1  /data2/ ") == "/data1 /data2"
    assert [dealt("/data1 /data2", number) for number in range(3)] == ["/data1", "/data2", "/data1"]
    for wrong in ("", "data1", "/data1 /data1", "/data1/../etc", "/a;b", 3, "/data1,/data2 x"):
        with pytest.raises(LevelError):
            PLACES.read(wrong)


def test_a_place_that_is_no_mount_point_or_a_mounted_device_is_refused_by_what_the_kernel_tells() -> None:
    mounts = "1 0 8:1 / /data1 rw - xfs /dev/sdb1 rw"
    host = FakeHost({"/proc/self/mountinfo": mounts}, programs=("mkfs.ext4",))
    assert lacks_place(host, "/data1 /dev/sdc") is None
    assert lacks_place(host, "/data1 /data2") == "/data2 is no mount point here"
    assert lacks_place(host, "/dev/sdb1") == "/dev/sdb1 is mounted: name its mount point"


@live
def test_a_folder_on_a_mount_point_goes_with_ours_and_what_the_site_has_there_stays(
    site: tuple[Path, Path], folder: Path
) -> None:
    point, (place, _) = folder / "disk", site
    put_at(folder, str(place), point)
    (point / "disk.img").write_bytes(bytes(MIB))
    assert str(place) in seen_places(point / "disk.img", read_mounts())
    assert len(list(place.iterdir())) == 2
    assert remove_folder(folder)
    assert [entry.name for entry in place.iterdir()] == ["theirs"]
    assert not mounts_below(folder, read_mounts())


@live
def test_an_empty_device_is_used_and_left_empty(device: Path, folder: Path) -> None:
    point = folder / "disk"
    assert free_bytes(str(device)) == 64 * MIB
    for _ in range(2):
        put_at(folder, str(device), point)
        (point / "disk.img").write_bytes(bytes(MIB))
        assert str(device) in seen_places(point / "disk.img", read_mounts())
        with pytest.raises(MissingError, match="it is not empty"):
            require_place(str(device))
        assert remove_folder(folder)
        require_place(str(device))
        make_marked(folder)


@live
def test_a_device_that_holds_anything_is_never_formatted(device: Path, folder: Path) -> None:
    run("mkfs.ext4", "-q", "-L", "theirs", str(device))
    with pytest.raises(MissingError, match=r"it is not empty, ext4 is on it"):
        put_at(folder, str(device), folder / "disk")
    (folder / LINK).symlink_to(device)  # as a forger would
    assert remove_folder(folder)
    assert run("blkid", "-p", "-s", "LABEL", "-o", "value", str(device)).strip() == "theirs"
    with device.open("r+b") as start:
        start.write(bytes(2 * MIB))
        start.seek(100)
        start.write(b"x")
    with pytest.raises(MissingError, match="its first MiB is not zeroes"):
        require_place(str(device))


@live
def test_a_link_that_leads_elsewhere_removes_nothing(tmp_path: Path, folder: Path) -> None:
    theirs = tmp_path / ".assay-0123456789abcdef"
    make_marked(theirs)
    (folder / LINK).symlink_to(theirs)
    assert remove_folder(folder)
    assert theirs.exists()


@live
def test_data_are_dealt_out_to_the_places_and_gone_with_the_activity(
    tmp_path: Path, site: tuple[Path, Path]
) -> None:
    folder = data_folder(tmp_path / "home", "0123abcd")
    lay_data(DATA, folder / "files")
    level = f"{site[0]} {site[1]}"
    laid = lay_on_places(folder, level, DATA)
    try:
        on = [set(seen_places(file, read_mounts())) & {*map(str, site)} for file in laid.files]
        assert on == [{str(site[0])}, {str(site[1])}] * 2
        originals = [folder / "files" / file.name for file in DATA.files]
        assert [file.read_bytes() for file in laid.files] == [file.read_bytes() for file in originals]
        assert lay_on_places(folder, level, DATA) == laid
    finally:
        assert end_data(folder)
    assert [entry.name for point in site for entry in point.iterdir()] == ["theirs", "theirs"]
