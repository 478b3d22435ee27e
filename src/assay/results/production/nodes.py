"""Which nodes of a farm are virtual, and of which class: as a file says, else as the inventory does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from assay.exchange.errors import TableError
from assay.exchange.jobs.nodes import NodeLine
from assay.machines.who import expanded, words_of
from assay.model.errors import AssayError
from assay.model.machines.inventory import Entry
from assay.model.machines.machine import Facts
from assay.store.fingerprints import kept_of, read_kept_fingerprint


class FarmNode(NamedTuple):
    """What is known of a node.

    Attributes:
        virtual: It is a guest.
        of_class: Its class.
        cores: Its cores; ``None`` is "not known".
        on: The machine whose disk it reads from: of a guest what carries it, of a physical node itself;
            ``None`` is "not known".
    """

    virtual: bool
    of_class: str
    cores: int | None = None
    on: str | None = None


class FarmNodes:
    """The nodes of a farm by name.

    Args:
        said: What a file says of them; before the inventory.
        inventory: Returns what the inventory says; asked for once, if a node is not in the file.

    Raises:
        TableError: A line of the file has a range that cannot be read, or a node of another line.
    """

    def __init__(self, said: Iterable[NodeLine], inventory: Callable[[], Mapping[str, FarmNode]]) -> None:
        self._said: dict[str, FarmNode] = {}
        for line in said:
            for name in _names(line):
                if name in self._said:
                    raise TableError(place=line.place, expected="each node once", actual=f"'{name}' again")
                on = line.on.lower() if line.on else None if line.virtual else name
                self._said[name] = FarmNode(line.virtual, line.of_class, line.cores, on)
        self._ask = inventory

    @cached_property
    def _inventory(self) -> Mapping[str, FarmNode]:
        return self._ask()

    def of(self, name: str) -> FarmNode | None:
        """Return what is known of a node, by its whole name or the name before its domain."""
        whole = name.lower()
        short = whole.partition(".")[0]
        known = self._said.get(whole) or self._said.get(short)
        return known or self._inventory.get(whole) or self._inventory.get(short)


def _names(line: NodeLine) -> list[str]:
    try:
        return [name.lower() for word in words_of(line.nodes) for name in expanded(word)]
    except AssayError as error:
        got = f"'{line.nodes:.60}'"
        raise TableError(place=line.place, expected="nodes like wn[01-50]", actual=got) from error


def inventory_nodes(entries: Iterable[Entry], home: Path) -> Mapping[str, FarmNode]:
    """Return the machines of the inventory whose facts were looked at, by name, address and host name.

    A machine is virtual where it is noted as a guest, or its processor says so. The class is the processor's
    model, of a guest that of the machine that carries it.
    """
    known = [*entries]
    facts = {entry.name: found for entry in known if (found := _facts(entry.name, home)) is not None}
    return {name: node for entry in known for name, node in _nodes(entry, facts)}


def _nodes(entry: Entry, facts: Mapping[str, Facts]) -> Iterator[tuple[str, FarmNode]]:
    own = facts.get(entry.name)
    if own is None:
        return
    virtual = entry.guest_of is not None or bool(own.hypervisor)
    below = facts.get(entry.guest_of or "", own)
    on = entry.guest_of or (None if virtual else entry.name)
    node = FarmNode(virtual, below.cpu_model or below.architecture, len(own.cpus), on)
    for name in (entry.name, entry.machine.host, own.hostname):
        if name and name != "local":
            yield name.lower(), node
            yield name.lower().partition(".")[0], node


def _facts(machine: str, home: Path) -> Facts | None:
    """Return the facts that were kept of a machine last."""
    kept = [one for one in kept_of(home, machine) if not one.recorded]
    return read_kept_fingerprint(kept[-1].path).facts if kept else None
