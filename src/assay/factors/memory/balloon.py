"""Factors of the balloon, by which a guest gives memory back.

Source: QEMU ``hw/virtio/virtio-balloon.c``, QMP reference: ``query-balloon``, ``x-query-virtio-status`` (QEMU
    7.2).
Limits: before a driver in the guest runs (a paused guest), only what the device offers can be seen.
"""

from __future__ import annotations

from functools import partial

from assay.factors.base.draft import Draft
from assay.factors.base.evidence import Evidence, Host
from assay.factors.base.factor import Cost, Factor, Hazard
from assay.factors.base.levels import SWITCH, Size, Words, spell_bytes
from assay.factors.base.versions import TELLS_FEATURES, too_old
from assay.model.units import parse_bytes

_NO_DEVICE = "the guest has no balloon"
_DEVICE = "devices/memballoon"


def _current(draft: Draft, level: str) -> None:
    draft.at("currentMemory", unit="b").text = str(parse_bytes(level))


def _actual_current(seen: Evidence, _wanted: str) -> str:
    size = int(seen.ask("query-memory-size-summary")["base-memory"])
    actual = int(seen.ask("query-balloon")["actual"]) if _balloon(seen) else size
    return spell_bytes(actual)


def _memballoon(draft: Draft, level: str) -> None:
    draft.at(_DEVICE, model=level)


def _actual_memballoon(seen: Evidence, _wanted: str) -> str:
    return "virtio" if _balloon(seen) else "none"


def _switch(attribute: str, draft: Draft, level: str) -> None:
    draft.at(_DEVICE, **{attribute: level})


def _actual_switch(property_: str, feature: str, seen: Evidence, _wanted: str) -> str:
    path = _balloon(seen)
    if path is None:
        return _NO_DEVICE
    if not seen.ask("qom-get", path=path, property=property_):
        return "off"
    return "on" if _driver_takes(feature, path, seen) else "offered, but the guest's driver does not take it"


def _driver_takes(feature: str, path: str, seen: Evidence) -> bool:
    if seen.host.qemu < TELLS_FEATURES:
        return True
    reported = seen.ask("x-query-virtio-status", path=f"{path}/virtio-backend")
    if not any(word.startswith("VIRTIO_CONFIG_S_DRIVER_OK") for word in reported["status"]["statuses"]):
        return True  # no driver yet: the device offers it, no more can be known
    return any(word.startswith(f"{feature}:") for word in reported["guest-features"]["dev-features"])


def _needs_reporting(host: Host, level: str | None) -> str | None:
    return None if level in (None, "off") else too_old(host, libvirt=(6, 9, 0), qemu=(5, 1, 0))


def _balloon(seen: Evidence) -> str | None:
    devices = seen.ask("qom-list", path="/machine/peripheral")
    names = [str(device["name"]) for device in devices if "virtio-balloon" in device["type"]]
    return f"/machine/peripheral/{names[0]}" if names else None


FACTORS = (
    Factor(
        "memory.memballoon",
        "the device by which the guest gives memory back",
        Words(("none", "virtio")),
        "none",
        f"{_DEVICE}/@model",
        "QMP qom-list of /machine/peripheral",
        _actual_memballoon,
        edit=_memballoon,
        hazards=(Hazard.MEMORY,),
        note="what is given back breaks huge pages and is paid for anew when it is touched again",
    ),
    Factor(
        "memory.currentMemory",
        "memory that the guest keeps, the rest is given back",
        Size("128 MiB", "64 TiB", ("512 MiB", "1 GiB"), step=1024**2),
        "as memory.size",
        "currentMemory",
        "QMP query-balloon, actual",
        _actual_current,
        cost=Cost.LIVE,
        edit=_current,
        hazards=(Hazard.MEMORY,),
        note="needs a balloon and a driver in the guest: without one libvirt reports success and "
        "nothing moves; a paused guest without a system (assay factors try) has none",
    ),
    Factor(
        "memory.autodeflate",
        "the guest takes memory back from the balloon before it kills a process",
        SWITCH,
        "off",
        f"{_DEVICE}/@autodeflate",
        "QMP qom-get deflate-on-oom; x-query-virtio-status, guest-features, once a driver runs",
        partial(_actual_switch, "deflate-on-oom", "VIRTIO_BALLOON_F_DEFLATE_ON_OOM"),
        edit=partial(_switch, "autodeflate"),
        hazards=(Hazard.MEMORY,),
    ),
    Factor(
        "memory.freePageReporting",
        "the guest tells the host which of its pages are free",
        SWITCH,
        "off",
        f"{_DEVICE}/@freePageReporting",
        "QMP qom-get free-page-reporting; x-query-virtio-status, guest-features, once a driver runs",
        partial(_actual_switch, "free-page-reporting", "VIRTIO_BALLOON_F_REPORTING"),
        edit=partial(_switch, "freePageReporting"),
        hazards=(Hazard.MEMORY,),
        needs=_needs_reporting,
        note="pages told free are taken away and paid for again at the next touch",
    ),
)
