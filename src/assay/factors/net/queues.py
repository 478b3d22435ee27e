"""Factors of a guest's network card: who moves its packets, by how many queues, of what size."""

from __future__ import annotations

from assay.factors.base.draft import Draft
from assay.factors.base.evidence import Evidence, Host
from assay.factors.base.factor import Factor, Hazard
from assay.factors.base.levels import Pattern, Whole, Words
from assay.factors.net.seen import NO_CARD, card_of, edit_card, properties

_VHOST = "/dev/vhost-net"
_RING = Pattern("256|512|1024", "one of 256, 512, 1024", ("256", "512", "1024"))
"""virtio-net takes powers of 2 from 256 to 1024, says QEMU."""


def _driver(draft: Draft, level: str) -> None:
    edit_card(draft, "driver", name=level)


def _actual_driver(seen: Evidence, _wanted: str) -> str:
    if card_of(seen) is None:
        return NO_CARD
    return "vhost" if _VHOST in seen.open_files else "qemu"


def _needs_driver(host: Host, level: str | None) -> str | None:
    if level != "vhost":
        return None
    if host.accelerator != "kvm":
        return "libvirt gives vhost to guests under KVM alone, and accepts it without effect under TCG"
    return None if host.writable(_VHOST) else f"there is no {_VHOST}: modprobe vhost_net"


def _queues(draft: Draft, level: str) -> None:
    edit_card(draft, "driver", queues=level)


def _actual_queues(seen: Evidence, _wanted: str) -> str:
    card = card_of(seen)
    if card is None:
        return NO_CARD
    vcpus = len(seen.ask("query-cpus-fast"))
    spare = card.queues > vcpus
    return f"{card.queues}, of which the guest's vCPUs use {vcpus}" if spare else str(card.queues)


def _rx(draft: Draft, level: str) -> None:
    edit_card(draft, "driver", rx_queue_size=level)


def _tx(draft: Draft, level: str) -> None:
    edit_card(draft, "driver", tx_queue_size=level)


def _actual_rx(seen: Evidence, _wanted: str) -> str:
    return properties(seen).get("rx_queue_size", "no such property of the card")


def _actual_tx(seen: Evidence, _wanted: str) -> str:
    return properties(seen).get("tx_queue_size", "no such property of the card")


def _needs_tx(_host: Host, level: str | None) -> str | None:
    return None if level in {None, "256"} else "QEMU keeps 256 on all but vhost-user, without a word"


def _mtu(draft: Draft, level: str) -> None:
    edit_card(draft, "mtu", size=level)


def _actual_mtu(seen: Evidence, wanted: str) -> str:
    card = card_of(seen)
    if card is None:
        return NO_CARD
    reported = properties(seen).get("host_mtu", "nothing")
    link = f"/sys/class/net/{card.link}"
    own, bridge = seen.host.read(f"{link}/mtu"), seen.host.read(f"{link}/brport/bridge/mtu")
    if reported == wanted and own is not None and min(int(own), int(bridge or own)) >= int(wanted):
        return wanted
    on_bridge = f", {bridge} on its bridge" if bridge else ""
    return f"{reported} told to the guest, {own or 'none'} on the host's link{on_bridge}"


FACTORS = (
    Factor(
        "net.driver",
        "who moves a guest's packets on the host: the kernel or QEMU",
        Words(("qemu", "vhost")),
        "vhost for a virtio card on a tap under KVM where the kernel has it, else qemu",
        "devices/interface/driver/@name",
        "/proc/PID/fd: open or not /dev/vhost-net",
        _actual_driver,
        edit=_driver,
        needs=_needs_driver,
        note="vhost is accepted without effect under TCG, on a user network, and with other cards "
        "than virtio",
    ),
    Factor(
        "net.queues",
        "queue pairs of a guest's network card",
        Whole(1, 256, (1, 2, 4)),
        "1",
        "devices/interface/driver/@queues",
        "HMP info network: a line for each; QMP query-cpus-fast: a vCPU for each",
        _actual_queues,
        edit=_queues,
        note="more than vCPUs are accepted and not used, any number on e1000e ignored; "
        "one flow of data uses one queue",
    ),
    Factor(
        "net.rx_queue_size",
        "descriptors of each receive queue",
        _RING,
        "256",
        "devices/interface/driver/@rx_queue_size",
        "HMP info qtree, rx_queue_size",
        _actual_rx,
        edit=_rx,
        note="ignored by other cards than virtio",
    ),
    Factor(
        "net.tx_queue_size",
        "descriptors of each send queue",
        _RING,
        "256",
        "devices/interface/driver/@tx_queue_size",
        "HMP info qtree, tx_queue_size",
        _actual_tx,
        edit=_tx,
        needs=_needs_tx,
        note="libvirt and QEMU accept 512 and 1024 on a tap, and QEMU 7.2 keeps 256",
    ),
    Factor(
        "net.mtu",
        "largest packet of a guest's network",
        Whole(1280, 65521, (1500, 9000), "B"),
        "1500",
        "devices/interface/mtu/@size",
        "HMP info qtree, host_mtu; /sys/class/net/LINK/mtu and its bridge's",
        _actual_mtu,
        edit=_mtu,
        hazards=(Hazard.OTHERS,),
        note="all links up to the server must carry it, or packets stay as small as before; "
        "only a virtio card tells the guest",
    ),
)
