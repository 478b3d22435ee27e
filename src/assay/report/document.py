"""``docs/report.md``: the contexts' documentation, written from the dataclasses and compared by a test."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from assay.report.comparison import ComparisonPage
from assay.report.context import Page
from assay.report.schema import help_of, kinds

HEAD = """# The JSON of a report

Every page of `assay report` and `assay result compare` is a pure function of one JSON context, which is written
beside it. Losses are fractions (0.1 = 10 %), times seconds, all at full double precision; rounding is for people.
`null` is "not measured"; 0 is a measurement.

The format has a name (`schema`) and a version `[major, minor]`. A newer minor only adds fields; readers pass over
those that they don't know. A newer major is refused. The same as JSON Schema:
`contracts/report-v1.schema.json` and `contracts/comparison-v1.schema.json`.

This page is written from the code: `REGENERATE=1 pytest tests/report`.
"""


def context_document() -> str:
    """Return the Markdown of both contexts: one heading a kind of object, one line a field."""
    seen: dict[type[Any], None] = dict.fromkeys([*kinds(Page), *kinds(ComparisonPage)])
    return "\n".join([HEAD, *(_kind(kind) for kind in seen)])


def _kind(kind: type[Any]) -> str:
    hints = get_type_hints(kind)
    rows = [f"| `{item.name}` | {type_text(hints[item.name])} | {help_of(item)} |" for item in fields(kind)]
    return "\n".join(
        [
            f"## {kind.__name__}",
            "",
            str(kind.__doc__),
            "",
            "| field | type | meaning |",
            "| --- | --- | --- |",
            *rows,
            "",
        ]
    )


def type_text(hint: Any) -> str:
    """Return a type in JSON's words: ``number or null``, ``array of [Row](#row)``."""
    if is_dataclass(hint) and isinstance(hint, type):
        return f"[{hint.__name__}](#{hint.__name__.lower()})"
    if isinstance(hint, type) and issubclass(hint, Enum):
        return ", ".join(f"`{item.value}`" for item in hint)
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Literal:
        return ", ".join(f"`{item}`" for item in inner)
    if origin is UnionType:
        return " or ".join(type_text(item) for item in inner)
    return f"array of {type_text(inner[0])}" if origin is tuple else WORDS[hint]


WORDS = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}
