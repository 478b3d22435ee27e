"""What a container is asked to be, and its note beside it for whoever cleans up after a crash."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from assay.model.platforms.container import Runtime
from assay.platforms.durable import read_json, write_json

PREFIX = "assay-"
"""Every container of ours is named so: ``assay-<activity>-b<block>``."""


@dataclass(frozen=True)
class ContainerSpec:
    """A container to be made.

    Attributes:
        name: Its name; starts with ``PREFIX``.
        activity: The activity that it belongs to.
        runtime: What makes it.
        cpus: Processors of this machine that it is confined to.
        work: The one folder that it may write to.
        folder: Where its own files lie here; made when it is, and removed with it.
        memory_bytes: Memory that it may use; ``None`` is "no limit", which user-mode Linux does not know.
        cpu_quota: Share of its processors' time; ``None`` is "all of it".
        platform: gVisor's ``--platform``; ``None`` for another runtime.
        hostname: What it is called inside: as the machine whose files it has.
        network: Name of the network namespace under ``/run/netns`` that it joins; ``None`` stays in ours.
    """

    name: str
    activity: str
    runtime: Runtime
    cpus: tuple[int, ...]
    work: Path
    folder: Path
    memory_bytes: int | None = None
    cpu_quota: float | None = None
    platform: str | None = None
    hostname: str = "assay"
    network: str | None = None


@dataclass(frozen=True)
class Note:
    """What a container's folder says of it.

    Attributes:
        name: Its name.
        activity: The activity that it belongs to.
        runtime: What made it.
    """

    name: str
    activity: str
    runtime: Runtime


def write_note(spec: ContainerSpec) -> None:
    """Say durably whose a container is, before anything of it is made."""
    facts = {"name": spec.name, "activity": spec.activity, "runtime": str(spec.runtime)}
    write_json(spec.folder / "note.json", facts)


def read_note(folder: Path) -> Note | None:
    """Return what a container's folder says of it; ``None`` where it says nothing whole."""
    facts = read_json(folder / "note.json", "name", "activity", "runtime")
    if facts is None:
        return None
    return Note(str(facts["name"]), str(facts["activity"]), Runtime(facts["runtime"]))
