"""The scene file's form: every word of now, its kind, its default. Imports pydantic: only ``load`` may."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Discriminator, Field, PlainValidator, Tag, WithJsonSchema

from assay.scenes import kinds, quantities
from assay.scenes.words import AS_IS, CACHE_STATES, DISK_CACHES
from assay.workloads import NAMES

_SIZE = {"type": "string", "pattern": r"^\s*[0-9]+(\.[0-9]+)?\s*([kMGT]?B|[KMGT]iB)\s*$"}
_TIME = {"type": "string", "pattern": r"^\s*[0-9]+(\.[0-9]+)?\s*(ms|s|min|h|d)\s*$"}
_SHARE = {"type": "string", "pattern": r"^\s*[0-9]+(\.[0-9]+)?\s*%\s*$"}
_VCPUS = {"anyOf": [{"const": "auto"}, {"type": "integer", "minimum": 1, "maximum": 1024}]}
_LARGEST_SEED = 2**63 - 1


def _words(*known: str) -> dict[str, Any]:
    return {"const": known[0]} if len(known) == 1 else {"type": "string", "enum": list(known)}


def _text(pattern: str = r"\S") -> dict[str, Any]:
    return {"type": "string", "pattern": pattern}


def _whole(low: int, high: int) -> dict[str, Any]:
    return {"type": "integer", "minimum": low, "maximum": high}


Name = Annotated[str, PlainValidator(kinds.name), WithJsonSchema(_text(kinds.NAME))]
MachineName = Annotated[str, PlainValidator(kinds.machine), WithJsonSchema(_text(kinds.MACHINE))]
Local = Annotated[str, PlainValidator(kinds.local), WithJsonSchema(_words("local"))]
Line = Annotated[str, PlainValidator(kinds.line), WithJsonSchema(_text())]
FilePath = Annotated[str, PlainValidator(kinds.path), WithJsonSchema(_text())]
Command = Annotated[tuple[str, ...], PlainValidator(kinds.command), WithJsonSchema(_text())]
GuestWord = Annotated[str, PlainValidator(kinds.word("guest")), WithJsonSchema(_words("guest"))]
ReadyName = Annotated[str, PlainValidator(kinds.word(*NAMES)), WithJsonSchema(_words(*NAMES))]
DiskCache = Annotated[
    str, PlainValidator(kinds.word(*DISK_CACHES)), WithJsonSchema(_words(*DISK_CACHES) | {"default": "none"})
]
CacheWord = Annotated[
    str, PlainValidator(kinds.word(*CACHE_STATES, AS_IS)), WithJsonSchema(_words(*CACHE_STATES, AS_IS))
]
CacheStateWord = Annotated[
    str, PlainValidator(kinds.word(*CACHE_STATES)), WithJsonSchema(_words(*CACHE_STATES))
]
Truth = Annotated[bool, PlainValidator(kinds.truth), WithJsonSchema({"type": "boolean"})]
Vcpus = Annotated[int | None, PlainValidator(quantities.vcpus), WithJsonSchema(_VCPUS | {"default": "auto"})]
Memory = Annotated[
    int, PlainValidator(quantities.size("256 MiB", "64 TiB")), WithJsonSchema(_SIZE | {"default": "2 GiB"})
]
"""Debian's kernel and system need about 200 MiB to boot: less would be a guest that never does."""
FileSize = Annotated[int | None, PlainValidator(quantities.size("16 MiB", "64 TiB")), WithJsonSchema(_SIZE)]
Runtime = Annotated[int | None, PlainValidator(quantities.whole_seconds("1 s", "1 h")), WithJsonSchema(_TIME)]
TimeLimit = Annotated[
    float, PlainValidator(quantities.seconds("1 s", "30 d")), WithJsonSchema(_TIME | {"default": "1 h"})
]
Quota = Annotated[float | None, PlainValidator(quantities.QUOTA), WithJsonSchema(_SHARE)]
Confidence = Annotated[
    float, PlainValidator(quantities.CONFIDENCE), WithJsonSchema(_SHARE | {"default": "95 %"})
]
Margin = Annotated[float, PlainValidator(quantities.MARGIN), WithJsonSchema(_SHARE | {"default": "2 %"})]
Blocks = Annotated[
    int, PlainValidator(quantities.whole(3, 1000)), WithJsonSchema(_whole(3, 1000) | {"default": 3})
]
Seed = Annotated[
    int | None, PlainValidator(quantities.whole(0, _LARGEST_SEED)), WithJsonSchema(_whole(0, _LARGEST_SEED))
]


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class BaselineForm(_Form):
    """Where the work is done without the loss that is looked for."""

    machine: Local = Field(description="'local' is this machine")


