"""The form of a near-native platform as treatment. Imports pydantic: only ``form`` may."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, PlainValidator, WithJsonSchema

from assay.model.platforms.container import Runtime
from assay.scenes.forms import kinds
from assay.scenes.forms.base import Form
from assay.scenes.forms.fields import Memory, MemoryLimits, Quotas
from assay.scenes.forms.layout import Layouts
from assay.scenes.forms.processors import PROCESSORS, THREADS, Processors, ThreadsWord
from assay.scenes.forms.sweep import EXCLUDE, ZIP, Zip
from assay.scenes.values.swept import swept, swept_schema
from assay.scenes.values.words import RUNSC_PLATFORMS

_OCI = (str(Runtime.RUNC), str(Runtime.PODMAN))


def _word(*known: str) -> object:
    return Annotated[str, PlainValidator(kinds.word(*known)), WithJsonSchema({"enum": list(known)})]


class ContainerFactors(Form):
    """Factors of a container."""

    cpu_quota: Quotas = Field(
        default=None, alias="cpu.quota", description="share of the processors' time, like '50 %'"
    )
    memory_limit: MemoryLimits = Field(
        default=None, alias="memory.limit", description="memory of the whole container, like '64 MiB'"
    )


class ContainerForm(Form):
    """A container on the baseline's machine, with its files."""

    platform: _word(*_OCI) = Field(description="what makes the container")  # type: ignore[valid-type]
    factors: ContainerFactors = ContainerFactors()
    zip: Zip = ZIP
    exclude: list[ContainerFactors] = EXCLUDE
    layout: Layouts | None = Field(
        default=None, description="several containers that share its processors and memory; or a list of such"
    )
    processors: Processors = PROCESSORS
    threads: ThreadsWord = THREADS


_Platforms = Annotated[
    Any,
    PlainValidator(swept(kinds.word(*RUNSC_PLATFORMS))),
    WithJsonSchema(swept_schema({"enum": list(RUNSC_PLATFORMS)})),
]


class GvisorFactors(ContainerFactors):
    """Factors of gVisor."""

    runsc_platform: _Platforms = Field(
        default=None,
        alias="runsc.platform",
        description="how system calls are caught; where absent, what runsc takes itself",
    )


class GvisorForm(Form):
    """A container whose system calls gVisor's kernel answers."""

    platform: _word(str(Runtime.RUNSC)) = Field(description="gVisor")  # type: ignore[valid-type]
    factors: GvisorFactors = GvisorFactors()
    zip: Zip = ZIP
    exclude: list[GvisorFactors] = EXCLUDE
    layout: Layouts | None = Field(
        default=None, description="several containers that share its processors and memory; or a list of such"
    )
    processors: Processors = PROCESSORS
    threads: ThreadsWord = THREADS


class UmlFactors(Form):
    """Factors of user-mode Linux."""

    memory: Memory = Field(default=2 * 1024**3, alias="memory.size", description="memory, like '2 GiB'")


class UmlForm(Form):
    """User-mode Linux on the baseline's machine, with its files."""

    platform: _word(str(Runtime.UML)) = Field(description="user-mode Linux")  # type: ignore[valid-type]
    factors: UmlFactors = UmlFactors()
    zip: Zip = ZIP
    exclude: list[UmlFactors] = EXCLUDE
    processors: Processors = PROCESSORS
    threads: ThreadsWord = THREADS


def container_tag(platform: object) -> str | None:
    """Return the tag of the form that a platform's word belongs to; ``None`` where it is no container's."""
    if not isinstance(platform, str):
        return None
    if platform in _OCI:
        return "<container>"
    others: dict[str, str] = {Runtime.RUNSC: "<gvisor>", Runtime.UML: "<uml>"}
    return others.get(platform)
