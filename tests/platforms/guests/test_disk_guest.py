"""Real guests on disks of each kind: they boot, the levels are seen from outside, and work is
done on them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.factors.catalogue import read_setting, verify
from assay.platforms.claims import claim, release
from assay.platforms.daemon.daemon import libvirt_connection
from assay.platforms.errors import PlatformError
from assay.platforms.guests.domains import find_domain
from assay.platforms.guests.guest import start_guest
from assay.platforms.guests.spec import GuestSpec
from assay.platforms.host.this_host import ThisHost
from assay.platforms.readback.host_view import HostView
from tests.platforms.guest_parts import ACTIVITY, PROBE, fresh_home, real_image, spec_of, ssh

pytestmark = pytest.mark.live


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    with fresh_home() as folder:
        claim(folder, ACTIVITY)  # an evaluation would end guests that nobody claims
        yield folder
        release(folder, ACTIVITY)


@pytest.fixture(scope="module")
def connection(home: Path) -> Iterator[Any]:
    with libvirt_connection(home, subreaper=PROBE) as opened:
        yield opened


def spec_with(home: Path, words: str) -> GuestSpec:
    settings = tuple(read_setting(word) for word in words.split())
    return replace(spec_of(home, real_image()), settings=settings)


@pytest.mark.parametrize(
    ("words", "root"),
    [
        ("disk.host-filesystem=ext4-nojournal disk.format=raw disk.io=native disk.queues=1", "vda"),
        pytest.param(
            "disk.format=qcow2 disk.preallocation=metadata disk.cluster_size=128KiB",
            "vda",
            marks=pytest.mark.long,
        ),
        pytest.param(
            "disk.backing=2 disk.packed=on disk.event_idx=off disk.copy_on_read=on disk.iothread=on",
            "vda",
            marks=pytest.mark.long,
        ),
        ("disk.bus=scsi disk.iothread=on disk.io=io_uring disk.packed=on", "sda"),
        pytest.param("disk.bus=ide disk.discard=unmap", "sda", marks=pytest.mark.long),
        pytest.param("disk.guest-filesystem=ext2 disk.preallocation=off", "vda", marks=pytest.mark.long),
        pytest.param("disk.size=6GiB disk.guest-filesystem=xfs", "vda", marks=pytest.mark.long),
    ],
)
def test_a_guest_boots_from_a_disk_of_any_kind(words: str, root: str, home: Path, connection: Any) -> None:
    spec = spec_with(home, words)
    guest = start_guest(connection, spec)
    try:
        domain = find_domain(connection, guest.name)
        found = verify(dict(spec.settings), HostView(domain, host=ThisHost(), disk=spec.disk))
        assert {one.name: one.actual for one in found} == dict(spec.settings)
        done = ssh(guest, "dd if=/dev/zero of=/root/x bs=1M count=8 conv=fsync && cat /proc/mounts")
        kind = spec.guest_filesystem or "ext4"
        assert f"/dev/{root} / {kind} " in done.stdout, done.stdout + done.stderr
        assert guest.platform().disk_cache == "none"
    finally:
        guest.destroy()
    assert not spec.folder.exists()


@pytest.mark.long
def test_a_larger_disk_is_made_once_with_a_file_system_as_large(home: Path, connection: Any) -> None:
    spec = spec_with(home, "disk.size=9GiB")
    guest = start_guest(connection, spec)
    try:
        made = spec.base.stat()
        assert (spec.base.name, made.st_size) == ("disk.9g.raw", 9 << 30)
        assert made.st_blocks * 512 < 2 << 30
        room = ssh(guest, "df --output=size -B1 / | tail -1").stdout
        assert int(room) > 8 << 30
        assert "noinit_itable" in ssh(guest, "cat /proc/mounts").stdout
        assert spec.base in spec.image_files
    finally:
        guest.destroy()
    assert spec.base.exists()
    spec.base.unlink()


def test_a_bus_that_the_guests_kernel_cannot_drive_is_refused_and_nothing_is_left(
    home: Path, connection: Any
) -> None:
    spec = spec_with(home, "disk.bus=sata")
    with pytest.raises(PlatformError, match=r"disk\.bus=sata: Debian"):
        start_guest(connection, spec)
    assert not spec.folder.exists()
    assert find_domain(connection, spec.name) is None
