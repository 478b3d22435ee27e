"""The words for processors, the controller and what a machine must have. Imports pydantic: only forms may."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, PlainValidator, WithJsonSchema

from assay.model.machines.processors import ALL, ALL_CORES, Controller, CoreThreads
from assay.scenes.forms import kinds, quantities
from assay.scenes.forms.base import Form
from assay.scenes.forms.fields import SIZE, Truth
from assay.scenes.values.processors import MOST, processors

_NUMBER = {"type": "integer", "minimum": 0, "maximum": quantities.LARGEST_NUMBER}

Processors = Annotated[
    Any,
    PlainValidator(processors),
    WithJsonSchema(
        {
            "anyOf": [
                {"enum": [ALL, ALL_CORES]},
                {"type": "integer", "minimum": 1, "maximum": MOST},
                {"type": "array", "items": _NUMBER, "minItems": 1, "uniqueItems": True},
            ]
        }
    ),
]
ThreadsWord = Annotated[
    str | None, PlainValidator(kinds.word(*CoreThreads)), WithJsonSchema({"enum": [*CoreThreads]})
]
ControllerWord = Annotated[
    str | None, PlainValidator(kinds.word(*Controller)), WithJsonSchema({"enum": [*Controller]})
]
HostMemory = Annotated[int | None, PlainValidator(quantities.size("0 B", "64 TiB")), WithJsonSchema(SIZE)]
PROCESSORS: Any = Field(
    default=None,
    description="all, all-cores, how many, or a list of numbers; all cores but the controller's where absent",
)
THREADS: Any = Field(
    default=None,
    description="processors of each core that work; all with 'processors: all', else one-per-core",
)


class NeedsForm(Form):
    """What the machine must have: checked before anything begins."""

    cores: Annotated[
        int | None,
        PlainValidator(quantities.whole(1, MOST)),
        WithJsonSchema({"type": "integer", "minimum": 1, "maximum": MOST}),
    ] = Field(default=None, description="cores, however many processors each has")
    memory: HostMemory = Field(default=None, description="memory, like '96 GiB'")
    disk: HostMemory = Field(default=None, description="free disk under assay's state, like '60 GiB'")
    nodes: Annotated[
        int | None,
        PlainValidator(quantities.whole(1, MOST)),
        WithJsonSchema({"type": "integer", "minimum": 1, "maximum": MOST}),
    ] = Field(default=None, description="memory nodes")
    kvm: Truth = Field(default=False, description="guests run by KVM there")
    tools: list[Annotated[str, PlainValidator(kinds.line), WithJsonSchema({"type": "string"})]] = Field(
        default=[], description="programs on its path"
    )
