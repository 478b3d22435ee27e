"""A guest as libvirt domain XML.

Source: https://libvirt.org/formatdomain.html, https://libvirt.org/drvqemu.html (``qemu:commandline``).
"""

from __future__ import annotations

from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from assay.platforms.kernel import KERNEL_CMDLINE
from assay.platforms.mark import Mark, mark_element
from assay.platforms.spec import GuestSpec

QEMU_NAMESPACE = "http://libvirt.org/schemas/domain/qemu/1.0"
EMULATOR = "/usr/bin/qemu-system-x86_64"
MANAGEMENT_MAC, MEASURED_MAC = "52:54:00:a5:5a:01", "52:54:00:a5:5a:02"
_TYPES = {"kvm": "kvm", "tcg": "qemu"}
_CPUS = {"kvm": "host-passthrough", "tcg": "maximum"}
_SLOT = "0x10"
"""Above the slots that libvirt gives on the root bus of a guest as small as ours."""


def domain_xml(spec: GuestSpec) -> str:
    """Return the domain's XML, indented; the same spec gives the same text."""
    ElementTree.register_namespace("qemu", QEMU_NAMESPACE)
    domain = Element("domain", type=_TYPES[spec.accelerator.kind])
    SubElement(domain, "name").text = spec.name
    SubElement(domain, "uuid").text = str(spec.identity)
    SubElement(domain, "metadata").append(mark_element(Mark(spec.activity, spec.home)))
    _processors(domain, spec)
    _boot(domain, spec)
    for event in ("on_poweroff", "on_reboot", "on_crash"):
        SubElement(domain, event).text = "destroy"
    _devices(domain, spec)
    _management(domain, spec.port)
    ElementTree.indent(domain)
    return ElementTree.tostring(domain, encoding="unicode") + "\n"


def kernel_command_line(spec: GuestSpec) -> str:
    """Return the kernel's command line: the image's own, the guest's name and its measured address."""
    measured = f" assay.net={spec.address}" if spec.address else ""
    return f"{KERNEL_CMDLINE} assay.name={spec.name}{measured}"


def _processors(domain: Element, spec: GuestSpec) -> None:
    cpus = ",".join(map(str, spec.cpus))
    SubElement(domain, "memory", unit="b").text = str(spec.memory_bytes)
    SubElement(domain, "vcpu", placement="static", cpuset=cpus).text = str(spec.vcpus)
    tuning = SubElement(domain, "cputune")
    for number in range(spec.vcpus):
        SubElement(tuning, "vcpupin", vcpu=str(number), cpuset=cpus)
    # the emulator's pin holds for every other thread of QEMU; there are no iothreads to pin
    SubElement(tuning, "emulatorpin", cpuset=cpus)


def _boot(domain: Element, spec: GuestSpec) -> None:
    system = SubElement(domain, "os")
    SubElement(system, "type", arch="x86_64", machine="q35").text = "hvm"
    SubElement(system, "kernel").text = str(spec.image.kernel)
    SubElement(system, "initrd").text = str(spec.image.initrd)
    SubElement(system, "cmdline").text = kernel_command_line(spec)
    features = SubElement(domain, "features")
    SubElement(features, "acpi")
    SubElement(features, "apic")
    SubElement(domain, "cpu", mode=_CPUS[spec.accelerator.kind])
    SubElement(domain, "clock", offset="utc")


def _devices(domain: Element, spec: GuestSpec) -> None:
    devices = SubElement(domain, "devices")
    SubElement(devices, "emulator").text = EMULATOR
    _disk(devices, spec)
    SubElement(devices, "controller", type="usb", model="none")
    serial = SubElement(devices, "serial", type="file")
    SubElement(serial, "source", path=str(spec.console))
    SubElement(serial, "target", port="0")
    rng = SubElement(devices, "rng", model="virtio")
    SubElement(rng, "backend", model="random").text = "/dev/urandom"
    SubElement(devices, "memballoon", model="none")
    if spec.tap is not None:
        _measured(devices, spec.tap)


def _disk(devices: Element, spec: GuestSpec) -> None:
    disk = SubElement(devices, "disk", type="file", device="disk")
    SubElement(disk, "driver", name="qemu", type="qcow2", cache=spec.disk_cache, discard="ignore")
    SubElement(disk, "source", file=str(spec.overlay))
    backing = SubElement(disk, "backingStore", type="file")
    SubElement(backing, "format", type="raw")
    shared = SubElement(backing, "source", file=str(spec.image.disk))
    # libvirt would give the image that all guests share to QEMU's user, and leave it so
    SubElement(shared, "seclabel", model="dac", relabel="no")
    SubElement(backing, "backingStore")
    SubElement(disk, "target", dev="vda", bus="virtio")


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
