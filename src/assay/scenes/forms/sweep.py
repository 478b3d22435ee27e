"""The words of a sweep beside its factors. Imports pydantic: only forms may."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, Field, PlainValidator, WithJsonSchema

from assay.scenes.values.expected import ExpectedError
from assay.scenes.values.swept import Sweep

_EXPECTED = "a list of two factors or more, or a list of such lists"
_NAMES = {"type": "array", "items": {"type": "string"}, "minItems": 2, "uniqueItems": True}


def _groups(value: object) -> tuple[tuple[str, ...], ...]:
    groups: list[Any] = value if isinstance(value, list) and value and isinstance(value[0], list) else [value]
    for group in groups:
        named = isinstance(group, list) and all(isinstance(name, str) for name in group)
        if not named or len(set(group)) < max(2, len(group)):
            raise ExpectedError(_EXPECTED)
    return tuple(map(tuple, groups))


Zip = Annotated[
    Any,
    PlainValidator(_groups),
    WithJsonSchema({"anyOf": [_NAMES, {"type": "array", "items": _NAMES, "minItems": 1}]}),
]
ZIP: Any = Field(
    default=(), description="factors whose lists go level by level instead of crosswise; or a list of such"
)
EXCLUDE: Any = Field(
    default=[], description="combinations that are left out: some factors with a level each, or with a list"
)


def to_sweep(together: Any, without: list[Any]) -> Sweep:
    """Return how the levels of a treatment's factors go together."""

    def said(one: Any) -> dict[str, Any]:
        return one.model_dump(by_alias=True, exclude_unset=True) if isinstance(one, BaseModel) else one

    return Sweep(
        together,
        tuple(
            {name: level if isinstance(level, tuple) else (level,) for name, level in levels.items()}
            for levels in map(said, without)
        ),
    )
