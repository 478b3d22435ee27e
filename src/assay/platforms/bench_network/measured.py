"""Where a guest's measured card leads to: the factors say of what kind it is, this which link of ours."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement

from assay.factors.base.factor import Settings
from assay.platforms.bench_network.bench_links import NETWORK, PLAIN_MTU, PREFIX, network_of_tap

_NEEDING_LINKS = {"ethernet", "bridge", "direct"}


def on_loopback(settings: Settings) -> bool:
    """Tell whether a guest with these levels meets its server on the host's loopback alone."""
    return settings.get("net.backend") == "user"


def mtu_of(settings: Settings) -> int:
    """Return the largest packet that the links of a guest with these levels shall carry, bytes."""
    return int(settings.get("net.mtu", PLAIN_MTU))


def needs_links(domain: Element) -> bool:
    """Tell whether a domain's card leads to a link of the host."""
    interface = domain.find("devices/interface")
    return interface is not None and interface.get("type") in _NEEDING_LINKS


def lead_to(domain: Element, tap: str) -> None:
    """Let a domain's card lead to the network of ours that a guest's tap is part of; a domain without card is
    left as it is.
    """
    network = network_of_tap(tap)
    interface = domain.find("devices/interface")
    if interface is None:
        return
    kind = interface.get("type")
    if kind == "ethernet" and interface.find("target") is None:
        SubElement(interface, "target", dev=tap, managed="no")
    elif kind == "bridge":
        SubElement(interface, "source", bridge=network.bridge)
    elif kind == "direct":
        SubElement(interface, "source", dev=network.lower, mode="bridge")
    elif kind == "user" and interface.find("backend") is None:
        # the guest then finds its host, and the server on its loopback, under the server's address
        SubElement(interface, "ip", family="ipv4", address=NETWORK, prefix=str(PREFIX))
