"""Hosts and guests of tests: a mapping stands for what would be read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from assay.factors.base.draft import Draft
from assay.factors.base.evidence import Thread


@dataclass(frozen=True)
class FakeHost:
    """A host whose files are a mapping."""

    files: Mapping[str, str] = field(default_factory=dict)
    accelerator: str = "tcg"
    root: bool = True
    cpus: tuple[int, ...] = (0, 1)
    nodes: tuple[int, ...] = (0,)
    memory_bytes: int = 8 << 30
    libvirt: tuple[int, int, int] = (9, 0, 0)
    qemu: tuple[int, int, int] = (7, 2, 22)
    programs: tuple[str, ...] = ()
    disk: str | None = None
    scheduling_disk: str | None = None
    of_system: bool = True
    devices: frozenset[str] = frozenset()

    def read(self, path: str) -> str | None:
        return self.files.get(path)

    def writable(self, path: str) -> bool:
        return self.root and path in self.files

    def has(self, program: str) -> bool:
        return program in self.programs


@dataclass(frozen=True)
class FakeEvidence:
    """A guest that answers from mappings: QMP by command, the human monitor by line, files by name."""

    answers: Mapping[str, Any] = field(default_factory=dict)
    host: FakeHost = field(default_factory=FakeHost)
    live: Element = field(default_factory=lambda: Element("domain"))
    command: tuple[str, ...] = ()
    threads: tuple[Thread, ...] = ()
    status: Mapping[str, str] = field(default_factory=dict)
    ram: Mapping[str, str] = field(default_factory=dict)
    open_files: tuple[str, ...] = ()
    disk: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    groups: Mapping[tuple[str, str], str] = field(default_factory=dict)

    def ask(self, command: str, **arguments: Any) -> Any:
        """Return the answer to ``command``, or where arguments are given to ``(command, *values)``."""
        return self.answers[(command, *arguments.values()) if arguments else command]

    def monitor(self, line: str) -> str:
        return str(self.answers[line])

    def group_file(self, name: str, group: str = "") -> str | None:
        return self.groups.get((group, name))

    def process_file(self, name: str) -> str | None:
        return self.files.get(name)


def draft(xml: str = "<domain/>", **changes: Any) -> Draft:
    """Return a draft of a domain in XML."""
    facts = {"accelerator": "tcg", "vcpus": 2, "memory_bytes": 1 << 30, "cpus": (0, 1)} | changes
    return Draft(ElementTree.fromstring(xml), **facts)
