"""A guest's disk as it is made: room asked for first, overlays and copies, and what the kernel
tells of it.
"""

from __future__ import annotations

import json
import struct
import subprocess
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import pytest

from assay.factors.base.draft import Draft
from assay.factors.catalogue import FACTORS
from assay.platforms.errors import PlatformError
from assay.platforms.filesystems.extents import parse_extents, unwritten_bytes
from assay.platforms.guests.disk import make_disk, make_empty_disk, overlays_below
from assay.platforms.images.card_driver import card_words
from assay.platforms.images.recipe import has_full_kernel
from assay.platforms.images.root_disk import CARRIED_IF_THERE, CARRIED_MODULES, root_words
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
    assert root_words("virtio", full=False) == ()
    assert root_words("ide", full=False) == ("root=/dev/sda", "assay.module=ata_piix", "assay.module=sd_mod")
    assert root_words("sata", full=True) == ("root=/dev/sda", "assay.module=ahci", "assay.module=sd_mod")
    assert set(CARRIED_MODULES) == {"ata_piix", "nvme", "sd_mod", "virtio_scsi"}
    assert set(CARRIED_IF_THERE) == {"ahci", "usb_storage", "xhci_pci"}


@pytest.mark.parametrize("bus", ["sata", "usb"])
def test_a_bus_without_a_driver_in_the_cloud_kernel_needs_the_full_one(bus: str) -> None:
    with pytest.raises(
        PlatformError, match=rf"cannot give a guest disk\.bus={bus}: Debian's cloud kernel"
    ) as raised:
        root_words(bus, full=False)
    assert raised.value.hint == "add linux-image-amd64 to the guest's packages: the full kernel has it"


def test_every_model_of_card_has_a_driver_and_some_only_in_the_full_kernel() -> None:
    models = FACTORS["net.model"].levels.choices
    words = {model: card_words(model, full=True) for model in models}
    assert words["virtio"] == ()
    assert words["rtl8139"] == ("assay.card=8139cp",)
    assert all(words[model] for model in models if model != "virtio")
    assert card_words("vmxnet3", full=False) == ("assay.card=vmxnet3",)
    with pytest.raises(PlatformError, match=r"cannot give a guest net\.model=e1000e: Debian's cloud kernel"):
        card_words("e1000e", full=False)


def test_the_full_kernel_is_told_by_its_package() -> None:
    assert has_full_kernel(("fio", "linux-image-amd64"))
    assert not has_full_kernel(("fio", "linux-image-cloud-amd64"))
