"""A guest as libvirt domain XML.

Source: https://libvirt.org/formatdomain.html, https://libvirt.org/drvqemu.html (``qemu:commandline``).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from assay.factors.base.draft import QEMU_NAMESPACE, Draft
from assay.factors.catalogue import apply_to
from assay.platforms.bench_network.bench_links import number_of_tap
from assay.platforms.bench_network.measured import lead_to
from assay.platforms.errors import PlatformError
from assay.platforms.filesystems.share import add_share
from assay.platforms.guests.disk import overlays_below
from assay.platforms.guests.guest_filesystem import root_kind
from assay.platforms.guests.mark import Mark, mark_element
from assay.platforms.guests.spec import GuestSpec
from assay.platforms.hypervisor import EMULATOR
from assay.platforms.images.card_driver import card_words
from assay.platforms.images.kernel import KERNEL_CMDLINE
from assay.platforms.images.root_disk import root_words

MANAGEMENT_MAC, MEASURED_MAC = "52:54:00:a5:5a:01", "52:54:00:a5:5a:02"
Nodes = Mapping[int, tuple[int, ...]]
_TYPES = {"kvm": "kvm", "tcg": "qemu"}
_CPUS = {"kvm": "host-passthrough", "tcg": "maximum"}
_SLOT = "0x10"
"""Above the slots that libvirt gives on the root bus of a guest as small as ours."""


def draft_guest(
    spec: GuestSpec,
    *,
    nodes: Nodes | None = None,
    memory_nodes: tuple[int, ...] = (),
    emulator: str = EMULATOR,
) -> Draft:
    """Return what a guest will be made from, with the levels of all its factors in it.

    Args:
        spec: What it shall be.
        nodes: Processors of each node of the host, for pins by node.
        memory_nodes: Nodes of the host that have memory; empty where it is not known.
        emulator: Where QEMU is on the host.
    """
    domain = start_domain_tree(
        spec.name, str(spec.identity), spec.accelerator.kind, Mark(spec.activity, spec.home)
    )
    _processors(domain, spec.vcpus, spec.memory_bytes, spec.cpus)
    _boot(domain, spec)
    _devices(domain, spec, emulator)
    draft = Draft(domain, spec.accelerator.kind, spec.vcpus, spec.memory_bytes, spec.cpus)
    draft.nodes, draft.memory_nodes = nodes or {}, memory_nodes
    apply_to(draft, dict(spec.settings))
    if spec.share is not None:
        add_share(draft, spec.share)
    _management(draft, spec.port)
    _finish(draft, spec)
    return draft


def bare_draft(
    name: str, *, mark: Mark, accelerator: str, vcpus: int, cpus: tuple[int, ...], disk: Path
) -> Draft:
    """Return a guest of 256 MiB without an image: it can be started paused and looked at."""
    memory_bytes = 256 * 1024**2
    domain = start_domain_tree(name, None, accelerator, mark)
    _processors(domain, vcpus, memory_bytes, cpus)
    _firmware(domain, accelerator)
    devices = SubElement(domain, "devices")
    SubElement(devices, "emulator").text = EMULATOR
    _disk(devices, disk)
    SubElement(devices, "controller", type="usb", model="none")
    SubElement(devices, "memballoon", model="none")
    interface = SubElement(devices, "interface", type="user")
    SubElement(interface, "model", type="virtio")
    return Draft(domain, accelerator, vcpus, memory_bytes, cpus, disk_depth=0)


def to_xml(draft: Draft) -> str:
    """Return a draft's XML, indented; the same draft gives the same text."""
    ElementTree.register_namespace("qemu", QEMU_NAMESPACE)
    ElementTree.indent(draft.domain)
    return ElementTree.tostring(draft.domain, encoding="unicode") + "\n"


def domain_xml(spec: GuestSpec) -> str:
    """Return the domain's XML, indented; the same spec gives the same text."""
    return to_xml(draft_guest(spec))


def start_domain_tree(name: str, identity: str | None, accelerator: str, mark: Mark) -> Element:
    """Return a domain with its name and mark, destroyed by whatever event ends it."""
    domain = Element("domain", type=_TYPES[accelerator])
    SubElement(domain, "name").text = name
    if identity is not None:
        SubElement(domain, "uuid").text = identity
    SubElement(domain, "metadata").append(mark_element(mark))
    for event in ("on_poweroff", "on_reboot", "on_crash"):
        SubElement(domain, event).text = "destroy"
    return domain


def kernel_command_line(spec: GuestSpec) -> str:
    """Return the kernel's command line: the image's own, the guest's name and its measured address."""
    measured = f" assay.net={spec.address}" if spec.address else ""
    return f"{KERNEL_CMDLINE} assay.name={spec.name}{measured}"


def _processors(domain: Element, vcpus: int, memory_bytes: int, confined: tuple[int, ...]) -> None:
    cpus = ",".join(map(str, confined))
    SubElement(domain, "memory", unit="b").text = str(memory_bytes)
    SubElement(domain, "vcpu", placement="static", cpuset=cpus).text = str(vcpus)
    tuning = SubElement(domain, "cputune")
    for number in range(vcpus):
        SubElement(tuning, "vcpupin", vcpu=str(number), cpuset=cpus)
    # the emulator's pin holds for every other thread of QEMU; there are no iothreads to pin
    SubElement(tuning, "emulatorpin", cpuset=cpus)


