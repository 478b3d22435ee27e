"""The machine that a process runs on, for what several machines read in one folder.

Source: ``man 2 uname`` (nodename), ``man 4 random`` (``/proc/sys/kernel/random/boot_id``).
Limits: Two machines of one name are taken for two boots of one: what the one has claimed counts as gone on
the other.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.platforms.process import ProcessMark

BOOT = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True)
class Node:
    """One boot of one machine.

    Attributes:
        name: As the machine calls itself.
        boot: The kernel's identity of the boot.
    """

    name: str
    boot: str

    def is_other(self, than: Node) -> bool:
        """Tell whether these are two machines; one may have been renamed since it was started."""
        return self.name != than.name and self.boot != than.boot


def this_node() -> Node:
    """Return the machine that the calling process runs on."""
    return Node(os.uname().nodename, BOOT.read_text().strip())


@dataclass(frozen=True)
class Claimant:
    """A process by what it wrote into a claim.

    Attributes:
        mark: The process.
        node: Where it runs; ``None`` in what an earlier assay wrote: on the machine that reads it.
    """

    mark: ProcessMark
    node: Node | None = None

    def elsewhere(self, here: Node) -> str | None:
        """Return the name of the other machine that it runs on; ``None`` where it is this one."""
        return self.node.name if self.node is not None and self.node.is_other(here) else None

    def has_gone(self, here: Node) -> bool:
        """Tell whether it ran on this machine before that was restarted."""
        return self.elsewhere(here) is None and self.node is not None and self.node.boot != here.boot

    def as_json(self) -> dict[str, Any]:
        """Return the fields of a claim."""
        fields = {"pid": self.mark.pid, "start_ticks": self.mark.start_ticks}
        return fields if self.node is None else fields | {"node": self.node.name, "boot": self.node.boot}


def read_claimant(claim: Mapping[str, Any]) -> Claimant:
    """Return who wrote a claim.

    Raises:
        KeyError: It names no process.
        TypeError: It names none by numbers.
        ValueError: It names none by numbers.
    """
    mark = ProcessMark(int(claim["pid"]), int(claim["start_ticks"]))
    name, boot = claim.get("node"), claim.get("boot")
    return Claimant(mark, Node(name, boot) if isinstance(name, str) and isinstance(boot, str) else None)
