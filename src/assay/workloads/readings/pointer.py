"""A figure by a JSON Pointer.

Source: RFC 6901 (JavaScript Object Notation (JSON) Pointer), sections 3 and 4.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from assay.workloads.readings.numbers import measured
from assay.workloads.readings.wrote import shown

_BAD_ESCAPE = re.compile(r"~(?![01])")
_INDEX = re.compile(r"0|[1-9][0-9]*")
_OBJECT = re.compile(r"^[ \t]*\{", re.MULTILINE)


@dataclass(frozen=True)
class _Unknown:
    """A value that is none: a name that comes twice, or a word that JSON has no number for."""

    what: str


def parse_pointer(text: str) -> tuple[str, ...]:
    """Return the steps of a pointer, ``/a~1b/0`` -> ``("a/b", "0")``; an empty one is the whole document.

    Raises:
        ValueError: no pointer; the message says why.
    """
    if text and not text.startswith("/"):
        msg = "it begins with '/'"
        raise ValueError(msg)
    if _BAD_ESCAPE.search(text):
        msg = "after '~' comes 0 (for '~') or 1 (for '/')"
        raise ValueError(msg)
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in text.split("/")[1:])


def by_pointer(content: bytes, pointer: str) -> float:
    """Return the number at a pointer.

    The text is one JSON value, or has one JSON object that begins a line: programs print warnings around it.

    Raises:
        ValueError: no JSON, nothing there, or no number; the message says what was expected.
    """
    value: object = _read(content.decode("utf-8-sig", "replace"))
    steps = parse_pointer(pointer)
    for depth, step in enumerate(steps):
        value = _child(value, step, so_far=_spell(steps[:depth]))
    return _number(value, pointer)


def _child(parent: object, step: str, *, so_far: str) -> object:
    if isinstance(parent, dict):
        if step not in parent:
            msg = f"expected the name '{shown(step, 60)}' at '{so_far}', got {_names(parent)}"
            raise ValueError(msg)
        return parent[step]
    if isinstance(parent, list):
        if _INDEX.fullmatch(step) is None or int(step[:9]) >= len(parent):
            msg = (
                f"expected one of {len(parent)} items at '{so_far}', counted from 0, got '{shown(step, 60)}'"
            )
            raise ValueError(msg)
        return parent[int(step)]
    msg = f"expected an object or an array at '{so_far}', got {_show(parent)}"
    raise ValueError(msg)


def _number(value: object, pointer: str) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return measured(float(value))
        except OverflowError as error:
            msg = f"expected a finite number at '{pointer}'"
            raise ValueError(msg) from error
    msg = f"expected a number at '{pointer}', got {_show(value)}"
    raise ValueError(msg)


def _read(text: str) -> object:
    """Return the JSON value that a text is, or the only object in it."""
    decoder = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_Unknown)
    try:
        return decoder.decode(text)
    except RecursionError as error:
        msg = "expected JSON that can be read, got brackets without end"
        raise ValueError(msg) from error
    except ValueError as error:
        begins = _OBJECT.search(text)
        if begins is None:
            raise ValueError(_no_json(text, error)) from error
    return _object(text, begins.end() - 1, decoder)


def _object(text: str, start: int, decoder: json.JSONDecoder) -> object:
    try:
        content, end = decoder.raw_decode(text, start)
    except RecursionError as error:
        msg = "expected JSON that can be read, got brackets without end"
        raise ValueError(msg) from error
    except ValueError as error:
        raise ValueError(_no_json(text, error)) from error
    if (second := _OBJECT.search(text, end)) is not None:
        line = text.count("\n", 0, second.end()) + 1
        msg = f"expected one JSON object, got a second one in line {line}"
        raise ValueError(msg)
    return content


def _no_json(text: str, error: ValueError) -> str:
    if not text.strip():
        return "expected JSON, got an empty text"
    if isinstance(error, json.JSONDecodeError):
        return f"expected JSON, got in line {error.lineno}: {error.msg.lower()}"
    return f"expected JSON that can be read: {error!s:.80}"


def _pairs(items: Sequence[tuple[str, object]]) -> dict[str, object]:
    members = dict(items)
    if len(members) < len(items):
        twice = {name for name, count in Counter(name for name, _ in items).items() if count > 1}
        members |= {name: _Unknown(f"the name '{name}' twice") for name in twice}
    return members


def _spell(steps: Sequence[str]) -> str:
    return "".join(f"/{step.replace('~', '~0').replace('/', '~1')}" for step in steps)


def _names(members: dict[str, object]) -> str:
    return f"{shown(', '.join(members), 120)}" if members else "an empty object"


def _show(value: object) -> str:
    if isinstance(value, _Unknown):
        return value.what
    if value is None:
        return "null"
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "an array"
    return f"'{shown(value, 40)}'" if isinstance(value, str) else str(value).lower()