def _boot(domain: Element, spec: GuestSpec) -> None:
    system = _firmware(domain, spec.accelerator.kind)
    if spec.image.kernel is None:
        SubElement(system, "boot", dev="hd")
        return
    SubElement(system, "kernel").text = str(spec.image.kernel)
    SubElement(system, "initrd").text = str(spec.initrd)
    SubElement(system, "cmdline").text = kernel_command_line(spec)


def _firmware(domain: Element, accelerator: str) -> Element:
    system = SubElement(domain, "os")
    SubElement(system, "type", arch="x86_64", machine="q35").text = "hvm"
    features = SubElement(domain, "features")
    SubElement(features, "acpi")
    SubElement(features, "apic")
    SubElement(domain, "cpu", mode=_CPUS[accelerator])
    SubElement(domain, "clock", offset="utc")
    return system


def _finish(draft: Draft, spec: GuestSpec) -> None:
    """Put in what follows from the factors: the disk's backing, the card's link, the guest kernel's words."""
    draft.at("devices/disk/driver", type=draft.disk_format)
    if draft.disk_depth:
        below = _below(overlays_below(spec.disk, draft.disk_depth), spec.base)
        draft.at("devices/disk").insert(2, below)
    if spec.tap is not None:
        lead_to(draft.domain, spec.tap)
    if spec.image.kernel is None:
        _refuse_words(draft, spec)
        return
    bus = draft.at("devices/disk/target").get("bus", "virtio")
    full, card = spec.image.full_kernel, draft.domain.find("devices/interface/model")
    words = [*root_words(bus, full=full), *root_kind(spec.guest_filesystem), *draft.kernel_words]
    if card is not None and spec.image.name is None:
        words += card_words(card.get("type", "virtio"), full=full)
    draft.at("os/cmdline").text = " ".join([kernel_command_line(spec), *words])


def _refuse_words(draft: Draft, spec: GuestSpec) -> None:
    words = [*root_kind(spec.guest_filesystem), *draft.kernel_words]
    if words:
        msg = f"cannot give guest {spec.name} {' '.join(words)}: its own boot loader starts its kernel"
        raise PlatformError(msg, hint="assay platform image add DISK --name NAME --kernel FILE --initrd FILE")


def _below(overlays: tuple[Path, ...], image: Path) -> Element:
    """Return what a disk lies over; unsaid, libvirt looks itself, and gives the image to QEMU's user."""
    below = _backing("raw", image, Element("backingStore"))
    # libvirt would give the image that all guests share to QEMU's user, and leave it so
    SubElement(below[1], "seclabel", model="dac", relabel="no")
    for path in overlays:
        below = _backing("qcow2", path, below)
    return below


def _backing(form: str, path: Path, below: Element) -> Element:
    element = Element("backingStore", type="file")
    SubElement(element, "format", type=form)
    SubElement(element, "source", file=str(path))
    element.append(below)
    return element


def _devices(domain: Element, spec: GuestSpec, emulator: str) -> None:
    devices = SubElement(domain, "devices")
    SubElement(devices, "emulator").text = emulator
    _disk(devices, spec.disk, spec.disk_cache)
    if spec.image.cloud_init:
        _seed_disk(devices, spec.seed)
    SubElement(devices, "controller", type="usb", model="none")
    serial = SubElement(devices, "serial", type="file")
    SubElement(serial, "source", path=str(spec.console))
    SubElement(serial, "target", port="0")
    rng = SubElement(devices, "rng", model="virtio")
    SubElement(rng, "backend", model="random").text = "/dev/urandom"
    SubElement(devices, "memballoon", model="none")
    if spec.tap is not None:
        _measured(devices, spec.tap)


def _disk(devices: Element, path: Path, cache: str = "none") -> None:
    disk = SubElement(devices, "disk", type="file", device="disk")
    SubElement(disk, "driver", name="qemu", type="qcow2", cache=cache, discard="ignore")
    SubElement(disk, "source", file=str(path))
    SubElement(disk, "target", dev="vda", bus="virtio")


def _seed_disk(devices: Element, path: Path) -> None:
    # after the guest's own, which all that looks for "the disk" takes
    disk = SubElement(devices, "disk", type="file", device="disk")
    SubElement(disk, "driver", name="qemu", type="raw")
    SubElement(disk, "source", file=str(path))
    SubElement(disk, "target", dev="vdb", bus="virtio")
    SubElement(disk, "readonly")


def measured_mac(tap: str | None) -> str:
    """Return the address of a guest's measured card: guests of one network have one each."""
    number = int(MEASURED_MAC.replace(":", ""), 16) + (number_of_tap(tap) if tap else 0)
    return number.to_bytes(6, "big").hex(":")


def _measured(devices: Element, tap: str) -> None:
    interface = SubElement(devices, "interface", type="ethernet")
    SubElement(interface, "mac", address=measured_mac(tap))
    SubElement(interface, "target", dev=tap, managed="no")
    SubElement(interface, "model", type="virtio")


def _management(draft: Draft, port: int) -> None:
    # libvirt's own user network cannot forward a port; restrict=on leaves the guest no way out but the
    # answers
    bus = "pcie.0" if draft.at("os/type").get("machine") == "q35" else "pci.0"
    draft.qemu_argument(
        "-netdev",
        f"user,id=management,ipv6=off,restrict=on,hostfwd=tcp:127.0.0.1:{port}-:22",
        "-device",
        f"virtio-net-pci,netdev=management,mac={MANAGEMENT_MAC},romfile=,bus={bus},addr={_SLOT}",
    )
