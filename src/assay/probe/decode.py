"""From JSON to the words of the house, with the place of what does not fit."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from assay.model.files.json_text import parse_json

if TYPE_CHECKING:
    from pydantic import TypeAdapter

T = TypeVar("T")


def decode(kind: type[T], data: bytes | object, *, what: str, error: Callable[[str], Exception]) -> T:
    """Return a value of a dataclass from its JSON; fields that it does not know are left out.

    Numbers are finite: NaN and infinity are no words of JSON.

    Args:
        kind: The dataclass.
        data: JSON text as bytes, or what was parsed from it.
        what: What is read, for the message.
        error: Makes the error from its message.

    Raises:
        Exception: ``error(message)``; the message names the field.
    """
    import json

    from pydantic import ValidationError

    text = data if isinstance(data, bytes) else json.dumps(data).encode()
    try:
        parse_json(text)
        value: T = _reader(kind).validate_json(text, strict=True)  # type: ignore[arg-type] # classes hash
    except ValidationError as wrong:
        first = wrong.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        msg = f"cannot read {what}: {f'{place}: ' if place else ''}{first['msg'].lower()}"
        raise error(msg) from wrong
    except ValueError as wrong:
        msg = f"cannot read {what}: {wrong}"
        raise error(msg) from wrong
    return value


@cache
def _reader(kind: type[Any]) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    return TypeAdapter(kind)
