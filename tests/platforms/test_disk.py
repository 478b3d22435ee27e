"""A guest's disk as it is made: room asked for first, overlays and copies, and what the kernel tells of it."""

from __future__ import annotations

import json
import struct
import subprocess
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from assay.factors.draft import Draft
from assay.platforms.disk import make_disk, make_empty_disk, overlays_below
from assay.platforms.extents import parse_extents, unwritten_bytes
from assay.platforms.root_disk import CARRIED_MODULES, root_words
from tests.passing import pass_by

MIB = 1 << 20


def draft(**changes: Any) -> Draft:
    return Draft(Element("domain"), "tcg", 1, 1 << 30, (0,), **changes)


def image_of(folder: Path) -> Path:
    image = folder / "image.raw"
    image.write_bytes(b"x" * MIB)
    with image.open("r+b") as file:
        file.truncate(8 * MIB)
    return image


def info(path: Path) -> list[Any]:
    words = ["qemu-img", "info", "--backing-chain", "--output=json", str(path)]
    chain: list[Any] = json.loads(subprocess.run(words, capture_output=True, check=True).stdout)
    return chain


def test_a_disk_lies_over_as_many_files_as_was_said(tmp_path: Path) -> None:
    image, path = image_of(tmp_path), tmp_path / "disk.img"
    make_disk(draft(disk_depth=3, disk_options={"cluster_size": "131072"}), path, image=image)
    chain = info(path)
    assert [Path(one["filename"]).name for one in chain] == [
        "disk.img",
        "disk.2.img",
        "disk.1.img",
        "image.raw",
    ]
    assert {one["cluster-size"] for one in chain[:3]} == {131072}
    assert overlays_below(path, 3) == (tmp_path / "disk.1.img", tmp_path / "disk.2.img")


def test_a_copy_holds_what_the_image_holds_and_lies_over_nothing(tmp_path: Path) -> None:
    image, path = image_of(tmp_path), tmp_path / "disk.img"
    make_disk(draft(disk_depth=0, disk_format="raw"), path, image=image)
    assert path.read_bytes() == image.read_bytes()
    assert path.stat().st_blocks * 512 < 2 * MIB


def test_an_empty_disk_has_a_bottom_of_its_own_to_lie_over(tmp_path: Path) -> None:
    path = tmp_path / "disk.img"
    make_empty_disk(draft(disk_depth=1), path, size_bytes=4 * MIB)
    assert [Path(one["filename"]).name for one in info(path)] == ["disk.img", "disk.base.img"]


def test_extents_that_were_never_written_are_counted(tmp_path: Path) -> None:
    written, reserved = tmp_path / "written", tmp_path / "reserved"
    written.write_bytes(b"x" * MIB)
    subprocess.run(["fallocate", "-l", str(MIB), str(reserved)], check=True)
    if unwritten_bytes(written) is None:
        pass_by("the file system of temporary files does not tell")
    assert (unwritten_bytes(written), unwritten_bytes(reserved)) == (0, MIB)
    assert unwritten_bytes(tmp_path / "none") is None


def test_the_kernels_answer_on_extents_is_read_by_its_layout() -> None:
    head = struct.pack("=QQLLLL", 0, 8192, 0, 2, 2, 0)
    one = struct.pack("=QQQQQLLLL", 0, 1 << 20, 4096, 0, 0, 0x800, 0, 0, 0)
    two = struct.pack("=QQQQQLLLL", 4096, 2 << 20, 4096, 0, 0, 0x1, 0, 0, 0)
    assert parse_extents(head + one + two) == [(0, 4096, 0x800), (4096, 4096, 0x1)]


def test_the_guests_kernel_is_told_where_its_disk_is_and_by_which_driver() -> None:
    assert root_words("virtio") == ()
    assert root_words("ide") == ("root=/dev/sda", "assay.module=ata_piix", "assay.module=sd_mod")
    assert set(CARRIED_MODULES) == {"ata_piix", "nvme", "sd_mod", "virtio_scsi"}
