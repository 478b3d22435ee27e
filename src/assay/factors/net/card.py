"""Factors of a guest's network: what its card is, and what it leads to."""

from __future__ import annotations

from assay.factors.base.draft import Draft
from assay.factors.base.evidence import Evidence, Host
from assay.factors.base.factor import Effect, Factor, Hazard
from assay.factors.base.levels import Words
from assay.factors.base.versions import no_device
from assay.factors.net.seen import NO_CARD, card_of, edit_card, link_kind
from assay.model.files.packages import install_command

_TUN = "/dev/net/tun"
_PASST_SINCE = (9, 2, 0)
_MODELS = {"virtio-net-pci": "virtio"}
"""QEMU's name -> libvirt's, where they differ."""


def _backend(draft: Draft, level: str) -> None:
    for part in ("source", "target", "ip", "backend"):
        draft.drop(f"devices/interface/{part}")
    edit_card(draft, "", type="user" if level == "passt" else level)
    if level == "passt":
        edit_card(draft, "backend", type="passt")


def _actual_backend(seen: Evidence, _wanted: str) -> str:
    card = card_of(seen)
    if card is None:
        return NO_CARD
    if card.backend == "stream":  # of what libvirt starts, only passt is reached so
        return "passt"
    return link_kind(seen, card.link) if card.backend == "tap" else card.backend


def _needs_backend(host: Host, level: str | None) -> str | None:
    if level == "passt":
        return _needs_passt(host)
    if level not in {"ethernet", "bridge", "direct"}:
        return None
    if not host.root:
        return "only root can make the link that it needs"
    return None if host.writable(_TUN) else f"this kernel has no {_TUN}"


def _needs_passt(host: Host) -> str | None:
    if host.libvirt < _PASST_SINCE:
        version = ".".join(map(str, host.libvirt))
        return (
            f"libvirt {version} says \"Invalid value for attribute 'type' in element 'backend': 'passt'\","
            f" {'.'.join(map(str, _PASST_SINCE))} is needed"
        )
    how = install_command("passt", has=host.has)
    return None if host.has("passt") else f"passt is not installed: {how}"


def _model(draft: Draft, level: str) -> None:
    edit_card(draft, "model", type=level)


def _actual_model(seen: Evidence, _wanted: str) -> str:
    card = card_of(seen)
    return NO_CARD if card is None else _MODELS.get(card.model, card.model)


def _needs_model(host: Host, level: str | None) -> str | None:
    # QEMU calls these devices as libvirt does
    return no_device(host, level) if level in {"e1000e", "e1000", "rtl8139", "vmxnet3"} else None


FACTORS = (
    Factor(
        "net.backend",
        "what a guest's network card leads to",
        Words(("user", "passt", "ethernet", "bridge", "direct")),
        "ethernet, a tap made ready on the bench network; user in a rehearsal",
        "devices/interface/@type, source, backend/@type",
        "HMP info network; /proc/PID/fd; tun_flags and brport of the link in /sys/class/net",
        _actual_backend,
        edit=_backend,
        hazards=(Hazard.ISOLATION, Hazard.MIGRATION),
        needs=_needs_backend,
        effects=(
            Effect(
                "user 120 against ethernet 550 Mbit/s, a loss of 78 % [68, 87]",
                "iperf3 out of a guest of one vCPU under TCG, 6 blocks",
                "own measurement, two cores with other work on them",
            ),
            Effect(
                "direct 902 against bridge 833 Mbit/s, no difference seen: -8 % [-33, 12]",
                "the same, 3 blocks",
                "own measurement",
            ),
        ),
        note="user reaches whatever the host reaches; direct (macvtap) does not reach its own host; "
        "ethernet and bridge are both taps on a bridge, made by us and by libvirt",
    ),
    Factor(
        "net.model",
        "model of a guest's network card",
        Words(("virtio", "e1000e", "e1000", "rtl8139", "vmxnet3")),
        "virtio",
        "devices/interface/model/@type",
        "HMP info network, model",
        _actual_model,
        edit=_model,
        needs=_needs_model,
        effects=(Effect("loss of 0-1 % with virtio", "NetPerf", "JUNO 2017, table 1"),),
        note="the guest's kernel needs its driver: Debian's cloud kernel, which assay's image has, "
        "drives virtio and vmxnet3, its full one (linux-image-amd64) all of them",
    ),
)
