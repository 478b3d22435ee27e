"""Network levels tried on a paused guest: links of ours are made for it, and none stays."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.factors.catalogue import refused
from assay.platforms.bench_network.network import network_owner, network_tokens
from assay.platforms.daemon.daemon import libvirt_connection
from assay.platforms.host.this_host import ThisHost
from assay.platforms.libvirt.rehearsal import LevelsRefusedError, try_settings
from tests.platforms.guest_parts import PROBE, fresh_home

pytestmark = pytest.mark.live

HOST = ThisHost()


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    with fresh_home() as folder, libvirt_connection(folder, subreaper=PROBE):
        yield folder


def left(home: Path) -> list[object]:
    """Return what is left of our rehearsals; others of this machine may hold networks meanwhile."""
    owners = [owner for owner in map(network_owner, network_tokens()) if owner is not None]
    return [*(owner for owner in owners if owner.owner.pid == os.getpid()), *(home / "guests").iterdir()]


@pytest.mark.parametrize(
    "settings",
    [
        {"net.backend": "user", "net.model": "e1000"},
        {"net.backend": "ethernet", "net.driver": "qemu", "net.mtu": "9000"},
        {"net.backend": "bridge", "net.queues": "2", "cpu.vcpus": "2", "net.mtu": "1400"},
        {"net.backend": "direct", "net.queues": "2", "cpu.vcpus": "2"},
        {"net.backend": "direct", "net.model": "e1000e"},
        {"net.backend": "bridge", "net.model": "rtl8139"},
        {"net.backend": "bridge", "net.model": "vmxnet3"},
        {"net.model": "virtio", "net.rx_queue_size": "1024", "net.tx_queue_size": "256"},
    ],
    ids=lambda settings: ",".join(f"{name}={level}" for name, level in settings.items()),
)
def test_a_network_level_is_seen_from_outside_and_no_link_stays(home: Path, settings: dict[str, str]) -> None:
    assert refused(settings, HOST) == ()
    found = try_settings(settings, home=home, host=HOST, subreaper=PROBE)
    assert {one.name: one.actual for one in found} == settings
    assert left(home) == []


def test_vhost_that_is_accepted_without_effect_is_found_so(home: Path) -> None:
    (found,) = try_settings({"net.driver": "vhost"}, home=home, host=HOST, subreaper=PROBE)
    assert (found.actual, found.ok) == ("qemu", False)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"net.backend": "passt"}, "Invalid value for attribute 'type' in element 'backend': 'passt'"),
        ({"net.backend": "user", "net.queues": "2"}, "multiqueue is not supported"),
        ({"net.backend": "user", "net.mtu": "9000"}, "setting MTU on interface type user"),
        ({"net.backend": "direct", "net.mtu": "9000"}, "setting MTU on interface type direct"),
    ],
    ids=str,
)
def test_what_is_refused_beforehand_is_refused_by_libvirt_too(
    home: Path, settings: dict[str, str], said: str
) -> None:
    assert refused(settings, HOST)
    with pytest.raises(LevelsRefusedError, match=said):
        try_settings(settings, home=home, host=HOST, subreaper=PROBE)
    assert left(home) == []
