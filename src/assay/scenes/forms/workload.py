"""The form of workloads: what runs, where its copies are put, how its phases are told. Imports pydantic."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Discriminator, Field, Tag

from assay.model.work.workload import OUTPUT_BYTES
from assay.scenes.forms.base import Form
from assay.scenes.forms.container_words import Arguments, Engine, Image, ScoreName
from assay.scenes.forms.fields import (
    CacheStateWord,
    CacheWord,
    Command,
    Copies,
    EventPattern,
    Events,
    FilePath,
    FileSize,
    LogPath,
    Name,
    Nice,
    Nodes,
    OutputLimit,
    OutputWord,
    Pattern,
    PhaseName,
    Photons,
    Pins,
    Preparation,
    ReadyName,
    RecordSize,
    Runtime,
    Stagger,
    Threads,
    TimeLimit,
    Truth,
    Users,
)
from assay.scenes.forms.reading import METRICS, PARSER, SUCCESS, MetricForm, MetricName, SuccessForm, Tool


class CacheForm(Form):
    """State of files in the page cache at the start of each trial."""

    state: CacheStateWord = Field(
        description="cold: on storage alone; warm: in memory; read-ahead: read while the job runs"
    )
    files: list[FilePath] | None = Field(
        default=None,
        description="absolute, or in an input; the inputs, the program and its libraries where absent",
    )
    drop: Truth = Field(default=False, description="drop the caches of the whole machine first")


def _cache_tag(value: object) -> str | None:
    return "<cache>" if isinstance(value, dict) else "<word>" if not isinstance(value, list) else None


CACHE_EXPECTED = "cold, warm, read-ahead, as-is or {state: …, files: […], drop: …}"
Cache = Annotated[
    Annotated[CacheWord, Tag("<word>")] | Annotated[CacheForm, Tag("<cache>")],
    Discriminator(_cache_tag, custom_error_type="either", custom_error_message=CACHE_EXPECTED),
]
CACHE: Any = Field(default=None, description="page cache at the start of each trial; 'as-is' does nothing")


class ParametersForm(Form):
    """What may be changed of a ready workload."""

    runtime: Runtime = Field(default=None, description="measuring time of a timed tool, like '3 s'")
    size: FileSize = Field(
        default=None,
        description="size of the file, or of the chain's tables, like '512 MiB'; a list measures each size",
    )
    record: RecordSize = Field(
        default=None, description="what iozone or bonnie++ moves at once, like '64 KiB'; a list measures each"
    )
    events: Events = Field(
        default=None,
        description="events of the two-phase job, of the chain, of Geant4, or of each thread of a container; "
        "a list is a scan",
    )
    photons: Photons = Field(default=None, description="optical photons in each event of geant4-optical")
    output: OutputWord | None = Field(
        default=None, description="none: a step of the chain does all of its work and writes nothing"
    )
    users: Users = Field(
        default=None,
        description="users of root-analysis and their shares of the workers, like {alice: 2, bob: 1}",
    )
    image: Image = Field(default=None, description="of hep-workload, as its engine takes it")
    score: ScoreName = Field(default=None, description="which score of hep-workload, like 'gen-sim'")
    engine: Engine = Field(
        default=None, description="podman, docker, apptainer or singularity, with its own options"
    )
    threads: Threads = Field(default=None, description="of each copy in the container, 1 where absent")
    copies: Copies = Field(
        default=None,
        description="in the container; they fill the processors where absent; a list is a scaling curve",
    )
    arguments: Arguments = Field(default=None, description="further ones of the container's driver")


class PlacementForm(Form):
    """Copies of a workload, where they run, and when they start."""

    copies: Copies = Field(
        default=None, description="copies that run at once, 1 where absent; a list is a scaling curve"
    )
    threads: Threads = Field(default=None, description="threads of each copy, told as ASSAY_THREADS")
    pinning: Pins = Field(
        default=None, description="'none', 'each' (the arm's processors cut evenly), or lists of processors"
    )
    memory_nodes: Nodes = Field(
        default=None, alias="memory-nodes", description="memory nodes that copies are bound to"
    )
    nice: Nice = Field(default=None, description="from -20 to 19, 0 where absent")
    stagger: Stagger = Field(
        default=None, description="time from the start of one copy to that of the next, like '2 s'"
    )


class PhasesForm(Form):
    """How the phases of a workload are told."""

    marks: dict[PhaseName, Pattern] = Field(
        default={}, description="phase: regular expression of the line that begins it"
    )
    events: EventPattern = Field(
        default=None, description="regular expression of the line of an event; a group in it counts them"
    )
    log: LogPath = Field(
        default=None, description="file to read, in the scratch folder; standard output where absent"
    )
    announce: bool = Field(default=False, description="the program tells phases itself (ASSAY_PHASE_FD)")


class ReadyForm(Form):
    """A ready workload with parameters."""

    use: ReadyName = Field(description="name of the ready workload")
    name: Name | None = Field(default=None, description="its name in results; that of 'use' where absent")
    parameters: ParametersForm = ParametersForm()
    placement: PlacementForm = PlacementForm()
    cache: Cache = CACHE


class OwnForm(Form):
    """A program of the user's own."""

    name: Name = Field(description="its name in results")
    command: Command = Field(description="program and arguments; no shell")
    inputs: list[FilePath] = Field(
        default=[], description="files and folders to bring, relative to this file"
    )
    prepare: Preparation = Field(
        default=None, description="command or list of commands that make input files before the clock starts"
    )
    time_limit: TimeLimit = Field(
        default=3600.0, alias="time-limit", description="the trial fails after this"
    )
    output_limit: OutputLimit = Field(
        default=OUTPUT_BYTES,
        alias="output-limit",
        description="the trial fails once a stream of a copy holds more than this",
    )
    events: Events = Field(
        default=None, description="what {events} in the command stands for; a list is a scan of them"
    )
    placement: PlacementForm = PlacementForm()
    phases: PhasesForm | None = None
    cache: Cache = CACHE
    metrics: dict[MetricName, MetricForm] = METRICS
    parser: Tool = PARSER
    success: SuccessForm | None = SUCCESS


def _workload_tag(value: object) -> str | None:
    if isinstance(value, dict):
        return "<use>" if "use" in value else "<own>" if {"name", "command"} & set(value) else None
    return "<name>" if value is not None and not isinstance(value, list) else None


WORKLOAD_EXPECTED = "a ready workload's name, {use: NAME, parameters: …} or {name: …, command: …}"
Workload = Annotated[
    Annotated[ReadyName, Tag("<name>")]
    | Annotated[ReadyForm, Tag("<use>")]
    | Annotated[OwnForm, Tag("<own>")],
    Discriminator(_workload_tag, custom_error_type="either", custom_error_message=WORKLOAD_EXPECTED),
]
