"""The fields of scene files: what each takes, how editors check it. Imports pydantic: only ``form`` may."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import PlainValidator, WithJsonSchema

from assay.model.goal import Headline, Shape
from assay.model.platforms import container
from assay.model.work.disturbance import Cause
from assay.model.work.observation import COUNTERS, GROUPS, HZ, Scope
from assay.model.work.placement import Pinning, Sets
from assay.scenes.forms import kinds, quantities
from assay.scenes.values import domain_words
from assay.scenes.values.settings import setting, setting_schema
from assay.scenes.values.swept import swept, swept_schema
from assay.scenes.values.words import AS_IS, CACHE_STATES, STARTS
from assay.workloads.accounting import ACCOUNTED
from assay.workloads.catalogue import WORKLOADS

SIZE = {"type": "string", "pattern": r"^\s*[0-9]+(\.[0-9]+)?\s*([kMGT]?B|[KMGT]iB)\s*$"}
_TIME = {"type": "string", "pattern": r"^\s*[0-9]+(\.[0-9]+)?\s*(ms|s|min|h|d)\s*$"}
_RATE = {"type": "string", "pattern": r"^\s*[0-9]+(\.[0-9]+)?\s*([kMGT]?B|[KMGT]iB)/s\s*$"}
_SHARE = {"type": "string", "pattern": r"^\s*[0-9]+(\.[0-9]+)?\s*%\s*$"}
_COUNT = {"type": "integer", "minimum": 1, "maximum": 1024}
_VCPUS = {"anyOf": [{"const": "auto"}, _COUNT]}
_LARGEST_SEED = 2**63 - 1
_MOST_EVENTS = 10**12


def _words(*known: str) -> dict[str, Any]:
    return {"const": known[0]} if len(known) == 1 else {"type": "string", "enum": list(known)}


def _text(pattern: str = r"\S") -> dict[str, Any]:
    return {"type": "string", "pattern": pattern}


def _whole(low: int, high: int) -> dict[str, Any]:
    return {"type": "integer", "minimum": low, "maximum": high}


def _levels(low: int, high: int) -> dict[str, Any]:
    numbers = {"type": "array", "items": _whole(low, high), "minItems": 1, "uniqueItems": True}
    return {"anyOf": [_whole(low, high), numbers]}


Name = Annotated[str, PlainValidator(kinds.name), WithJsonSchema(_text(kinds.NAME))]
MachineName = Annotated[str, PlainValidator(kinds.machine), WithJsonSchema(_text(kinds.MACHINE))]
DomainName = Annotated[
    str | None, PlainValidator(domain_words.domain), WithJsonSchema(_text(domain_words.DOMAIN))
]
Hypervisor = Annotated[
    str | None, PlainValidator(domain_words.hypervisor), WithJsonSchema(_text(domain_words.HYPERVISOR))
]
Line = Annotated[str, PlainValidator(kinds.line), WithJsonSchema(_text())]
FilePath = Annotated[str, PlainValidator(kinds.path), WithJsonSchema(_text())]
Command = Annotated[tuple[str, ...], PlainValidator(kinds.command), WithJsonSchema(_text())]
Preparation = Annotated[
    tuple[tuple[str, ...], ...] | None,
    PlainValidator(kinds.preparation),
    WithJsonSchema({"anyOf": [_text(), {"type": "array", "items": _text(), "minItems": 1}]}),
]
GuestWord = Annotated[str, PlainValidator(kinds.platform), WithJsonSchema(_words("guest"))]
"""The other platforms have forms of their own, and are known here for the message."""
PlatformWord = Annotated[
    str,
    PlainValidator(kinds.word("guest", *container.Runtime)),
    WithJsonSchema(_words("guest", *container.Runtime)),
]
ImageName = Annotated[str | None, PlainValidator(kinds.line), WithJsonSchema(_text())]
Packages = list[Annotated[str, PlainValidator(kinds.package), WithJsonSchema(_text(kinds.PACKAGE))]] | None
ReleaseName = Annotated[str | None, PlainValidator(kinds.release), WithJsonSchema(_text(kinds.RELEASE))]
StartWord = Annotated[str, PlainValidator(kinds.word(*STARTS)), WithJsonSchema(_words(*STARTS))]
ReadyName = Annotated[str, PlainValidator(kinds.ready_workload), WithJsonSchema(_words(*WORKLOADS.own))]
DiskCaches = Annotated[
    Any,
    PlainValidator(setting("disk.cache")),
    WithJsonSchema(setting_schema("disk.cache") | {"default": "none"}),
]
CacheWord = Annotated[
    str, PlainValidator(kinds.word(*CACHE_STATES, AS_IS)), WithJsonSchema(_words(*CACHE_STATES, AS_IS))
]
CacheStateWord = Annotated[
    str, PlainValidator(kinds.word(*CACHE_STATES)), WithJsonSchema(_words(*CACHE_STATES))
]
CacheStateWords = Annotated[
    Any,
    PlainValidator(swept(kinds.word(*CACHE_STATES))),
    WithJsonSchema(swept_schema(_words(*CACHE_STATES))),
]
Truth = Annotated[bool, PlainValidator(kinds.truth), WithJsonSchema({"type": "boolean"})]
Vcpus = Annotated[
    Any,
    PlainValidator(swept(quantities.vcpus)),
    WithJsonSchema(swept_schema(_VCPUS, listed=_COUNT) | {"default": "auto"}),
]
Memory = Annotated[
    Any,
    PlainValidator(swept(quantities.size("256 MiB", "64 TiB"))),
    WithJsonSchema(swept_schema(SIZE) | {"default": "2 GiB"}),
]
"""Debian's kernel and system need about 200 MiB to boot: less would be a guest that never does."""
FileSize = Annotated[
    Any, PlainValidator(swept(quantities.size("16 MiB", "64 TiB"))), WithJsonSchema(swept_schema(SIZE))
]
RecordSize = Annotated[
    Any, PlainValidator(swept(quantities.record("4 KiB", "16 MiB"))), WithJsonSchema(swept_schema(SIZE))
]
"""IOzone's own largest; direct I/O wants whole blocks."""
Runtime = Annotated[int | None, PlainValidator(quantities.whole_seconds("1 s", "1 h")), WithJsonSchema(_TIME)]
TimeLimit = Annotated[
    float, PlainValidator(quantities.seconds("1 s", "30 d")), WithJsonSchema(_TIME | {"default": "1 h"})
]
OutputLimit = Annotated[
    int, PlainValidator(quantities.size("4 KiB", "64 TiB")), WithJsonSchema(SIZE | {"default": "256 MiB"})
]
Quotas = Annotated[Any, PlainValidator(swept(quantities.QUOTA)), WithJsonSchema(swept_schema(_SHARE))]
MemoryLimits = Annotated[
    Any, PlainValidator(swept(quantities.size("4 MiB", "64 TiB"))), WithJsonSchema(swept_schema(SIZE))
]
"""In less not even a shell starts."""
DiskRates = Annotated[
    Any, PlainValidator(swept(quantities.rate("1 kB/s", "1 TB/s"))), WithJsonSchema(swept_schema(_RATE))
]
Pauses = Annotated[Any, PlainValidator(swept(quantities.PAUSE)), WithJsonSchema(swept_schema(_SHARE))]
Confidence = Annotated[
    float, PlainValidator(quantities.CONFIDENCE), WithJsonSchema(_SHARE | {"default": "95 %"})
]
Margin = Annotated[float, PlainValidator(quantities.MARGIN), WithJsonSchema(_SHARE | {"default": "2 %"})]
Blocks = Annotated[
    int | None, PlainValidator(quantities.whole(3, 1000)), WithJsonSchema(_whole(3, 1000) | {"default": 3})
]
MostBlocks = Annotated[int | None, PlainValidator(quantities.whole(5, 1000)), WithJsonSchema(_whole(5, 1000))]
"""The fewest that bring a verdict of one metric; of how many there are only the plan knows
(``activities.plan.goal_ahead``).
"""
LeastBlocks = Annotated[
    int | None, PlainValidator(quantities.whole(5, 1000)), WithJsonSchema(_whole(5, 1000))
]
Precision = Annotated[float | None, PlainValidator(quantities.PRECISION), WithJsonSchema(_SHARE)]
TimeBudget = Annotated[
    float | None, PlainValidator(quantities.seconds("1 s", "365 d")), WithJsonSchema(_TIME)
]
Takes = Annotated[float | None, PlainValidator(quantities.seconds("1 s", "365 d")), WithJsonSchema(_TIME)]
Sessions = Annotated[
    int, PlainValidator(quantities.whole(1, 100)), WithJsonSchema(_whole(1, 100) | {"default": 1})
]
SessionGap = Annotated[
    float, PlainValidator(quantities.seconds("1 s", "30 d")), WithJsonSchema(_TIME | {"default": "1 h"})
]
WaitQuiet = Annotated[
    float, PlainValidator(quantities.seconds("0 s", "1 d")), WithJsonSchema(_TIME | {"default": "60 s"})
]
ShapeWord = Annotated[str | None, PlainValidator(kinds.word(*Shape)), WithJsonSchema(_words(*Shape))]
HeadlineWord = Annotated[
    str, PlainValidator(kinds.word(*Headline)), WithJsonSchema(_words(*Headline) | {"default": "typical"})
]
RerunCause = Annotated[str, PlainValidator(kinds.word(*Cause)), WithJsonSchema(_words(*Cause))]
Reference = Annotated[str | None, PlainValidator(kinds.name), WithJsonSchema(_text(kinds.NAME))]
Seed = Annotated[
    int | None, PlainValidator(quantities.whole(0, _LARGEST_SEED)), WithJsonSchema(_whole(0, _LARGEST_SEED))
]
_NUMBERS = {"type": "array", "items": _whole(0, quantities.LARGEST_NUMBER), "minItems": 1}
_SETS: dict[str, Any] = {"anyOf": [_NUMBERS, {"type": "array", "items": _NUMBERS, "minItems": 1}]}
Copies = Annotated[
    tuple[int, ...] | None, PlainValidator(quantities.levels(1, 4096)), WithJsonSchema(_levels(1, 4096))
]
Events = Annotated[
    tuple[int, ...] | None,
    PlainValidator(quantities.levels(0, _MOST_EVENTS)),
    WithJsonSchema(_levels(0, _MOST_EVENTS)),
]
Photons = Annotated[
    int | None, PlainValidator(quantities.whole(1, 1_000_000)), WithJsonSchema(_whole(1, 1_000_000))
]
OutputWord = Literal["none"]
Users = Annotated[
    tuple[tuple[str, int], ...] | None,
    PlainValidator(quantities.users),
    WithJsonSchema(
        {
            "type": "object",
            "propertyNames": _text(quantities.USER),
            "additionalProperties": _whole(1, quantities.MOST_WEIGHT),
            "minProperties": 2,
            "maxProperties": quantities.MOST_USERS,
        }
    ),
]
Threads = Annotated[int | None, PlainValidator(quantities.whole(1, 65536)), WithJsonSchema(_whole(1, 65536))]
Nice = Annotated[int | None, PlainValidator(quantities.whole(-20, 19)), WithJsonSchema(_whole(-20, 19))]
Pins = Annotated[
    Pinning | Sets | None,
    PlainValidator(quantities.pinning),
    WithJsonSchema({"anyOf": [_words(*Pinning), *_SETS["anyOf"]]}),
]
Nodes = Annotated[Sets | None, PlainValidator(quantities.nodes), WithJsonSchema(_SETS)]
Stagger = Annotated[float | None, PlainValidator(quantities.seconds("0 s", "1 h")), WithJsonSchema(_TIME)]
Interval = Annotated[
    float, PlainValidator(quantities.seconds("10 ms", "1 h")), WithJsonSchema(_TIME | {"default": "1 s"})
]
PhaseName = Annotated[str, PlainValidator(kinds.phase), WithJsonSchema(_text(kinds.PHASE))]
Pattern = Annotated[str, PlainValidator(kinds.pattern), WithJsonSchema(_text(""))]
EventPattern = Annotated[str | None, PlainValidator(kinds.pattern), WithJsonSchema(_text(""))]
LogPath = Annotated[str | None, PlainValidator(kinds.path), WithJsonSchema(_text())]
Watched = Annotated[str, PlainValidator(kinds.word(*GROUPS)), WithJsonSchema(_words(*GROUPS))]
Accounted = Annotated[str, PlainValidator(kinds.word(*ACCOUNTED)), WithJsonSchema(_words(*ACCOUNTED))]
Counter = Annotated[str, PlainValidator(kinds.word(*COUNTERS)), WithJsonSchema(_words(*COUNTERS))]
Hz = Annotated[
    int, PlainValidator(quantities.whole(1, 1000)), WithJsonSchema(_whole(1, 1000) | {"default": HZ})
]
ScopeWord = Annotated[
    str, PlainValidator(kinds.word(*Scope)), WithJsonSchema(_words(*Scope) | {"default": str(Scope.JOB)})
]
