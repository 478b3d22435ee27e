"""The scene file's form: every word of now, its kind, its default. Imports pydantic: only ``load`` may."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    PlainValidator,
    Tag,
    WithJsonSchema,
    create_model,
)

from assay.factors.catalogue import FACTORS
from assay.model.observation import HZ, Scope
from assay.scenes.container_form import (
    ContainerFactors,
    ContainerForm,
    GvisorFactors,
    GvisorForm,
    UmlFactors,
    UmlForm,
    container_tag,
)
from assay.scenes.fields import (
    Blocks,
    CacheStateWord,
    CacheWord,
    Command,
    Confidence,
    Copies,
    Counter,
    DiskCaches,
    DiskRate,
    EventPattern,
    Events,
    FilePath,
    FileSize,
    GuestWord,
    Hz,
    Interval,
    LeastBlocks,
    Line,
    Local,
    LogPath,
    MachineName,
    Margin,
    Memory,
    MemoryLimit,
    MostBlocks,
    Name,
    Nice,
    Nodes,
    Pattern,
    Pause,
    PhaseName,
    Pins,
    PlatformWord,
    Precision,
    Quota,
    ReadyName,
    Reference,
    RerunCause,
    Runtime,
    ScopeWord,
    Seed,
    SessionGap,
    Sessions,
    ShapeWord,
    Stagger,
    Threads,
    TimeBudget,
    TimeLimit,
    Truth,
    Vcpus,
    Watched,
)
from assay.scenes.settings import GENERIC, setting, setting_schema


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


def _settings(*, of_guest: bool) -> Any:
    """Return the fields of the catalogue's factors, for a guest or for a machine itself."""
    return {
        name.replace(".", "_").replace("-", "_").lower(): (
            Annotated[Any, PlainValidator(setting(name)), WithJsonSchema(setting_schema(name))],
            Field(default=None, alias=name, description=FACTORS[name].title),
        )
        for name in GENERIC
        if of_guest or FACTORS[name].of_host
    }


_GuestSettings = create_model("_GuestSettings", __base__=_Form, **_settings(of_guest=True))
_MachineSettings = create_model("_MachineSettings", __base__=_Form, **_settings(of_guest=False))


class GuestFactors(_GuestSettings):  # type: ignore[misc, valid-type]  # made of the catalogue
    """Factors of a guest, and of its host while it runs."""

    vcpus: Vcpus = Field(
        default=None, alias="cpu.vcpus", description="virtual processors; 'auto' leaves one core free"
    )
    memory: Memory = Field(default=2 * 1024**3, alias="memory.size", description="memory, like '2 GiB'")
    disk_cache: DiskCaches = Field(
        default="none", alias="disk.cache", description="libvirt's cache mode of its disk"
    )


class BaselineForm(_Form):
    """Where the work is done without the loss that is looked for."""

    machine: Local = Field(description="'local' is this machine")
    platform: PlatformWord | None = Field(
        default=None,
        description="a guest or container as baseline too: the treatment's own (A/A), or with its own factors",
    )
    factors: GuestFactors | None = Field(
        default=None, description="those of the baseline's guest; the treatment's where absent"
    )


class GuestForm(_Form):
    """A guest on the baseline's machine."""

    platform: GuestWord = Field(description="a virtual machine made by libvirt")
    factors: GuestFactors = GuestFactors()


class MachineFactors(_MachineSettings):  # type: ignore[misc, valid-type]  # made of the catalogue
    """Factors of a machine."""

    cpu_quota: Quota = Field(
        default=None, alias="cpu.quota", description="share of the processors' time, like '50 %'"
    )
    memory_limit: MemoryLimit = Field(
        default=None,
        alias="memory.limit",
        description="memory of each trial, page cache in it, like '64 MiB'",
    )
    read_limit: DiskRate = Field(
        default=None, alias="disk.read-limit", description="bytes a second from its disk, like '20 MB/s'"
    )
    write_limit: DiskRate = Field(
        default=None, alias="disk.write-limit", description="bytes a second to its disk, like '20 MB/s'"
    )
    page_cache: CacheStateWord | None = Field(
        default=None, alias="page-cache", description="cold or warm on this arm alone, whatever 'cache' says"
    )
    pause: Pause = Field(
        default=None, description="share of the time in which it is made to stand still, like '5 %'"
    )


