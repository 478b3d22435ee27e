"""Which link of the host a guest's card leads to, by its kind."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from assay.platforms.bench_network.bench_links import bench_names, network_of_tap, number_of_tap
from assay.platforms.bench_network.measured import mtu_of, needs_links, on_loopback
from assay.platforms.guests.domain import domain_xml
from tests.platforms.guests.test_domain import KVM, TCG, replace

NETWORK = bench_names("asy0123ef")


@pytest.mark.parametrize(
    ("backend", "kind", "tag", "leads"),
    [
        ("ethernet", "ethernet", "target", {"dev": "asy0123eft", "managed": "no"}),
        ("bridge", "bridge", "source", {"bridge": "asy0123efb"}),
        ("direct", "direct", "source", {"dev": "asy0123efm", "mode": "bridge"}),
        ("user", "user", "ip", {"family": "ipv4", "address": "198.18.0.0", "prefix": "24"}),
        ("passt", "user", "backend", {"type": "passt"}),
    ],
)
def test_a_guests_card_leads_to_its_network(backend: str, kind: str, tag: str, leads: dict[str, str]) -> None:
    spec = replace(TCG, settings=(("net.backend", backend), ("net.model", "e1000e")))
    interface = ElementTree.fromstring(domain_xml(spec)).find("devices/interface")
    assert interface.get("type") == kind
    assert interface.find(tag).attrib == leads
    assert interface.find("model").attrib == {"type": "e1000e"}
    assert interface.find("mac") is not None
    left = {part.tag for part in interface} - {"mac", "model", tag}
    assert left == set()


def test_a_guest_without_card_gets_none_by_a_level() -> None:
    assert "<interface" not in domain_xml(replace(KVM, settings=(("net.backend", "bridge"),)))


def test_a_tap_tells_its_network() -> None:
    assert network_of_tap(NETWORK.tap) == NETWORK
    several = bench_names("asy0123ef", guests=12)
    assert several.taps[:2] == ("asy0123eft", "asy0123eft1")
    assert {network_of_tap(tap) for tap in several.taps} == {NETWORK}
    assert [number_of_tap(tap) for tap in several.taps] == list(range(12))
    assert several.address_of(11) == "198.18.0.26"


def test_guests_of_one_network_have_cards_of_their_own() -> None:
    made = [domain_xml(replace(KVM, tap=tap)) for tap in bench_names("asy0123ef", guests=2).taps]
    assert ['<mac address="52:54:00:a5:5a:02"' in xml for xml in made] == [True, False]
    assert ['<mac address="52:54:00:a5:5a:03"' in xml for xml in made] == [False, True]
    assert ['dev="asy0123eft1"' in xml for xml in made] == [False, True]


def test_a_user_network_meets_the_server_on_loopback() -> None:
    assert on_loopback({"net.backend": "user"})
    assert not on_loopback({"net.backend": "bridge"})
    assert not on_loopback({})


def test_links_carry_what_the_levels_say() -> None:
    assert (mtu_of({}), mtu_of({"net.mtu": "9000"})) == (1500, 9000)


@pytest.mark.parametrize(("kind", "needed"), [("user", False), ("direct", True), ("ethernet", True)])
def test_only_some_kinds_need_links(kind: str, needed: bool) -> None:
    domain = ElementTree.fromstring(f"<domain><devices><interface type='{kind}'/></devices></domain>")
    assert needs_links(domain) == needed
    assert not needs_links(ElementTree.fromstring("<domain><devices/></domain>"))
