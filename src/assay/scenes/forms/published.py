"""The form of a scene's published figures. Imports pydantic: only ``form`` may."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, PlainValidator, WithJsonSchema

from assay.model.figures.published import PublishedSpec
from assay.scenes.forms import kinds
from assay.scenes.forms.base import Form
from assay.scenes.forms.fields import Line, Truth
from assay.scenes.published import published_figures
from assay.scenes.values.expected import ExpectedError, nearest, text

NAME = "the name of published figures, like 'juno-2017/cpu-loss'"


def _figures(value: object) -> str:
    """Return the name of published figures."""
    named = published_figures()
    if (name := text(value, NAME)) not in named:
        raise ExpectedError(NAME, nearest=nearest(name, named), hint="all of them: docs/published.md")
    return name


def _lines(value: object) -> tuple[str, ...]:
    """Return one line, or several different ones."""
    lines = tuple(kinds.line(item) for item in (value if isinstance(value, list) else [value]))
    if not lines or len(set(lines)) < len(lines):
        expected = "one line of text, or a list of different ones"
        raise ExpectedError(expected)
    return lines


_LINE = {"type": "string", "pattern": r"\S"}
_SCHEMA: dict[str, Any] = {
    "anyOf": [_LINE, {"type": "array", "items": _LINE, "minItems": 1, "uniqueItems": True}]
}
_Figures = Annotated[str, PlainValidator(_figures), WithJsonSchema({"type": "string", "pattern": "/"})]
_Lines = Annotated[tuple[str, ...], PlainValidator(_lines), WithJsonSchema(_SCHEMA)]


class PublishedForm(Form):
    """Published figures that the report shows beside those of the scene."""

    figures: _Figures = Field(description="name of the published figures, like 'juno-2017/cpu-loss'")
    beside: _Lines = Field(
        default=(),
        description="workload, workload and metric with a blank between them, or 'weight'; or a list; none: "
        "shown alone",
    )
    treatments: _Lines = Field(
        default=(), description="labels of the treatments that they stand beside, or a list; none: all"
    )
    differs: Line | None = Field(default=None, description="what is not alike, one sentence")
    turned: Truth = Field(default=False, description="they are from our treatment to our baseline")


def published_spec(form: PublishedForm) -> PublishedSpec:
    """Return the value of a form."""
    return PublishedSpec(form.figures, form.beside, form.treatments, form.differs, form.turned)
