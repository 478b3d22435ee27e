"""Domains that are not ours: what somebody else would have on the same hypervisor."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from assay.platforms.guests.boot import wait_usable
from assay.platforms.guests.domain import draft_guest, to_xml
from assay.platforms.guests.domains import remove_domain
from assay.platforms.guests.files import lay_keys, lend_files, make_guest_folder
from assay.platforms.guests.guest_disk import lay_disk
from assay.platforms.guests.spec import GuestSpec
from assay.platforms.readers import qemu_group

EMPTY = """\
<domain type='qemu'><name>{name}</name>{metadata}<memory unit='MiB'>64</memory><vcpu>1</vcpu>
<os><type arch='x86_64'>hvm</type></os><devices><interface type='user'><mac address='52:54:00:00:00:77'/></interface>
</devices></domain>
"""  # noqa: E501
MARK = (
    "<metadata><assay:guest xmlns:assay='urn:assay:guest' activity='{activity}' home='{home}' "
    "pending='no'/></metadata>"
)


@contextmanager
def foreign_guest(connection: Any, spec: GuestSpec, name: str) -> Iterator[Any]:
    """Boot a guest like ours without our mark, under a name of its own; yield its domain."""
    group = qemu_group(connection)
    make_guest_folder(spec.folder, group)
    draft = draft_guest(spec)
    draft.domain.remove(_one(draft.domain, "metadata"))
    _one(draft.domain, "name").text = name
    lay_disk(draft, spec)
    lay_keys(spec)
    lend_files(spec, group)
    domain = connection.createXML(to_xml(draft), 0)
    try:
        wait_usable(spec, runs=lambda: bool(domain.isActive()), timeout_s=120)
        yield domain
    finally:
        remove_domain(domain)


@contextmanager
def paused_domain(
    connection: Any, name: str, *, mark: tuple[str, Path] | None = None, running: bool = True
) -> Iterator[Any]:
    """Make a domain without a disk, running halted or only defined, with a mark of ours or
    without; yield it.
    """
    import libvirt

    metadata = "" if mark is None else MARK.format(activity=mark[0], home=mark[1])
    text = EMPTY.format(name=name, metadata=metadata)
    domain = connection.defineXML(text)
    try:
        if running:
            domain.createWithFlags(libvirt.VIR_DOMAIN_START_PAUSED)
        yield domain
    finally:
        remove_domain(domain)


def _one(above: ElementTree.Element, name: str) -> ElementTree.Element:
    found = above.find(name)
    assert found is not None
    return found
