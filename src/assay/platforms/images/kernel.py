"""A guest's kernel as the hypervisor can start it at once: the ELF file inside Debian's compressed image.

The compressed image unpacks itself in the guest, which takes seconds where the guest's CPU is emulated;
QEMU starts the ELF file directly (PVH entry), with KVM as under emulation.

Source: Linux ``Documentation/x86/boot.rst`` (payload formats), QEMU ``docs/system/linuxboot.rst``.
"""

from __future__ import annotations

import lzma
import zlib
from collections.abc import Callable, Iterator

from assay.model.errors import MissingError
from assay.model.files.packages import install_command
from assay.platforms.host_command import run

KERNEL_CMDLINE = "console=ttyS0 root=/dev/vda rw quiet panic=-1 tsc=reliable no_timer_check cryptomgr.notests"
"""What every guest's kernel is told; append ``assay.name=NAME`` and ``assay.net=ADDRESS/LENGTH``.

Nothing here changes how a workload runs: mitigations, scheduler and memory settings are the kernel's own.
``panic=-1``: a guest that dies ends at once (its domain is destroyed on a reboot).
``tsc=reliable no_timer_check``: an emulated timer that is late on a busy host must not make the guest drop
its clock source. ``cryptomgr.notests``: saves 0.7 s of self tests of ciphers per emulated boot.
"""

_ELF = b"\x7fELF"


def extract_elf(image: bytes) -> bytes:
    """Return the ELF file inside a bootable kernel image; an image that is ELF already is returned as is.

    Args:
        image: The whole content of ``/boot/vmlinuz-*``.

    Raises:
        ValueError: it holds no ELF file in a known compression.
        MissingError: it is compressed by ``zstd`` or ``lz4`` and that program is not installed.
    """
    if image.startswith(_ELF):
        return image
    for magic, unpack in _PACKED:
        for start in _positions(image, magic):
            content = unpack(memoryview(image)[start:])
            if content.startswith(_ELF):
                return content
    msg = f"no ELF file in a kernel image of {len(image)} bytes (looked for xz, gzip, zstd, lz4)"
    raise ValueError(msg)


def _positions(image: bytes, magic: bytes) -> Iterator[int]:
    start = image.find(magic)
    while start >= 0:
        yield start
        start = image.find(magic, start + 1)


def _xz(packed: memoryview) -> bytes:
    try:
        return lzma.LZMADecompressor(lzma.FORMAT_XZ).decompress(packed)
    except lzma.LZMAError:
        return b""


def _gzip(packed: memoryview) -> bytes:
    try:
        return zlib.decompressobj(31).decompress(packed)
    except zlib.error:
        return b""


def _by(program: str) -> Callable[[memoryview], bytes]:
    def unpack(packed: memoryview) -> bytes:
        try:
            # What follows the payload makes the program fail after it has written the whole content.
            return run([program, "-dcq"], stdin=bytes(packed)).stdout
        except FileNotFoundError:
            msg = f"cannot unpack the guest's kernel: {program} is not installed"
            raise MissingError(msg, hint=install_command(program)) from None

    return unpack


_PACKED: tuple[tuple[bytes, Callable[[memoryview], bytes]], ...] = (
    (b"\xfd7zXZ\x00", _xz),
    (b"\x1f\x8b\x08", _gzip),
    (b"\x28\xb5\x2f\xfd", _by("zstd")),
    (b"\x02\x21\x4c\x18", _by("lz4")),
)
