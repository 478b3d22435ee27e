"""The form of layouts, and the layouts that one makes. Imports pydantic: only forms may."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Annotated, Any

from pydantic import Discriminator, Field, PlainValidator, Tag, WithJsonSchema

from assay.model.platforms.layout import Layout, layout_of
from assay.scenes.forms import kinds, quantities
from assay.scenes.forms.base import Form
from assay.scenes.values.expected import ExpectedError

MOST_GUESTS = 256
_TIME = {"type": "string", "pattern": r"^\s*[0-9]+(\.[0-9]+)?\s*(ms|s|min|h|d)\s*$"}


def _several(one: Callable[[object], Any], expected: str) -> Callable[[object], tuple[Any, ...]]:
    """Return a kind: one value, or a list of different ones."""

    def read(value: object) -> tuple[Any, ...]:
        if not isinstance(value, list):
            return (one(value),)
        values = tuple(one(item) for item in value)
        if not values or len(set(values)) < len(values):
            wording = f"{expected}, or a list of different ones"
            raise ExpectedError(wording)
        return values

    return read


def _schema(one: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [one, {"type": "array", "items": one, "minItems": 1, "uniqueItems": True}]}


_COUNT = {"type": "integer", "minimum": 1, "maximum": MOST_GUESTS}
_Counts = Annotated[
    tuple[int, ...],
    PlainValidator(_several(quantities.whole(1, MOST_GUESTS), "a number of guests")),
    WithJsonSchema(_schema(_COUNT) | {"default": 1}),
]
_Groups = Annotated[
    tuple[int, ...],
    PlainValidator(_several(quantities.whole(1, MOST_GUESTS), "a number of guests that start at once")),
    WithJsonSchema(_schema(_COUNT) | {"default": 1}),
]
_Staggers = Annotated[
    tuple[float, ...],
    PlainValidator(_several(quantities.seconds("0 s", "1 h"), "a time with its unit, like '5 s'")),
    WithJsonSchema(_schema(_TIME) | {"default": "0 s"}),
]
_Truths = Annotated[
    tuple[bool, ...],
    PlainValidator(_several(kinds.truth, "true or false")),
    WithJsonSchema(_schema({"type": "boolean"}) | {"default": False}),
]


class LayoutForm(Form):
    """How the guest's cores and memory are shared out between several guests."""

    guests: _Counts = Field(
        default=(1,), description="guests that share cpu.vcpus and memory.size in equal parts; or a list"
    )
    stagger: _Staggers = Field(
        default=(0.0,),
        description="time from the start of one guest's job to the next, like '5 s'; or a list",
    )
    at_once: _Groups = Field(
        default=(1,),
        alias="at-once",
        description="guests whose jobs start together, the next so many a stagger later; or a list",
    )
    preload: _Truths = Field(
        default=(False,), description="put the workload's files into the guests' page cache first; or a list"
    )


def _layout_tag(value: object) -> str:
    return "<layouts>" if isinstance(value, list) else "<layout>"


Layouts = Annotated[
    Annotated[LayoutForm, Tag("<layout>")]
    | Annotated[list[LayoutForm], Field(min_length=1), Tag("<layouts>")],
    Discriminator(_layout_tag),
]


def layouts(given: LayoutForm | list[LayoutForm] | None) -> Iterator[Layout]:
    """Yield every combination of what one form or several say, each way to start once."""
    forms = given if isinstance(given, list) else [given or LayoutForm()]
    every = (
        levels
        for form in forms
        for levels in itertools.product(form.guests, form.stagger, form.at_once, form.preload)
    )
    made = (
        layout_of(count, stagger, preload=preload, at_once=together)
        for count, stagger, together, preload in every
    )
    yield from dict.fromkeys(made)