class GuestFactors(_Form):
    """Factors of a guest."""

    vcpus: Vcpus = Field(
        default=None, alias="cpu.vcpus", description="virtual processors; 'auto' leaves one core free"
    )
    memory: Memory = Field(default=2 * 1024**3, alias="memory.size", description="memory, like '2 GiB'")
    disk_cache: DiskCache = Field(
        default="none", alias="disk.cache", description="libvirt's cache mode of its disk"
    )


class GuestForm(_Form):
    """A guest on the baseline's machine."""

    platform: GuestWord = Field(description="a virtual machine made by libvirt")
    factors: GuestFactors = GuestFactors()


class MachineFactors(_Form):
    """Factors of a machine."""

    cpu_quota: Quota = Field(
        default=None, alias="cpu.quota", description="share of the processors' time, like '50 %'"
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


class ReadyForm(_Form):
    """A ready workload with parameters."""

    use: ReadyName = Field(description="name of the ready workload")
    parameters: ParametersForm = ParametersForm()
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
    cache: Cache = _CACHE


class DesignForm(_Form):
    """How precisely is asked."""

    blocks: Blocks = Field(default=3, description="blocks of trials, each with both arms")
    confidence: Confidence = Field(default=0.95, description="coverage of the intervals, like '95 %'")
    margin: Margin = Field(default=0.02, description="loss that does not matter, like '2 %'")
    seed: Seed = Field(default=None, description="of the order of trials; drawn where absent")


def _treatment_tag(value: object) -> str | None:
    words = {"platform", "machine"} & set(value) if isinstance(value, dict) else set()
    return f"<{words.pop()}>" if len(words) == 1 else None


def _workload_tag(value: object) -> str | None:
    if isinstance(value, dict):
        return "<use>" if "use" in value else "<own>" if {"name", "command"} & set(value) else None
    return "<name>" if value is not None and not isinstance(value, list) else None


TREATMENT_EXPECTED = "either {platform: guest, factors: …} or {machine: NAME, factors: …}"
WORKLOAD_EXPECTED = "a ready workload's name, {use: NAME, parameters: …} or {name: …, command: …}"
_Treatment = Annotated[
    Annotated[GuestForm, Tag("<platform>")] | Annotated[MachineForm, Tag("<machine>")],
    Discriminator(_treatment_tag, custom_error_type="either", custom_error_message=TREATMENT_EXPECTED),
]
_Workload = Annotated[
    Annotated[ReadyName, Tag("<name>")]
    | Annotated[ReadyForm, Tag("<use>")]
    | Annotated[OwnForm, Tag("<own>")],
    Discriminator(_workload_tag, custom_error_type="either", custom_error_message=WORKLOAD_EXPECTED),
]


class SceneForm(_Form):
    """A scene: what is compared with what, by which workloads, how precisely."""

    scene: Name = Field(description="name of the scene")
    title: Line = Field(description="one line for people")
    baseline: BaselineForm
    treatment: _Treatment
    workloads: list[_Workload] = Field(min_length=1, description="what runs in every trial's place")
    design: DesignForm = DesignForm()
    cache: Cache = _CACHE


FORMS: dict[tuple[str, ...], type[BaseModel]] = {
    (): SceneForm,
    ("baseline",): BaselineForm,
    ("treatment", "<platform>"): GuestForm,
    ("treatment", "<platform>", "factors"): GuestFactors,
    ("treatment", "<machine>"): MachineForm,
    ("treatment", "<machine>", "factors"): MachineFactors,
    ("workloads", "<use>"): ReadyForm,
    ("workloads", "<use>", "parameters"): ParametersForm,
    ("workloads", "<own>"): OwnForm,
    ("cache", "<cache>"): CacheForm,
    ("workloads", "<use>", "cache", "<cache>"): CacheForm,
    ("workloads", "<own>", "cache", "<cache>"): CacheForm,
    ("design",): DesignForm,
}
"""The form at each place of a scene, by pydantic's names for the way there."""


def known_words(place: tuple[str | int, ...]) -> tuple[str, ...]:
    """Return the words that a scene knows at a place, given as pydantic gives it."""
    form = FORMS[tuple(step for step in place if isinstance(step, str))]
    return tuple(field.alias or name for name, field in form.model_fields.items())
