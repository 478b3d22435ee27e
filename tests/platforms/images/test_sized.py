"""An image's disk at another size, made by the real programs."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from assay.model.errors import AssayError, MissingError
from assay.platforms.images.sized import make_sized, sized_disk
from assay.platforms.images.stored import Image

MIB, GIB = 1 << 20, 1 << 30


@pytest.fixture
def image(tmp_path: Path) -> Image:
    disk = tmp_path / "disk.raw"
    with disk.open("wb") as file:
        file.truncate(256 * MIB)
    subprocess.run(["mke2fs", "-q", "-t", "ext4", "-b", "4096", str(disk)], check=True)
    return Image("0" * 16, tmp_path, disk, None, None, (), "", 0, 0.0)


def blocks(disk: Path) -> int:
    told = subprocess.run(["dumpe2fs", "-h", str(disk)], capture_output=True, text=True, check=True).stdout
    (line,) = [line for line in told.splitlines() if line.startswith("Block count:")]
    return int(line.split()[-1])


def test_the_disk_of_a_size_is_made_once_beside_the_images_own(image: Image) -> None:
    before = image.disk.read_bytes()
    made = make_sized(image, 5 * GIB)
    assert (made, made.stat().st_size) == (image.folder / "disk.5g.raw", 5 * GIB)
    assert blocks(made) * 4096 == 5 * GIB
    assert made.stat().st_blocks * 512 < 256 * MIB, "it has holes"
    assert made.stat().st_mode == image.disk.stat().st_mode
    assert image.disk.read_bytes() == before
    inode = made.stat().st_ino
    assert make_sized(image, 5 * GIB).stat().st_ino == inode
    assert sorted(path.name for path in image.folder.iterdir() if path.suffix == ".raw") == [
        "disk.5g.raw", "disk.raw",
    ]  # fmt: skip


def test_without_a_size_it_is_the_images_own(image: Image) -> None:
    assert make_sized(image, None) == sized_disk(image, None) == image.disk


def test_a_disk_of_the_users_is_left_alone(image: Image) -> None:
    with pytest.raises(MissingError, match=r"cannot give a guest of image el9 disk\.size=5 GiB"):
        make_sized(replace(image, name="el9"), 5 * GIB)


def test_what_is_not_larger_or_cannot_be_made_leaves_nothing(image: Image) -> None:
    with image.disk.open("r+b") as file:
        file.truncate(6 * GIB)
    with pytest.raises(AssayError, match="its image's disk is larger"):
        make_sized(image, 5 * GIB)
    image.disk.write_bytes(bytes(MIB))
    with pytest.raises(AssayError, match=r"cannot make .*disk\.5g\.raw: resize2fs says: "):
        make_sized(image, 5 * GIB)
    assert [path.name for path in image.folder.iterdir() if "5g" in path.name] == []
