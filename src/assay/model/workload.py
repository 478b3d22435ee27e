"""What runs in a trial."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

from assay.model.metric import Metric
from assay.model.page_cache import CacheWish
from assay.model.phase import PhaseRules
from assay.model.placement import PlacementWish


@dataclass(frozen=True)
class Workload:
    """A program with its parameters filled in, ready to run on any arm.

    Attributes:
        name: Unique within a scene, ``sysbench-cpu``.
        command: Argument list; never a shell string. ``{probe}`` stands for the probe's own path,
            ``{directory}`` for the copy's scratch folder, ``{server}`` for the network peer's address, ``{data}``
            for the folder or URL of the activity's data, and a word that is ``{data-files}`` for all files in it.
        parser: Name of the parser of its standard output (a key of ``workloads.PARSERS``).
        metrics: What the parser yields, in the order shown.
        program: What ``command[0]`` is looked up as, or ``None`` for the probe's own kernels.
        package: Debian package that brings the program; ``None`` where unknown.
        needs_network: The command talks to ``{server}``.
        inputs: Paths on the controller that are put into the scratch folder first.
        seconds: Rough duration on bare metal, for plans and remaining times.
        time_limit_s: After this the job is stopped and the trial has failed.
        note: How the size was chosen, one sentence for the report; empty where nothing was.
        rule_met: The size is what the workload's own rules ask for.
        placement: Its copies, and where they run.
        phases: How its phases are told; ``None`` is "they are not".
        cache: State of its files before the start; ``None`` leaves them as they are.
        events: Number of events that it works off; ``None`` where that is not known.
        family: Name under which it was written in the scene, shared by workloads that differ in events or
            copies alone; ``None`` where it stands alone.
        read_bytes: Bytes of the activity's data that each copy reads; ``None`` where that is not known.
    """

    name: str
    command: tuple[str, ...]
    parser: str
    metrics: tuple[Metric, ...]
    program: str | None = None
    package: str | None = None
    needs_network: bool = False
    inputs: tuple[str, ...] = ()
    seconds: float = 3.0
    time_limit_s: float = 300.0
    note: str = ""
    rule_met: bool = True
    placement: PlacementWish = field(default_factory=PlacementWish)
    phases: PhaseRules | None = None
    cache: CacheWish | None = None
    events: int | None = None
    family: str | None = None
    read_bytes: int | None = None

    @property
    def needs_data(self) -> bool:
        """Its command names the activity's data."""
        return any("{data}" in word or word == "{data-files}" for word in self.command)

    @property
    def work(self) -> str:
        """What is done, as far as the scatter of figures depends on it: a name, and of own programs a digest.

        A ready workload is the same work at whatever size; a user's own is known by its command and inputs.
        """
        said: list[object] = [] if self.parser != "usage" else [self.command, self.inputs]
        said += [self.placement] if self.placement != PlacementWish() else []
        said += [self.cache] if self.cache is not None else []
        digest = hashlib.sha256(repr(said).encode()).hexdigest()[:12]
        return f"{self.family or self.name}#{digest}" if said else self.name


@dataclass(frozen=True)
class File:
    """A file by name, place and content (SHA-256 in hex)."""

    name: str
    path: str
    sha256: str


@dataclass(frozen=True)
class Program:
    """An executable and the libraries that the loader gives it on one machine."""

    executable: File
    libraries: tuple[File, ...] = field(default=())
