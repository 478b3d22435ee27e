"""The guest's random number generator, fed by the host's."""

from __future__ import annotations

from xml.etree.ElementTree import SubElement

from assay.factors import Draft, Evidence, Factor, Words


def _edit(draft: Draft, level: str) -> None:
    draft.drop("devices/rng")
    if level == "virtio":
        device = draft.add("devices/rng", model="virtio")
        SubElement(device, "backend", model="random").text = "/dev/urandom"


def _actual(seen: Evidence, _wanted: str) -> str:
    devices = seen.ask("qom-list", path="/machine/peripheral")
    return "virtio" if any("virtio-rng" in device["type"] for device in devices) else "none"


RNG = Factor(
    "device.rng",
    "the guest's random number generator",
    Words(("none", "virtio")),
    "none",
    "devices/rng/@model",
    "QMP qom-list of /machine/peripheral",
    _actual,
    edit=_edit,
)
