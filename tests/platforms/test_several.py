"""Guests at once: two, four; and when one fails none is left."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.machines.ssh.talk import talk
from assay.platforms.daemon.daemon import libvirt_connection
from assay.platforms.errors import GuestBootError, PlatformError
from assay.platforms.guests.guest import Guest, find_guest, pick_ports, start_guest
from assay.platforms.guests.spec import Accelerator, GuestSpec
from assay.platforms.images.image import Image
from assay.platforms.saved_states.saved import save_guest
from assay.platforms.several import _make_all, restore_guests, start_guests
from tests.platforms.guest_parts import PROBE, fresh_home, real_image, spec_of, ssh

ACTIVITY = f"test-several-{os.getpid()}"


def planned(count: int) -> list[GuestSpec]:
    """Specs of guests that are never made."""
    nothing = Path("/nonexistent")
    image = Image("0" * 16, nothing, nothing, nothing, nothing, (), "", 0, 0.0)
    tcg = Accelerator("tcg", "")
    return [
        GuestSpec(f"g{n}", "a", 1, 1024, (0,), "none", image, tcg, None, None, 1000 + n, nothing / f"g{n}")
        for n in range(count)
    ]


class Pretended:
    """A guest that only remembers whether it was removed."""

    def __init__(self, spec: GuestSpec, removed: list[str]) -> None:
        self.spec, self.removed = spec, removed

    def destroy(self) -> None:
        self.removed.append(self.spec.name)


def test_no_more_are_made_at_once_than_said_and_all_come_in_order() -> None:
    most, now, lock = [0], [0], threading.Lock()
    pause = threading.Event()

    def make(spec: GuestSpec) -> Any:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        pause.wait(0.02)
        with lock:
            now[0] -= 1
        return spec.name

    assert _make_all(planned(6), make, at_once=2, stop=threading.Event()) == tuple(f"g{n}" for n in range(6))
    assert most[0] <= 2


def test_when_one_fails_those_made_are_removed_and_the_rest_never_begun() -> None:
    removed: list[str] = []
    begun: list[str] = []

    def make(spec: GuestSpec) -> Any:
        begun.append(spec.name)
        if spec.name == "g1":
            msg = "cannot start g1"
            raise PlatformError(msg)
        return Pretended(spec, removed)

    with pytest.raises(PlatformError, match="cannot start g1"):
        _make_all(planned(40), make, at_once=1, stop=threading.Event())
    assert begun == ["g0", "g1"]
    assert removed == ["g0"]


def test_a_signal_while_waiting_removes_all() -> None:
    removed: list[str] = []
    stop, begun = threading.Event(), threading.Barrier(3)

    def make(spec: GuestSpec) -> Any:
        begun.wait(5)
        if spec.name == "g1":
            raise KeyboardInterrupt
        stop.wait(5)
        return Pretended(spec, removed)

    with pytest.raises(KeyboardInterrupt):
        _make_all(planned(3), make, at_once=3, stop=stop)
    assert removed == ["g0", "g2"]


def test_two_of_one_name_or_port_are_refused() -> None:
    one, two = planned(2)
    for twin, what in ((replace(two, name=one.name), "name"), (replace(two, port=one.port), "port")):
        with pytest.raises(PlatformError, match=f"two of them have {what}"):
            start_guests(None, [one, twin], at_once=2)


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    with fresh_home() as folder:
        yield folder


@pytest.fixture(scope="module")
def connection(home: Path) -> Iterator[Any]:
    with libvirt_connection(home, subreaper=PROBE) as opened:
        yield opened


def small(home: Path, count: int) -> list[GuestSpec]:
    image = real_image()
    specs = [spec_of(home, image, block=block, activity=ACTIVITY) for block in range(count)]
    ports = pick_ports(count)
    cpus = sorted(os.sched_getaffinity(0))
    return [
        replace(spec, memory_bytes=384 * 1024**2, port=port, cpus=(cpus[number % len(cpus)],))
        for number, (spec, port) in enumerate(zip(specs, ports, strict=True))
    ]


def assert_each_itself(guests: tuple[Guest, ...]) -> None:
    try:
        said = [ssh(guest, "hostname") for guest in guests]
        assert [(done.stdout.strip(), done.stderr) for done in said] == [(guest.name, "") for guest in guests]
        assert len({guest.pid for guest in guests}) == len(guests)
    finally:
        for guest in guests:
            guest.destroy()
    assert not any(guest.spec.folder.exists() for guest in guests)


@pytest.mark.live
@pytest.mark.long
def test_two_guests_boot_at_once(home: Path, connection: Any) -> None:
    assert_each_itself(start_guests(connection, small(home, 2), at_once=2))


@pytest.mark.live
@pytest.mark.long
def test_four_guests_of_one_state_are_restored_two_at_a_time(home: Path, connection: Any) -> None:
    first, *_ = specs = small(home, 4)
    saved = save_guest(start_guest(connection, first), talk=talk)
    guests = restore_guests(connection, saved, specs, at_once=2, talk=talk)
    assert_each_itself(guests)


@pytest.mark.live
@pytest.mark.long
def test_four_guests_boot_two_at_a_time(home: Path, connection: Any) -> None:
    assert_each_itself(start_guests(connection, small(home, 4), at_once=2))


@pytest.mark.live
@pytest.mark.long
def test_one_that_never_boots_takes_the_others_with_it(home: Path, connection: Any) -> None:
    broken = home / "initrd"
    broken.write_bytes(b"")
    broken.chmod(0o644)
    specs = small(home, 2)
    specs[1] = replace(specs[1], image=replace(specs[1].image, initrd=broken))
    with pytest.raises(GuestBootError, match="Kernel panic"):
        start_guests(connection, specs, at_once=2)
    assert [find_guest(connection, spec.name) for spec in specs] == [None, None]
    assert not any(spec.folder.exists() for spec in specs)
