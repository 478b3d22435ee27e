"""JSON values back to frozen dataclasses, by their types; fields of a newer minor version are passed over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from assay.model.errors import AssayError

Form = Callable[[Any, Any, str], Any]


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


def decode(kind: Any, value: Any, place: str) -> Any:
    """Return ``value`` as ``kind``: a dataclass, enumeration, tuple, union with None, literal or plain type.

    Raises:
        ContextError: the value does not fit; the error says where.
    """
    if is_dataclass(kind) and isinstance(kind, type):
        return _record(kind, value, place)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return _choice({str(item.value): item for item in kind}, value, place)
    form: Form = _FORMS.get(get_origin(kind), _plain)
    return form(kind, value, place)


def _record(kind: type[Any], value: Any, place: str) -> Any:
    if not isinstance(value, dict):
        raise ContextError(place=place, expected="an object", actual=_name(value))
    known, hints = defaults(kind), get_type_hints(kind)
    value = _renamed(kind, value)
    missing = [item.name for item in fields(kind) if item.name not in value and item.name not in known]
    if missing:
        raise ContextError(place=f"{place}.{missing[0]}", expected="a value", actual="nothing")
    given = {name: decode(hints[name], value[name], f"{place}.{name}") for name in hints if name in value}
    made: Any = kind
    return made(**given)


def _renamed(kind: type[Any], value: dict[str, Any]) -> dict[str, Any]:
    """Return the values of an object by the names of today (``say``)."""
    former = {item.name: item.metadata.get("was") for item in fields(kind)}
    old = {name: value[was] for name, was in former.items() if was in value and name not in value}
    return value | old


def _tuple(kind: Any, value: Any, place: str) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise ContextError(place=place, expected="an array", actual=_name(value))
    item = get_args(kind)[0]
    return tuple(decode(item, element, f"{place}[{at}]") for at, element in enumerate(value))


def _optional(kind: Any, value: Any, place: str) -> Any:
    if value is None:
        return None
    return decode(next(item for item in get_args(kind) if item is not NoneType), value, place)


def _literal(kind: Any, value: Any, place: str) -> Any:
    return _choice({item: item for item in get_args(kind)}, value, place)


def _choice(known: dict[str, Any], value: Any, place: str) -> Any:
    if not isinstance(value, str) or value not in known:
        raise ContextError(place=place, expected=f"one of {', '.join(known)}", actual=repr(value))
    return known[value]


def _plain(kind: type[Any], value: Any, place: str) -> Any:
    if kind is float and type(value) is int:
        return float(value)
    if type(value) is not kind:
        raise ContextError(place=place, expected=NAMES[kind], actual=_name(value))
    return value


def _name(value: Any) -> str:
    return NAMES.get(type(value), type(value).__name__)


NAMES: dict[type[Any], str] = {
    str: "a string", int: "an integer", float: "a number", bool: "a boolean",
    dict: "an object", list: "an array", NoneType: "null",
}  # fmt: skip

_FORMS: dict[Any, Form] = {tuple: _tuple, UnionType: _optional, Literal: _literal}
