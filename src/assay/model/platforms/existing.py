"""A guest that is there already: somebody else made it, and it is used as it is."""

from __future__ import annotations

from dataclasses import dataclass

HERE = "qemu:///system"
"""The hypervisor where none is named: libvirt's system daemon on this machine."""


@dataclass(frozen=True)
class DomainSpec:
    """The libvirt domain that a machine of the inventory is.

    Attributes:
        name: Name of the domain.
        hypervisor: libvirt's address of what carries it, ``qemu:///system``, ``qemu+ssh://root@node/system``.
    """

    name: str
    hypervisor: str = HERE

    @property
    def local(self) -> bool:
        """The hypervisor is this machine."""
        return self.hypervisor.startswith("qemu:///")
