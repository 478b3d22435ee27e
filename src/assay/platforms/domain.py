"""A guest as libvirt domain XML.

Source: https://libvirt.org/formatdomain.html, https://libvirt.org/drvqemu.html (``qemu:commandline``).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from assay.factors.catalogue import apply_to
from assay.factors.draft import QEMU_NAMESPACE, Draft
from assay.platforms.kernel import KERNEL_CMDLINE
from assay.platforms.mark import Mark, mark_element
from assay.platforms.spec import GuestSpec

EMULATOR = "/usr/bin/qemu-system-x86_64"
MANAGEMENT_MAC, MEASURED_MAC = "52:54:00:a5:5a:01", "52:54:00:a5:5a:02"
Nodes = Mapping[int, tuple[int, ...]]
_TYPES = {"kvm": "kvm", "tcg": "qemu"}
_CPUS = {"kvm": "host-passthrough", "tcg": "maximum"}
_SLOT = "0x10"
"""Above the slots that libvirt gives on the root bus of a guest as small as ours."""


def draft_guest(spec: GuestSpec, *, nodes: Nodes | None = None) -> Draft:
    """Return what a guest will be made from, with the levels of all its factors in it.

    Args:
        spec: What it shall be.
        nodes: Processors of each memory node of the host, for pins by node.
    """
    domain = start_domain_tree(
        spec.name, str(spec.identity), spec.accelerator.kind, Mark(spec.activity, spec.home)
    )
    _processors(domain, spec.vcpus, spec.memory_bytes, spec.cpus)
    _boot(domain, spec)
    _devices(domain, spec)
    _management(domain, spec.port)
    draft = Draft(domain, spec.accelerator.kind, spec.vcpus, spec.memory_bytes, spec.cpus, nodes=nodes or {})
    apply_to(draft, dict(spec.settings))
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
    return Draft(domain, accelerator, vcpus, memory_bytes, cpus)


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
    SubElement(system, "kernel").text = str(spec.image.kernel)
    SubElement(system, "initrd").text = str(spec.image.initrd)
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
    """Put in what follows from the factors: what the disk lies over, the words for the guest's kernel."""
    if draft.own_disk:
        draft.at("devices/disk/driver", type=draft.disk_format)
        draft.drop("devices/disk/backingStore")
    if draft.kernel_words:
        draft.at("os/cmdline").text = " ".join([kernel_command_line(spec), *draft.kernel_words])


def _devices(domain: Element, spec: GuestSpec) -> None:
    devices = SubElement(domain, "devices")
    SubElement(devices, "emulator").text = EMULATOR
    _image_disk(devices, spec)
    SubElement(devices, "controller", type="usb", model="none")
    serial = SubElement(devices, "serial", type="file")
    SubElement(serial, "source", path=str(spec.console))
    SubElement(serial, "target", port="0")
    rng = SubElement(devices, "rng", model="virtio")
    SubElement(rng, "backend", model="random").text = "/dev/urandom"
    SubElement(devices, "memballoon", model="none")
    if spec.tap is not None:
        _measured(devices, spec.tap)


def _disk(devices: Element, path: Path) -> Element:
    disk = SubElement(devices, "disk", type="file", device="disk")
    SubElement(disk, "driver", name="qemu", type="qcow2", cache="none", discard="ignore")
    SubElement(disk, "source", file=str(path))
    SubElement(disk, "target", dev="vda", bus="virtio")
    return disk


def _image_disk(devices: Element, spec: GuestSpec) -> None:
    disk = _disk(devices, spec.disk)
    disk[0].set("cache", spec.disk_cache)
    backing = Element("backingStore", type="file")
    disk.insert(2, backing)
    SubElement(backing, "format", type="raw")
    shared = SubElement(backing, "source", file=str(spec.image.disk))
    # libvirt would give the image that all guests share to QEMU's user, and leave it so
    SubElement(shared, "seclabel", model="dac", relabel="no")
    SubElement(backing, "backingStore")


def _measured(devices: Element, tap: str) -> None:
    interface = SubElement(devices, "interface", type="ethernet")
    SubElement(interface, "mac", address=MEASURED_MAC)
    SubElement(interface, "target", dev=tap, managed="no")
    SubElement(interface, "model", type="virtio")


def _management(domain: Element, port: int) -> None:
    # libvirt's own user network cannot forward a port; restrict=on leaves the guest no way out but the answers
    words = (
        "-netdev",
        f"user,id=management,ipv6=off,restrict=on,hostfwd=tcp:127.0.0.1:{port}-:22",
        "-device",
        f"virtio-net-pci,netdev=management,mac={MANAGEMENT_MAC},romfile=,bus=pcie.0,addr={_SLOT}",
    )
    line = SubElement(domain, f"{{{QEMU_NAMESPACE}}}commandline")
    for word in words:
        SubElement(line, f"{{{QEMU_NAMESPACE}}}arg", value=word)