class MachineForm(_Form):
    """Another machine, or this one under a limit."""

    machine: MachineName = Field(description="a name of the inventory, or 'local'")
    factors: MachineFactors = MachineFactors()


class CacheForm(_Form):
    """State of files in the page cache at the start of each trial."""

    state: CacheStateWord = Field(description="cold: on storage alone; warm: in memory")
    files: list[FilePath] | None = Field(
        default=None,
        description="absolute, or in an input; the inputs, the program and its libraries where absent",
    )
    drop: Truth = Field(default=False, description="drop the caches of the whole machine first")


def _cache_tag(value: object) -> str | None:
    return "<cache>" if isinstance(value, dict) else "<word>" if not isinstance(value, list) else None


CACHE_EXPECTED = "cold, warm, as-is or {state: …, files: […], drop: …}"
Cache = Annotated[
    Annotated[CacheWord, Tag("<word>")] | Annotated[CacheForm, Tag("<cache>")],
    Discriminator(_cache_tag, custom_error_type="either", custom_error_message=CACHE_EXPECTED),
]
_CACHE: Any = Field(default=None, description="page cache at the start of each trial; 'as-is' does nothing")


class ParametersForm(_Form):
    """What may be changed of a ready workload."""

    runtime: Runtime = Field(default=None, description="measuring time of a timed tool, like '3 s'")
    size: FileSize = Field(default=None, description="size of fio's file, like '512 MiB'")
    events: Events = Field(default=None, description="events of the two-phase job; a list is a scan of them")


class PlacementForm(_Form):
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


class PhasesForm(_Form):
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


class ProfileForm(_Form):
    """Stacks to sample."""

    hz: Hz = Field(default=HZ, description="samples a second on each processor")
    scope: ScopeWord = Field(default=str(Scope.JOB), description="the job, or the whole machine")


class ReadyForm(_Form):
    """A ready workload with parameters."""

    use: ReadyName = Field(description="name of the ready workload")
    parameters: ParametersForm = ParametersForm()
    placement: PlacementForm = PlacementForm()
    cache: Cache = _CACHE


class OwnForm(_Form):
    """A program of the user's own."""

    name: Name = Field(description="its name in results")
    command: Command = Field(description="program and arguments; no shell")
    inputs: list[FilePath] = Field(
        default=[], description="files and folders to bring, relative to this file"
    )
    time_limit: TimeLimit = Field(
        default=3600.0, alias="time-limit", description="the trial fails after this"
    )
    events: Events = Field(
        default=None, description="what {events} in the command stands for; a list is a scan of them"
    )
    placement: PlacementForm = PlacementForm()
    phases: PhasesForm | None = None
    cache: Cache = _CACHE


class DesignForm(_Form):
    """How precisely is asked."""

    blocks: Blocks = Field(default=None, description="blocks of trials, each with both arms; 3 where absent")
    confidence: Confidence = Field(default=0.95, description="coverage of the intervals, like '95 %'")
    margin: Margin = Field(default=0.02, description="loss that does not matter, like '2 %'")
    seed: Seed = Field(default=None, description="of the order of trials; drawn where absent")
    maximum_blocks: MostBlocks = Field(
        default=None, alias="maximum-blocks", description="ends earlier, as soon as the goal is reached"
    )
    minimum_blocks: LeastBlocks = Field(
        default=None, alias="minimum-blocks", description="fewer are never enough; 6, with a precision 10"
    )
    precision: Precision = Field(
        default=None, description="wanted half-width of the intervals, like '0.5 %'; else a verdict is wanted"
    )
    time_budget: TimeBudget = Field(
        default=None, alias="time-budget", description="no block is begun that would end later, like '8 h'"
    )
    sessions: Sessions = Field(default=1, description="sessions over which the blocks are spread")
    session_gap: SessionGap = Field(
        default=3600.0, alias="session-gap", description="time without trials between two sessions"
    )
    shape: ShapeWord = Field(
        default=None, description="how the visits of a block lie; double, with a goal auto"
    )
    reference: Reference = Field(
        default=None, description="workload by which a difference of the hardware is taken out"
    )
    rerun: list[RerunCause] = Field(
        default=[], description="disturbances of the host for which a trial is rejected and run again"
    )


