"""Levels in the words of other tools; what a tool has no words for is said, never left out in silence.

Source: libvirt ``formatdomain``, ``man virt-xml`` (4.1: ``--xml`` takes XPath), ``tuned.conf(5)``, Nova's extra specs,
image properties and ``[libvirt]`` options, Proxmox ``qm.conf(5)``, KubeVirt's API.
Limits: tried are libvirt and virt-xml alone. Nova and KubeVirt choose the host's processors themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from assay.factors import export_kubevirt, export_nova, export_proxmox, export_tuned, export_xml
from assay.factors.evidence import Host
from assay.factors.export_words import Export, Exported
from assay.factors.factor import Settings

EXPORTS: Mapping[str, Export] = MappingProxyType(
    {
        "libvirt": export_xml.to_libvirt,
        "virt-xml": export_xml.to_virt_xml,
        "tuned": export_tuned.to_tuned,
        "nova": export_nova.to_nova,
        "proxmox": export_proxmox.to_proxmox,
        "kubevirt": export_kubevirt.to_kubevirt,
    }
)

FORMATS = tuple(EXPORTS)


def export(settings: Settings, form: str, on: Host) -> Exported:
    """Return levels in the words of a tool.

    Args:
        settings: Levels by factor, as the catalogue spells them.
        form: One of ``FORMATS``.
        on: The host whose processors, memory nodes and files are meant.
    """
    return EXPORTS[form](settings, on)
