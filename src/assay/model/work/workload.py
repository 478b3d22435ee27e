"""What runs in a trial."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from assay.model.metric import Metric
from assay.model.units import BYTES
from assay.model.work.page_cache import CacheSpec
from assay.model.work.phase import PhaseRules
from assay.model.work.placement import PlacementSpec
from assay.model.work.reading import Reading, Success
from assay.model.work.variable import Variable

OUTPUT_BYTES = 256 * BYTES["MiB"]
"""What a stream of a job may hold where nothing is said."""


@dataclass(frozen=True)
class Workload:
    """A program with its parameters filled in, ready to run on any arm.

    Attributes:
        name: Unique within a scene, ``sysbench-cpu``.
        command: Argument list; never a shell string. ``{probe}`` stands for the probe's own path,
            ``{chain}`` for that of the reference chain, ``{directory}`` for the copy's scratch folder,
            ``{server}`` for the network peer's address, ``{data}`` for the folder or URL of the activity's
            data, and a word that is ``{data-files}`` for all files in it.
        parser: Name of the parser of its standard output (a key of ``workloads.PARSERS``).
        metrics: What the parser yields, in the order shown.
        program: What is looked up: ``command[0]``, or what a shell in its place starts; ``None`` for the
            probe's own kernels.
        package: Debian package that brings the program; ``None`` where unknown.
        needs_network: The command talks to ``{server}``.
        inputs: Paths on the controller that are put into the scratch folder first.
        seconds: Rough duration on bare metal, for plans and remaining times.
        time_limit_s: After this the job is stopped and the trial has failed.
        output_limit_bytes: Most that its standard output and its standard error may hold, each and of each
            copy; beyond it the job is stopped and the trial has failed.
        note: How the size was chosen, one sentence for the report; empty where nothing was.
        rule_met: The size is what the workload's own rules ask for.
        placement: Its copies, and where they run.
        phases: How its phases are told; ``None`` is "they are not".
        cache: State of its files before the start; ``None`` leaves them as they are.
        events: Number of events that it works off; ``None`` where that is not known.
        family: Name under which it was written in the scene, shared by workloads that differ in events or
            copies alone; ``None`` where it stands alone.
        file_bytes: Size of the file that it measures, where a landscape can be made of it; ``None``
            elsewhere.
        record_bytes: What it moves at once, in the same way.
        read_bytes: Bytes of the activity's data that each copy reads; ``None`` where that is not known.
        prepare: Argument lists that make its input files, in the scratch folder and before the clock starts;
            as ``command``, but ``{server}`` is none of theirs.
        keeps_inputs: It never writes to the files that ``prepare`` made, so that trials may share them.
        readings: How figures of a user's own program are read, beside its times.
        reader: Tool whose reader reads what it wrote (``workloads.outputs``); ``None`` where no reading needs
            one.
        success: When it has succeeded; ``None`` is "it exited with 0".
        pack: What ``{pack}`` stands for: the name of a pack, in a plan its folder on the controller; ``None``
            for none.
        environment: Variables of the site's that its job is told; their values in a plan alone.
        copies_inside: Copies of the work that each copy of the command runs itself, as a container of
            hep-workloads does; ``placement.threads`` are then those of all of them.
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
    output_limit_bytes: int = OUTPUT_BYTES
    note: str = ""
    rule_met: bool = True
    placement: PlacementSpec = field(default_factory=PlacementSpec)
    phases: PhaseRules | None = None
    cache: CacheSpec | None = None
    events: int | None = None
    family: str | None = None
    read_bytes: int | None = None
    file_bytes: int | None = None
    record_bytes: int | None = None
    prepare: tuple[tuple[str, ...], ...] = ()
    keeps_inputs: bool = False
    readings: tuple[Reading, ...] = ()
    reader: str | None = None
    success: Success | None = None
    pack: str | None = None
    environment: tuple[Variable, ...] = ()
    copies_inside: int = 1

    @property
    def all_copies(self) -> int:
        """Copies of the work that run at once, those inside of each copy of the command counted."""
        return self.placement.copies * self.copies_inside

    @property
    def needs_data(self) -> bool:
        """Its command, or what prepares it, names the activity's data."""
        return names_data(self.command, *self.prepare)

    @property
    def written(self) -> tuple[str, ...]:
        """Files that its figures and its success are read from, each once, relative to a copy's folder."""
        log = self.success.log if self.success else None
        files = [reading.file for reading in self.readings] + [log]
        return tuple(dict.fromkeys(file for file in files if file is not None))

    @property
    def work(self) -> str:
        """What is done, as far as the scatter of figures depends on it: a name, and of own programs a digest.

        A ready workload is the same work at whatever size; a user's own, and a container's, is known by its
        command and inputs.
        """
        import hashlib  # loads OpenSSL: a start of assay does not need it

        parts: list[object] = [self.command, self.inputs] if self.parser == "usage" or self.reader else []
        placed = self.placement
        if self.reader and self.parser != "usage":  # a container's threads stand in its command
            placed = replace(placed, threads=None)
        parts += [placed] if placed != PlacementSpec() else []
        parts += [self.cache] if self.cache is not None else []
        parts += [self.prepare] if self.prepare and self.parser == "usage" else []
        digest = hashlib.sha256(repr(parts).encode()).hexdigest()[:12]
        return f"{self.family or self.name}#{digest}" if parts else self.name


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


def names_data(*commands: Sequence[str]) -> bool:
    """Tell whether argument lists name the activity's data, their folder or each file."""
    return any("{data}" in word or word.startswith("{data-files") for command in commands for word in command)
