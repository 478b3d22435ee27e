"""What a guest will be made from, while factors still change it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element, SubElement

QEMU_NAMESPACE = "http://libvirt.org/schemas/domain/qemu/1.0"


@dataclass
class Draft:
    """A guest before it is defined. Factors change it in place, in the order of the catalogue.

    Attributes:
        domain: The domain's XML; whole, as it would be defined if no factor said anything.
        accelerator: ``kvm`` or ``tcg``.
        vcpus: Number of virtual processors.
        memory_bytes: Memory of the guest.
        cpus: Processors of the host that it is confined to; not empty.
        disk_format: Format of its own disk, ``qcow2`` or ``raw``.
        disk_options: What ``qemu-img -o`` is given where it is made.
        disk_depth: Number of files below it; 0 makes it a copy of the image's, else it is an overlay.
        disk_bytes: Size of the disk; ``None`` is that of the image's.
        kernel_words: Words added to the guest kernel's command line.
        nodes: Processors of each node of the host, also of one without memory; empty where it is not known.
        memory_nodes: Nodes of the host that have memory; empty where it is not known.
    """

    domain: Element
    accelerator: str
    vcpus: int
    memory_bytes: int
    cpus: tuple[int, ...]
    disk_format: str = "qcow2"
    disk_options: dict[str, str] = field(default_factory=dict)
    disk_depth: int = 1
    disk_bytes: int | None = None
    kernel_words: list[str] = field(default_factory=list)
    nodes: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    memory_nodes: tuple[int, ...] = ()

    def at(self, path: str, **attributes: str) -> Element:
        """Return the element at a path below the domain, made where it is not there, with attributes set.

        Args:
            path: Names with ``/`` between, ``memoryBacking/locked``.
            attributes: Set on the last one; an underscore at the end of a name is dropped (``type_``).
        """
        element = self.domain
        for name in path.split("/"):
            child = element.find(name)
            element = SubElement(element, name) if child is None else child
        for name, value in attributes.items():
            element.set(name.removesuffix("_"), value)
        return element

    def add(self, path: str, **attributes: str) -> Element:
        """Return a new last element at a path; elements above it are made where they are not there."""
        above, _, name = path.rpartition("/")
        element = SubElement(self.at(above) if above else self.domain, name)
        for key, value in attributes.items():
            element.set(key.removesuffix("_"), value)
        return element

    def drop(self, path: str) -> None:
        """Remove all elements at a path; none there is no error."""
        above, _, name = path.rpartition("/")
        parent = self.domain.find(above) if above else self.domain
        for element in [] if parent is None else parent.findall(name):
            parent.remove(element)  # type: ignore[union-attr]

    def qemu_argument(self, *words: str) -> None:
        """Add words to QEMU's command line, where libvirt has no element for them."""
        tag = f"{{{QEMU_NAMESPACE}}}"
        line = self.domain.find(f"{tag}commandline")
        line = SubElement(self.domain, f"{tag}commandline") if line is None else line
        for word in words:
            SubElement(line, f"{tag}arg", value=word)
