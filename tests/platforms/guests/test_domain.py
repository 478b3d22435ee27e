import os
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from assay.platforms.errors import PlatformError
from assay.platforms.filesystems.share import SharedFolder
from assay.platforms.guests.domain import MANAGEMENT_MAC, domain_xml
from assay.platforms.guests.guest import Accelerator, GuestSpec
from assay.platforms.images.image import Image

GOLDEN = Path(__file__).parents[1] / "golden"
FOLDER = Path("/var/lib/assay/images/0123456789abcdef")
IMAGE = Image(
    digest="0123456789abcdef",
    folder=FOLDER,
    disk=FOLDER / "disk.raw",
    kernel=FOLDER / "vmlinux",
    initrd=FOLDER / "initrd",
    packages=("fio",),
    kernel_release="6.1.0",
    size_bytes=1,
    built_s=1.0,
)
SMALL = replace(IMAGE, kernel_release="6.1.0-9-cloud-amd64")
TCG = GuestSpec(
    name="assay-20261121-abc-b0",
    activity="20261121-abc",
    vcpus=1,
    memory_bytes=2 * 1024**3,
    cpus=(1,),
    disk_cache="none",
    image=IMAGE,
    accelerator=Accelerator("tcg", "guests are emulated"),
    tap="asy0123eft",
    address="198.18.0.3/24",
    port=40022,
    folder=Path("/var/lib/assay/guests/assay-20261121-abc-b0"),
)
KVM = replace(
    TCG,
    vcpus=4,
    cpus=(1, 2, 3, 4),
    disk_cache="writeback",
    accelerator=Accelerator("kvm", "proved"),
    tap=None,
    address=None,
)
CLOUD = replace(TCG, image=replace(IMAGE, kernel=None, initrd=None, name="el9", cloud_init=True))


SCSI = replace(KVM, settings=(("disk.bus", "scsi"), ("disk.backing", "3"), ("disk.iothread", "on")))
DATA = Path("/var/lib/assay/work/data/0123abcd")
NINE_P = replace(TCG, share=SharedFolder("9p", DATA))
VIRTIOFS = replace(
    TCG,
    settings=(("memory.source", "memfd"), ("memory.access", "shared")),
    share=SharedFolder("virtiofs", DATA, cache="always"),
)
IDE = replace(TCG, settings=(("disk.bus", "ide"), ("disk.format", "raw")))
PROCESSORS = {
    "cpu.topology": "sockets=1,cores=2,threads=2",
    "cpu.mode": "host-passthrough",
    "cpu.feature": "invtsc=require,pcid=require",
    "cpu.cache": "passthrough",
    "cpu.pmu": "on",
    "cpu.vcpupin": "1:1",
    "cpu.emulatorpin": "0",
    "cpu.vcpusched": "fifo",
    "cpu.shares": "2048",
    "cpu.quota": "80 %",
    "clock.hpet": "no",
    "clock.rtc": "catchup",
    "clock.pit": "delay",
    "clock.kvmclock": "no",
    "clock.tsc": "2500000000",
    "kvm.hint-dedicated": "on",
    "kvm.poll-control": "on",
    "cpu.pvspinlock": "off",
    "apic.eoi": "on",
    "guest.mitigations": "off",
    "guest.clocksource": "tsc",
}


@pytest.mark.parametrize(
    ("name", "spec"),
    [
        ("tcg-measured-network", TCG),
        ("kvm-without-network", KVM),
        ("kvm-scsi-over-three", SCSI),
        ("tcg-ide-copy", IDE),
        ("tcg-cloud-image", CLOUD),
        ("tcg-9p", NINE_P),
        ("tcg-virtiofs", VIRTIOFS),
        ("kvm-tuned-processors", replace(KVM, settings=tuple(PROCESSORS.items()))),
    ],
)
def test_the_domain_of_a_spec_is_the_golden_one(name: str, spec: GuestSpec) -> None:
    golden = GOLDEN / f"{name}.xml"
    if os.environ.get("REGENERATE") == "1":
        golden.write_text(domain_xml(spec))
    assert domain_xml(spec) == golden.read_text()


def test_every_virtual_processor_and_the_emulator_are_pinned_to_the_given_processors() -> None:
    domain = ElementTree.fromstring(domain_xml(KVM))
    pins = [pin.get("cpuset") for pin in domain.findall("cputune/*")]
    assert pins == ["1,2,3,4"] * 5
    assert domain.find("vcpu").get("cpuset") == "1,2,3,4"


def test_the_management_interface_listens_on_loopback_only_and_leads_nowhere_else() -> None:
    text = domain_xml(TCG)
    assert "hostfwd=tcp:127.0.0.1:40022-:22" in text
    assert "restrict=on" in text
    assert MANAGEMENT_MAC in text


def test_a_guest_without_measured_network_gets_no_interface_and_no_address() -> None:
    text = domain_xml(KVM)
    assert "<interface" not in text
    assert "assay.net=" not in text


@pytest.mark.parametrize("bus", ["sata", "usb"])
def test_a_disk_that_the_guests_kernel_has_no_driver_for_is_refused(bus: str) -> None:
    with pytest.raises(PlatformError, match=f"a guest disk.bus={bus}: Debian's cloud kernel"):
        domain_xml(replace(TCG, image=SMALL, settings=(("disk.bus", bus),)))
    full = domain_xml(replace(TCG, settings=(("disk.bus", bus),)))
    assert " root=/dev/sda assay.module=" in full


def test_the_guests_own_first_process_is_told_of_the_driver_of_its_card() -> None:
    levels = (("net.model", "e1000e"),)
    assert "assay.card" not in domain_xml(replace(KVM, settings=levels)), "no card, no driver"
    wired = replace(TCG, settings=levels)
    assert "assay.card=e1000e" in domain_xml(wired)
    with pytest.raises(PlatformError, match=r"a guest net\.model=e1000e: Debian's cloud kernel"):
        domain_xml(replace(wired, image=SMALL))
    assert "assay.card=vmxnet3" in domain_xml(
        replace(wired, image=SMALL, settings=(("net.model", "vmxnet3"),))
    )
    assert "assay.card" not in domain_xml(replace(wired, image=replace(IMAGE, name="golden")))


def test_all_files_that_hold_a_disks_content_are_known() -> None:
    names = [path.name for path in SCSI.image_files]
    assert names == ["disk.raw", "disk.1.img", "disk.2.img", "disk.img"]
