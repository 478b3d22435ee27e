"""A guest from its saved state: in seconds, beside others, with the right time; and nothing stays."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.machines.ssh.talk import talk
from assay.model.files.marker import make_marked
from assay.platforms.daemon.daemon import libvirt_connection
from assay.platforms.errors import PlatformError
from assay.platforms.guests.guest import find_guest, start_guest
from assay.platforms.guests.keys import read_keys
from assay.platforms.guests.spec import GuestSpec
from assay.platforms.images.stored import BUILDING
from assay.platforms.leftovers.clean import clean, leftovers
from assay.platforms.saved_states.restore import restore_guest
from assay.platforms.saved_states.saved import find_saved, must_boot, save_guest
from assay.platforms.saved_states.saved_store import SavedState, list_saved, remove_saved
from tests.platforms.guest_parts import PROBE, fresh_home, real_image, spec_of, ssh

pytestmark = pytest.mark.live
ACTIVITY = f"test-saved-{os.getpid()}"


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    with fresh_home() as folder:
        yield folder


@pytest.fixture(scope="module")
def connection(home: Path) -> Iterator[Any]:
    with libvirt_connection(home, subreaper=PROBE) as opened:
        yield opened


def small(home: Path, block: int) -> GuestSpec:
    return replace(spec_of(home, real_image(), block=block, activity=ACTIVITY), memory_bytes=512 * 1024**2)


@pytest.fixture(scope="module")
def saved(home: Path, connection: Any) -> SavedState:
    booted = start_guest(connection, small(home, 0))
    assert ssh(booted, "echo kept >/root/kept; echo there >/dev/shm/there").returncode == 0
    made = save_guest(booted, talk=talk)
    assert find_guest(connection, booted.name) is None
    assert not booted.spec.folder.exists()
    return made


@pytest.mark.long
def test_guests_of_one_state_run_beside_each_other_each_as_itself(
    home: Path, connection: Any, saved: SavedState
) -> None:
    guests = [restore_guest(connection, saved, small(home, block), talk=talk) for block in (1, 2)]
    try:
        seen = [ssh(guest, "hostname; cat /root/kept /dev/shm/there").stdout.split() for guest in guests]
        assert seen == [[guest.name, "kept", "there"] for guest in guests]
        assert len({ssh(guest, "cat /proc/sys/kernel/random/boot_id").stdout for guest in guests}) == 1
        assert ssh(guests[0], "echo other >/root/kept; sync").returncode == 0
        assert ssh(guests[1], "cat /root/kept").stdout.strip() == "kept"
        assert guests[0].platform().memory_bytes == 512 * 1024**2
        keys = {guest.machine.host_key for guest in guests}
        assert keys == {read_keys(saved.folder).host_public}, "of the boot that was saved"
        assert find_guest(connection, guests[0].name).saved == saved.digest
    finally:
        for guest in guests:
            guest.destroy()
    assert not any(guest.spec.folder.exists() for guest in guests)


def test_its_clock_is_the_hosts_and_its_random_numbers_are_its_own(
    home: Path, connection: Any, saved: SavedState
) -> None:
    drawn = []
    for block in (3, 4):
        guest = restore_guest(connection, saved, small(home, block), talk=talk)
        try:
            assert guest.clock.found_s < -0.5
            assert abs(guest.clock.left_s) < 0.1 + guest.clock.uncertainty_s
            before = time.time()
            done = ssh(guest, "date +%s.%N")
            assert done.returncode == 0, done.stderr
            reported = float(done.stdout)
            assert before - 0.3 < reported < time.time() + 0.3
            drawn.append(ssh(guest, "head -c 16 /dev/urandom | od -An -tx1").stdout)
        finally:
            guest.destroy()
    assert drawn[0] != drawn[1]


def test_a_state_of_another_spec_is_refused(home: Path, connection: Any, saved: SavedState) -> None:
    other = replace(small(home, 5), memory_bytes=1024**3)
    assert find_saved(connection, other) is None
    assert find_saved(connection, small(home, 5)) == saved
    with pytest.raises(PlatformError, match="it was saved with other settings"):
        restore_guest(connection, saved, other, talk=talk)


def test_a_state_cut_off_is_refused_and_leaves_nothing(
    home: Path, connection: Any, saved: SavedState, tmp_path: Path
) -> None:
    whole = saved.memory.read_bytes()
    spec = small(home, 6)
    try:
        saved.memory.write_bytes(whole[: len(whole) // 2])
        with pytest.raises(PlatformError):
            restore_guest(connection, saved, spec, talk=talk)
    finally:
        saved.memory.write_bytes(whole)
    assert find_guest(connection, spec.name) is None
    assert not spec.folder.exists()


def test_what_takes_hold_at_boot_must_boot(home: Path) -> None:
    assert must_boot(small(home, 7)) is None
    assert "takes hold while it boots" in must_boot(
        replace(small(home, 7), settings=(("memory.nosharepages", "on"),))
    )
    assert "its disk" in must_boot(replace(small(home, 7), settings=(("disk.format", "raw"),)))


def test_what_a_killed_process_half_saved_is_a_leftover(home: Path, saved: SavedState) -> None:
    half = saved.folder.parent / f"{BUILDING}half"
    make_marked(half)
    assert ("folder", str(half)) in {(one.kind, one.name) for one in leftovers(home, subreaper=PROBE)}
    clean(home, subreaper=PROBE)
    assert not half.exists()
    assert list_saved(home) == (saved,)


def test_saved_states_are_listed_and_pruned(home: Path, saved: SavedState) -> None:
    assert list_saved(home) == (saved,)
    assert [path for path in (saved.folder, *saved.folder.rglob("*")) if path.stat().st_mode & 0o077] == []
    assert remove_saved(home, saved.digest[:4]) == (saved,)
    assert list_saved(home) == ()
