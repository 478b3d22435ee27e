"""JSON values back to frozen dataclasses, by their types; fields of a newer minor version are passed over."""

from __future__ import annotations

import json
import re
from dataclasses import MISSING, fields
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from assay.model.errors import AssayError
from assay.model.files.json_text import parse_json

if TYPE_CHECKING:
    from pydantic import TypeAdapter
    from pydantic_core import ErrorDetails

T = TypeVar("T")


class ContextError(AssayError):
    """A JSON context that cannot be read.

    Args:
        place: Where in it: ``page.estimates[0].loss``.
        expected: What should stand there.
        actual: What stands there.
        hint: What to do about it.
    """

    def __init__(self, *, place: str, expected: str, actual: str, hint: str | None = None) -> None:
        self.place, self.expected, self.actual = place, expected, actual
        super().__init__(f"cannot read report: {place}: expected {expected}, got {actual}", hint=hint)


def defaults(kind: type[Any]) -> dict[str, Any]:
    """Return the default values of a dataclass by field name."""
    return {item.name: item.default for item in fields(kind) if item.default is not MISSING}


def decode(kind: type[T], value: object, place: str) -> T:
    """Return ``value``, parsed from JSON, as a dataclass; fields are read by their former names, too
    (``say``).

    Raises:
        ContextError: the value does not fit; the error says where.
    """
    return decode_text(kind, json.dumps(value), place)


def decode_file(kind: type[T], data: bytes, name: str, schema: str, major: int) -> T:
    """Return the content of a file of ours as a dataclass.

    Args:
        kind: The dataclass.
        data: The content.
        name: What it is called in messages.
        schema: Its ``schema``.
        major: The major version that is read.

    Raises:
        ContextError: Not JSON, another format or major version, or a field missing or of a wrong type.
    """
    try:
        values = parse_json(data)
    except ValueError as error:
        raise ContextError(place=name, expected="JSON in UTF-8", actual=str(error)) from None
    if not isinstance(values, dict) or values.get("schema") != schema:
        raise ContextError(place=f"{name}.schema", expected=f"'{schema}'", actual="something else")
    version = values.get("version")
    if not isinstance(version, list) or version[:1] != [major]:
        raise ContextError(place=f"{name}.version", expected=f"{major}.x", actual=repr(version))
    return decode(kind, values, name)


def decode_text(kind: type[T], text: bytes | str, place: str) -> T:
    """Return a JSON text as a dataclass, as ``decode`` its value.

    Raises:
        ContextError: As ``decode``.
    """
    from pydantic import ValidationError

    try:
        made: T = _reader(kind).validate_json(  # type: ignore[arg-type] # mypy: a type can be hashed
            text, strict=True, by_alias=True, by_name=True
        )
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise ContextError(
            place=_place(place, first), expected=_expected(first), actual=_actual(first)
        ) from None
    return made


@cache
def _reader(kind: Any) -> TypeAdapter[Any]:
    """Return what reads a type, made once: for a page that takes a quarter of a second."""
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


def _place(place: str, error: ErrorDetails) -> str:
    return place + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error["loc"])


def _expected(error: ErrorDetails) -> str:
    if error["type"] == "missing":
        return "a value"
    if error["type"] in {"enum", "literal_error"}:
        return "one of " + ", ".join(re.findall("'([^']*)'", error["ctx"]["expected"]))
    expected = error["msg"].removeprefix("Input should be ")
    return re.sub("^a valid (?=[aeiou])", "an ", expected).replace("valid ", "")


def _actual(error: ErrorDetails) -> str:
    value = error["input"]
    if error["type"] == "missing":
        return "nothing"
    return repr(value) if error["type"] in {"enum", "literal_error"} else _NAMES[type(value)]


_NAMES: dict[type[Any], str] = {
    str: "a string", int: "an integer", float: "a number", bool: "a boolean",
    dict: "an object", list: "an array", type(None): "null",
}  # fmt: skip
