"""KVM where it truly works, else TCG: a flag of the processor and a device file prove nothing yet.

A virtual machine may show ``/dev/kvm`` without the processor's help behind it: a stock kernel then runs
instruction by instruction, slower than under TCG. So a real start decides.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from assay.model.files.marker import make_marked
from assay.platforms.claims import claim, release
from assay.platforms.daemon.device import KVM
from assay.platforms.errors import asking_libvirt
from assay.platforms.filesystems.host_filesystem import remove_folder
from assay.platforms.guests.boot import console_text
from assay.platforms.guests.domains import find_domain, remove_domain
from assay.platforms.guests.mark import Mark, mark_element
from assay.platforms.guests.spec import Accelerator
from assay.platforms.host.kvm_support import kvm_lack
from assay.platforms.hypervisor import EMULATOR, hypervisor_of, require_emulator
from assay.platforms.images.stored import Image, lend_image
from assay.platforms.readers import FOLDER, PASSED, give, make_way, qemu_group

if TYPE_CHECKING:
    from libvirt import virConnect


PROOF_S = 10.0
"""KVM prints the first line within half a second; kernels that are emulated under KVM need minutes."""
_PROOF_MIB = 256
PROVED = "the processor supports virtual machines, and a real start with KVM has proved it"


@asking_libvirt("choose an accelerator")
def choose_accelerator(
    connection: virConnect,
    image: Image,
    *,
    folder: Path,
    cpuinfo: str | None = None,
    device: Path = KVM,
) -> Accelerator:
    """Return what shall run guests' instructions here, and why.

    Args:
        connection: To libvirt.
        image: Its kernel is started for the proof.
        folder: ``home/guests``: the proof makes a folder of its own in it and removes it again.
        cpuinfo: Content of ``/proc/cpuinfo``; ``None`` reads it.
        device: KVM's device file.

    Raises:
        MissingError: There is no QEMU.
    """
    require_emulator()
    text = Path("/proc/cpuinfo").read_text() if cpuinfo is None else cpuinfo
    lack = kvm_lack(text, device, of_system=hypervisor_of(connection).of_system)
    if lack is not None:
        return Accelerator("tcg", f"guests are emulated, for {lack}")
    if image.kernel is None:
        return Accelerator(
            "kvm", "the processor supports virtual machines; its image has no kernel to prove it by"
        )
    lend_image(image, qemu_group(connection))
    failure = _prove(connection, image.kernel, folder)
    if failure is not None:
        return Accelerator("tcg", f"guests are emulated, for a real start with KVM failed: {failure}")
    return Accelerator("kvm", PROVED)


def proof_xml(name: str, *, kernel: Path | str, console: Path, mark: Mark) -> str:
    """Return the XML of a KVM domain that is only a kernel with a console: it prints, finds no disk, ends."""
    domain = Element("domain", type="kvm")
    SubElement(domain, "name").text = name
    SubElement(domain, "metadata").append(mark_element(mark))
    SubElement(domain, "memory", unit="MiB").text = str(_PROOF_MIB)
    SubElement(domain, "vcpu").text = "1"
    system = SubElement(domain, "os")
    SubElement(system, "type", arch="x86_64", machine="q35").text = "hvm"
    SubElement(system, "kernel").text = str(kernel)
    SubElement(system, "cmdline").text = "console=ttyS0 earlyprintk=ttyS0 panic=-1"
    SubElement(SubElement(domain, "features"), "acpi")
    SubElement(domain, "cpu", mode="host-passthrough")
    for event in ("on_poweroff", "on_reboot", "on_crash"):
        SubElement(domain, event).text = "destroy"
    devices = SubElement(domain, "devices")
    SubElement(devices, "emulator").text = EMULATOR
    SubElement(devices, "controller", type="usb", model="none")
    SubElement(SubElement(devices, "serial", type="file"), "source", path=str(console))
    SubElement(devices, "memballoon", model="none")
    return ElementTree.tostring(domain, encoding="unicode")


def _prove(connection: virConnect, kernel: Path, folder: Path) -> str | None:
    home, name = folder.parent, f"assay-proof-{os.getpid()}"
    own = folder / name
    claim(home, name)
    make_way(folder)
    make_marked(own)
    give(own, FOLDER, qemu_group(connection), shown=PASSED)
    try:
        text = proof_xml(name, kernel=kernel, console=own / "console.log", mark=Mark(name, home))
        return _start(connection, text, own / "console.log")
    finally:
        left = find_domain(connection, name)
        if left is not None:
            remove_domain(left)
        remove_folder(own)
        release(home, name)


def _start(connection: virConnect, text: str, console: Path) -> str | None:
    import libvirt

    deadline = time.monotonic() + PROOF_S
    try:
        connection.createXML(text, 0)
    except libvirt.libvirtError as error:
        return str(error).splitlines()[0]
    while not console_text(console).strip():
        if time.monotonic() > deadline:
            return f"its kernel printed nothing within {PROOF_S:.0f} s"
        time.sleep(0.05)
    return None
