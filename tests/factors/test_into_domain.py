"""Levels put into a definition that somebody else made: what is changed, and what stays as it was."""

from __future__ import annotations

from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest

from assay.factors.base.plain_host import PlainHost
from assay.factors.catalogue import FACTORS
from assay.factors.export.domain import into_domain
from tests.platforms.test_existing import BARE, DESKTOP

HOST = PlainHost()


def put(text: str, **settings: str) -> tuple[Element, dict[str, str]]:
    named = {name.replace("_", ".", 1): level for name, level in settings.items()}
    new, left = into_domain(text, named, HOST)
    return ElementTree.fromstring(new), left


def canonical(text: str) -> str:
    return ElementTree.canonicalize(text, strip_text=True)


def test_the_first_disk_that_is_no_drive_is_changed_and_the_order_stays() -> None:
    domain, left = put(DESKTOP, disk_cache="writeback", disk_io="threads")
    drive, disk = domain.findall("devices/disk")
    assert left == {}
    assert drive.get("device") == "cdrom"
    assert drive.find("driver").attrib == {"name": "qemu", "type": "raw"}
    assert disk.find("driver").attrib == {
        "name": "qemu",
        "type": "qcow2",
        "cache": "writeback",
        "io": "threads",
    }
    assert [child.tag for child in domain.find("devices")] == ["disk", "disk", "interface", "interface"]


def test_a_disk_of_another_bus_gets_its_place_from_libvirt() -> None:
    text = BARE.replace("<source", "<target dev='hda' bus='ide'/><address type='drive' unit='0'/><source")
    domain, left = put(text, disk_bus="virtio")
    disk = domain.find("devices/disk")
    assert left == {}
    assert disk.find("target").attrib == {"dev": "vda", "bus": "virtio"}
    assert disk.find("address") is None


def test_what_is_of_the_disks_making_of_the_kernel_or_of_the_host_is_left_with_the_reason() -> None:
    before = canonical(DESKTOP)
    settings = {
        "disk.format": "raw",
        "guest.mitigations": "off",
        "host.thp": "always",
        "net.backend": "bridge",
    }
    new, left = into_domain(DESKTOP, settings, HOST)
    assert canonical(new) == before
    assert (
        left["disk.format"] == "it is of the disk's making: qemu-img convert -O raw, with the guest stopped"
    )
    assert left["guest.mitigations"] == "it is of the guest's kernel, on its command line: mitigations=off"
    assert left["host.thp"] == "it is the host's, not the guest's"
    assert "network of assay's" in left["net.backend"]


def test_a_level_that_is_to_be_taken_away_is_left() -> None:
    new, left = into_domain(DESKTOP, {"cpu.model": ""}, HOST)
    assert canonical(new) == canonical(DESKTOP)
    assert "by hand" in left["cpu.model"]


@pytest.mark.parametrize("name", FACTORS)
def test_a_level_that_is_put_in_twice_is_there_once(name: str) -> None:
    for level in FACTORS[name].levels.choices:
        once, left = into_domain(DESKTOP, {name: level}, HOST)
        twice, again = into_domain(once, {name: level}, HOST)
        assert left == again
        assert canonical(twice) == canonical(once), level


def test_what_is_no_xml_is_refused() -> None:
    with pytest.raises(ValueError, match="syntax"):
        into_domain("no XML", {"disk.cache": "none"}, HOST)