def _treatment_tag(value: object) -> str | None:
    words = {"platform", "machine"} & set(value) if isinstance(value, dict) else set()
    if len(words) != 1:
        return None
    return (isinstance(value, dict) and container_tag(value.get("platform"))) or f"<{words.pop()}>"


def _workload_tag(value: object) -> str | None:
    if isinstance(value, dict):
        return "<use>" if "use" in value else "<own>" if {"name", "command"} & set(value) else None
    return "<name>" if value is not None and not isinstance(value, list) else None


def _profile_tag(value: object) -> str | None:
    return "<profile>" if isinstance(value, dict) else "<hz>"


TREATMENT_EXPECTED = "either {platform: guest, factors: …} or {machine: NAME, factors: …}"
WORKLOAD_EXPECTED = "a ready workload's name, {use: NAME, parameters: …} or {name: …, command: …}"
_Treatment = Annotated[
    Annotated[GuestForm, Tag("<platform>")]
    | Annotated[ContainerForm, Tag("<container>")]
    | Annotated[GvisorForm, Tag("<gvisor>")]
    | Annotated[UmlForm, Tag("<uml>")]
    | Annotated[MachineForm, Tag("<machine>")],
    Discriminator(_treatment_tag, custom_error_type="either", custom_error_message=TREATMENT_EXPECTED),
]
_Workload = Annotated[
    Annotated[ReadyName, Tag("<name>")]
    | Annotated[ReadyForm, Tag("<use>")]
    | Annotated[OwnForm, Tag("<own>")],
    Discriminator(_workload_tag, custom_error_type="either", custom_error_message=WORKLOAD_EXPECTED),
]
_Profile = Annotated[
    Annotated[Hz, Tag("<hz>")] | Annotated[ProfileForm, Tag("<profile>")], Discriminator(_profile_tag)
]


class SceneForm(_Form):
    """A scene: what is compared with what, by which workloads, how precisely."""

    scene: Name = Field(description="name of the scene")
    title: Line = Field(description="one line for people")
    baseline: BaselineForm
    treatment: _Treatment
    workloads: list[_Workload] = Field(min_length=1, description="what runs in every trial's place")
    design: DesignForm = DesignForm()
    placement: PlacementForm = PlacementForm()
    watch: list[Watched] = Field(default=[], description="groups of series to sample beside the core set")
    counters: list[Counter] = Field(default=[], description="event counters over each trial")
    profile: _Profile | None = Field(default=None, description="stacks to sample: samples a second, like 99")
    interval: Interval = Field(default=1.0, description="time between samples, like '100 ms'")
    cache: Cache = _CACHE


FORMS: dict[tuple[str, ...], type[BaseModel]] = {
    (): SceneForm,
    ("baseline",): BaselineForm,
    ("baseline", "factors"): GuestFactors,
    ("treatment", "<platform>"): GuestForm,
    ("treatment", "<platform>", "factors"): GuestFactors,
    ("treatment", "<container>"): ContainerForm,
    ("treatment", "<container>", "factors"): ContainerFactors,
    ("treatment", "<gvisor>"): GvisorForm,
    ("treatment", "<gvisor>", "factors"): GvisorFactors,
    ("treatment", "<uml>"): UmlForm,
    ("treatment", "<uml>", "factors"): UmlFactors,
    ("treatment", "<machine>"): MachineForm,
    ("treatment", "<machine>", "factors"): MachineFactors,
    ("workloads", "<use>"): ReadyForm,
    ("workloads", "<use>", "parameters"): ParametersForm,
    ("workloads", "<use>", "placement"): PlacementForm,
    ("workloads", "<own>"): OwnForm,
    ("workloads", "<own>", "placement"): PlacementForm,
    ("workloads", "<own>", "phases"): PhasesForm,
    ("cache", "<cache>"): CacheForm,
    ("workloads", "<use>", "cache", "<cache>"): CacheForm,
    ("workloads", "<own>", "cache", "<cache>"): CacheForm,
    ("design",): DesignForm,
    ("placement",): PlacementForm,
    ("profile", "<profile>"): ProfileForm,
}
"""The form at each place of a scene, by pydantic's names for the way there."""


def known_words(place: tuple[str | int, ...]) -> tuple[str, ...]:
    """Return the words that a scene knows at a place, given as pydantic gives it."""
    form = FORMS[tuple(step for step in place if isinstance(step, str))]
    return tuple(field.alias or name for name, field in form.model_fields.items())
