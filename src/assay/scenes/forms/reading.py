"""The form of own metrics and of success: how figures are read, and when a program succeeded. Imports
pydantic.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import ConfigDict, Field, PlainValidator, WithJsonSchema

from assay.model.metric import Direction
from assay.model.work.reading import Of
from assay.scenes.forms import kinds, reading_words
from assay.scenes.forms.base import Form
from assay.scenes.forms.fields import Truth
from assay.workloads.catalogue import READERS

_FILE = {"type": "string", "pattern": r"^[^/]"}
_TEXT = {"type": "string"}
_CODE = {"type": "integer", "minimum": 0, "maximum": 255}
_CODES = {"anyOf": [_CODE, {"type": "array", "items": _CODE, "minItems": 1, "uniqueItems": True}]}

MetricName = Annotated[
    str,
    PlainValidator(reading_words.metric),
    WithJsonSchema({"type": "string", "pattern": reading_words.METRIC}),
]
FigureName = Annotated[
    str | None,
    PlainValidator(reading_words.figure),
    WithJsonSchema({"type": "string", "pattern": reading_words.FIGURE}),
]
Label = Annotated[str, PlainValidator(kinds.line), WithJsonSchema({"type": "string", "pattern": r"\S"})]
Unit = Annotated[
    str,
    PlainValidator(reading_words.unit),
    WithJsonSchema({"type": "string", "minLength": 1, "maxLength": 24}),
]
DirectionWord = Annotated[
    str,
    PlainValidator(kinds.word(*Direction)),
    WithJsonSchema({"type": "string", "enum": [str(way) for way in Direction]}),
]
LinePattern = Annotated[str | None, PlainValidator(reading_words.line_pattern), WithJsonSchema(_TEXT)]
NumberPattern = Annotated[str | None, PlainValidator(reading_words.number_pattern), WithJsonSchema(_TEXT)]
Pointer = Annotated[
    str | None,
    PlainValidator(reading_words.pointer),
    WithJsonSchema({"type": "string", "pattern": "^(/([^~]|~[01])*)?$"}),
]
Written = Annotated[str | None, PlainValidator(reading_words.written), WithJsonSchema(_FILE)]
WrittenFile = Annotated[str, PlainValidator(reading_words.written), WithJsonSchema(_FILE)]
OfWord = Annotated[
    str | None,
    PlainValidator(kinds.word(*Of)),
    WithJsonSchema({"type": "string", "enum": [str(one) for one in Of]}),
]
Tool = Annotated[
    str | None,
    PlainValidator(reading_words.tool),
    WithJsonSchema(_TEXT | {"enum": sorted(READERS.own)}),
]
Exits = Annotated[
    tuple[int, ...], PlainValidator(reading_words.exits), WithJsonSchema(_CODES | {"default": [0]})
]
_ONE_WAY: dict[str, Any] = {"oneOf": [{"required": [way]} for way in ("pattern", "pointer", "figure")]}


class MetricForm(Form):
    """One figure of a program of the user's own: pattern, pointer or figure say where it stands."""

    model_config = ConfigDict(json_schema_extra=_ONE_WAY)

    pattern: NumberPattern = Field(
        default=None, description="regular expression with one group, the number, found anywhere in a line"
    )
    pointer: Pointer = Field(
        default=None, description="JSON Pointer (RFC 6901) to the number, like '/results/0/rate'"
    )
    figure: FigureName = Field(
        default=None, description="metric of the tool that 'parser' names, like bw_bytes"
    )
    labels: dict[Label, Label] = Field(
        default={}, description="labels that tell the figure from others of its metric"
    )
    file: Written = Field(
        default=None, description="where it stands, in the scratch folder; standard output where absent"
    )
    unit: Unit = Field(description="its unit, any short text, like 'events/s'; '1' for a plain number")
    direction: DirectionWord = Field(description="which way is better")
    timed: Truth = Field(
        default=True,
        description="it rests on the machine's clock (a rate, a time); false for counts and sizes",
    )
    of: OfWord = Field(default=None, description="which of several numbers; several are refused where absent")


class SuccessForm(Form):
    """When a program has succeeded; a trial in which it has not fails and gives no figure."""

    exit: Exits = Field(default=(0,), description="exit codes that are good, 0 where absent")
    pattern: LinePattern = Field(default=None, description="regular expression that a line must match")
    absent: LinePattern = Field(default=None, description="regular expression that no line may match")
    log: Written = Field(
        default=None,
        description="file in the scratch folder to look in; standard output and standard error where absent",
    )
    files: list[WrittenFile] = Field(
        default=[], description="files in the scratch folder that must be there and not empty"
    )


METRICS: Any = Field(
    default={}, description="name: how a figure of the program is read, beside its wall time and CPU time"
)
PARSER: Any = Field(default=None, description="tool whose reader reads what the program wrote, for 'figure'")
SUCCESS: Any = Field(
    default=None, description="when the program has succeeded; it exited with 0 where absent"
)
