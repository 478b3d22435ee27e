"""The context's JSON Schema and its documentation, both from the dataclasses and their help."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import Field, fields, is_dataclass
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}


def json_schema(root: type[Any], *, title: str) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a context; fields of newer minor versions are allowed
    everywhere.
    """
    definitions = {kind.__name__: _object(kind) for kind in kinds(root) if kind is not root}
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title}
    return head | _object(root) | {"$defs": definitions}


def kinds(root: type[Any]) -> list[type[Any]]:
    """Return a context's dataclasses, the root first, each once, in the order in which they are met."""
    seen: dict[type[Any], None] = {root: None}
    for hint in get_type_hints(root).values():
        seen |= {kind: None for inner in _dataclasses(hint) for kind in kinds(inner)}
    return list(seen)


def help_of(item: Field[Any]) -> str:
    """Return the help of a field; empty where it has none."""
    return str(item.metadata.get("help", ""))


def _dataclasses(hint: Any) -> Iterator[type[Any]]:
    if is_dataclass(hint) and isinstance(hint, type):
        yield hint
    for inner in get_args(hint):
        yield from _dataclasses(inner)


def _object(kind: type[Any]) -> dict[str, Any]:
    hints = get_type_hints(kind)
    members = {
        item.name: type_schema(hints[item.name]) | {"description": help_of(item)} for item in fields(kind)
    }
    text = (kind.__doc__ or "").strip()
    return {"type": "object", "description": text, "properties": members, "required": list(members)}


def type_schema(hint: Any) -> dict[str, Any]:
    """Return the schema of one type."""
    if is_dataclass(hint) and isinstance(hint, type):
        return {"$ref": f"#/$defs/{hint.__name__}"}
    if isinstance(hint, type) and issubclass(hint, Enum):
        return {"enum": [item.value for item in hint]}
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Literal:
        return {"enum": list(inner)}
    if origin is Mapping:
        return {"type": "object"} | (
            {} if inner[1] is Any else {"additionalProperties": type_schema(inner[1])}
        )
    if origin in (UnionType, Union):  # the second with a Literal
        return {"anyOf": [type_schema(item) for item in inner]}
    return _array(inner) if origin is tuple else {"type": PLAIN[hint]}


def _array(inner: tuple[Any, ...]) -> dict[str, Any]:
    items = {"type": "array", "items": type_schema(inner[0])}
    return items if inner[-1] is Ellipsis else items | {"minItems": len(inner), "maxItems": len(inner)}
