"""Unpacking kernels and writing initrds."""

from __future__ import annotations

import gzip
import lzma
import stat
import subprocess
from pathlib import Path

import pytest

from assay.platforms.images.initrd import Drivers, Entry, archive, make_initrd
from assay.platforms.images.kernel import KERNEL_CMDLINE, extract_elf

ELF = b"\x7fELF" + bytes(range(256)) * 64
SETUP_CODE = b"MZ" + b"\x1f\x8b\x08 looks packed, is not" + b"\xfd7zXZ\x00 neither" + b"\x90" * 512
AFTER = b"\x00" * 300 + b"relocation table"


def test_an_elf_file_packed_by_xz_or_gzip_is_found_behind_false_marks() -> None:
    for packed in (lzma.compress(ELF), gzip.compress(ELF)):
        assert extract_elf(SETUP_CODE + packed + AFTER) == ELF


@pytest.mark.parametrize("program", ["zstd", "lz4"])
def test_an_elf_file_packed_by_a_program_is_found(program: str) -> None:
    option = ["-l"] if program == "lz4" else []  # the kernel's is lz4's legacy format
    packed = subprocess.run([program, "-cq", *option], input=ELF, capture_output=True, check=True).stdout
    assert extract_elf(SETUP_CODE + packed + AFTER) == ELF


def test_a_kernel_that_is_elf_already_is_taken_as_it_is() -> None:
    assert extract_elf(ELF) is ELF


def test_an_image_without_a_kernel_is_refused() -> None:
    with pytest.raises(ValueError, match="no ELF file in a kernel image of"):
        extract_elf(SETUP_CODE)


def test_guests_keep_their_kernels_mitigations() -> None:
    assert "mitigations" not in KERNEL_CMDLINE
    assert "nopti" not in KERNEL_CMDLINE


def test_an_archive_is_what_the_format_says() -> None:
    made = archive([Entry("a", stat.S_IFREG | 0o644, b"hello")])
    assert made[:6] == b"070701"
    assert made[14:22] == b"000081A4"  # mode
    assert made[54:62] == b"00000005"  # size
    assert made[110:112] == b"a\0"
    assert made[112:117] == b"hello"
    assert len(made) % 4 == 0
    assert b"TRAILER!!!\0" in made


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "lib/modules/6.12.1"
    (folder / "kernel").mkdir(parents=True)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/busybox").write_bytes(b"BUSYBOX")
    (folder / "kernel/virtio_blk.ko.xz").write_bytes(lzma.compress(b"BLOCK DRIVER"))
    (folder / "kernel/virtio-ring.ko.gz").write_bytes(gzip.compress(b"RING DRIVER"))
    (folder / "modules.builtin").write_text("kernel/fs/ext4/ext4.ko\n")
    lines = "kernel/virtio_blk.ko.xz: kernel/virtio-ring.ko.gz\nkernel/virtio-ring.ko.gz:\n"
    (folder / "modules.dep").write_text(lines)
    return tmp_path


def test_an_initrd_holds_unpacked_drivers_with_what_they_need(root: Path) -> None:
    made = make_initrd(root, "6.12.1", script=b"SCRIPT", drivers=Drivers(("virtio_blk", "ext4")))
    for part in (b"BUSYBOX", b"SCRIPT", b"BLOCK DRIVER", b"RING DRIVER", b"virtio_blk.ko: virtio-ring.ko\n"):
        assert part in made
    assert b"modules\0" in made
    assert b"virtio_blk\n" in made  # ext4 is built in: not loaded


def test_a_driver_that_the_kernel_lacks_is_refused(root: Path) -> None:
    with pytest.raises(ValueError, match="named virtio_net in"):
        make_initrd(root, "6.12.1", script=b"", drivers=Drivers(("virtio_net",)))


def test_a_helpful_module_that_the_kernel_lacks_is_left_out(root: Path) -> None:
    drivers = Drivers(("virtio_blk",), loaded_if_there=("crc32c_intel",), carried_if_there=("ahci",))
    made = make_initrd(root, "6.12.1", script=b"", drivers=drivers)
    assert b"crc32c" not in made
    assert b"ahci" not in made
