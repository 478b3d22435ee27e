"""Levels in the words of other tools; what a tool has no words for is said, never left out in silence.

Source: libvirt ``formatdomain``, ``man virt-xml`` (4.1: ``--xml`` takes XPath), ``tuned.conf(5)``, Nova's
    extra specs,
image properties and ``[libvirt]`` options, Proxmox ``qm.conf(5)``, KubeVirt's API, Ansible's modules,
    HTCondor's manual, ``slurm.conf(5)``, ``systemd.service(5)``.
Limits: tried are libvirt and virt-xml alone. Nova and KubeVirt choose the host's processors themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from assay.factors.base.evidence import Host
from assay.factors.base.factor import Settings
from assay.factors.export import ansible as export_ansible
from assay.factors.export import htcondor as export_htcondor
from assay.factors.export import kernel as export_kernel
from assay.factors.export import kubevirt as export_kubevirt
from assay.factors.export import nova as export_nova
from assay.factors.export import preload as export_preload
from assay.factors.export import proxmox as export_proxmox
from assay.factors.export import slurm as export_slurm
from assay.factors.export import tuned as export_tuned
from assay.factors.export import xml as export_xml
from assay.factors.export.words import ALONE, Export, Exported
from assay.factors.start.starts import ELSEWHERE

EXPORTS: Mapping[str, Export] = MappingProxyType(
    {
        "libvirt": export_xml.to_libvirt,
        "virt-xml": export_xml.to_virt_xml,
        "tuned": export_tuned.to_tuned,
        "nova": export_nova.to_nova,
        "proxmox": export_proxmox.to_proxmox,
        "kubevirt": export_kubevirt.to_kubevirt,
        "kernel": export_kernel.to_kernel,
        "ansible": export_ansible.to_ansible,
        "htcondor": export_htcondor.to_htcondor,
        "slurm": export_slurm.to_slurm,
        "preload": export_preload.to_preload,
    }
)

OF_A_GUEST = MappingProxyType(
    {
        "nova": export_nova.to_nova,
        "proxmox": export_proxmox.to_proxmox,
        "kubevirt": export_kubevirt.to_kubevirt,
    }
)
"""Formats in which the word for a level depends on other levels of the guest."""

FORMATS = tuple(EXPORTS)
OF_STARTS = frozenset({"htcondor", "slurm", "preload"})
"""Formats that say when jobs start; the others name them."""
TRIED = frozenset({"libvirt", "virt-xml", "kernel"})
"""Formats whose words were given to what they are for; the others are right by its documents alone."""


def export(settings: Settings, form: str, on: Host, guest: Settings = ALONE) -> Exported:
    """Return levels in the words of a tool.

    Args:
        settings: Levels by factor, as the catalogue spells them.
        form: One of ``FORMATS``.
        on: The host whose processors, memory nodes and files are meant.
        guest: Other levels that the guest has and keeps: on which bus its disk is, how many vCPUs it has.
    """
    of_guest = OF_A_GUEST.get(form)
    done = EXPORTS[form](settings, on) if of_guest is None else of_guest(settings, on, guest)
    elsewhere = {
        name: ELSEWHERE[name] for name in done.left_out if name in ELSEWHERE and form not in OF_STARTS
    }
    return replace(done, left_out={**done.left_out, **elsewhere})
