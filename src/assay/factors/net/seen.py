"""A guest's network card as QEMU's monitor and the kernel of its host show it.

Source: QEMU ``info network`` and ``info qtree`` (their text is no interface: tests hold captures of 7.2),
``Documentation/ABI/testing/sysfs-class-net`` of the kernel, ``linux/if_tun.h``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from xml.etree.ElementTree import Element

from assay.factors.base.draft import Draft
from assay.factors.base.evidence import Evidence
from assay.factors.base.qtree import parse_qtree

NO_CARD = "the guest has no network card to measure"
_LINE = re.compile(r"^( \\ )?([^:]+): index=\d+,(.*)$", re.MULTILINE)
_PERSISTENT = 0x0800
"""IFF_PERSIST: the tap was there before QEMU."""


@dataclass(frozen=True)
class Card:
    """The card that carries what is measured.

    Attributes:
        model: QEMU's name of the device, ``virtio-net-pci``.
        backend: QEMU's type of what it leads to, ``user``, ``tap``.
        queues: Number of its queue pairs.
        link: Its link on the host; empty where it has none.
    """

    model: str
    backend: str
    queues: int
    link: str


def edit_card(draft: Draft, path: str, **attributes: str) -> None:
    """Set attributes at a path below a guest's interface; a guest without one is left as it is."""
    if draft.domain.find("devices/interface") is not None:
        draft.at("/".join(("devices/interface", *filter(None, (path,)))), **attributes)


def card_of(seen: Evidence) -> Card | None:
    """Return the card of the guest's first interface that libvirt knows; ``None`` where there is none."""
    interface = seen.live.find("devices/interface")
    if interface is None:
        return None
    lines = _lines(seen.monitor("info network"), _attribute(interface, "alias", "name"))
    if not lines:
        return None
    (model, backend), *_ = lines
    return Card(model, backend, len(lines), _attribute(interface, "target", "dev"))


def link_kind(seen: Evidence, link: str) -> str:
    """Return who made the link of a card, as the type of libvirt's interface: ethernet, bridge or direct."""
    folder = f"/sys/class/net/{link}"
    if f"/dev/tap{seen.host.read(f'{folder}/ifindex')}" in seen.open_files:
        return "direct"
    flags = seen.host.read(f"{folder}/tun_flags")
    if flags is None or "/dev/net/tun" not in seen.open_files:
        return f"{link or 'a link'}, which is no tap of this host"
    bridged = seen.host.read(f"{folder}/brport/state") is not None
    return "bridge" if bridged and not int(flags, 16) & _PERSISTENT else "ethernet"


def properties(seen: Evidence) -> dict[str, str]:
    """Return what ``info qtree`` tells of the card: names to values without their hexadecimal form."""
    interface = seen.live.find("devices/interface")
    alias = "" if interface is None else _attribute(interface, "alias", "name")
    return parse_device(seen.monitor("info qtree"), alias)


def parse_device(text: str, alias: str) -> dict[str, str]:
    """Return the properties of a device and of what it carries, by its ``id`` in a ``info qtree``."""
    mine = [device for device in parse_qtree(text) if any(one.id == alias for one in device.up)]
    return {name: value for device in mine for name, value in device.properties.items()}


def _lines(text: str, alias: str) -> list[tuple[str, str]]:
    """Return device and backend of each queue pair of a card."""
    entries = [(bool(line[1]), line[2], line[3]) for line in _LINE.finditer(text)]
    pairs = [(mine, behind) for mine, behind in pairwise(entries) if mine[1] == alias]
    return [(_field(mine[2], "model"), _field(behind[2], "type")) for mine, behind in pairs if behind[0]]


def _field(text: str, name: str) -> str:
    match = re.search(rf"(?:^|,){name}=([^,]*)", text)
    return match[1] if match else ""


def _attribute(interface: Element, tag: str, name: str) -> str:
    element = interface.find(tag)
    return "" if element is None else element.get(name, "")
