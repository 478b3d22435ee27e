"""The JSON objects in a tool's output, and the numbers in them."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from dataclasses import dataclass
from typing import NoReturn, cast

from assay.workloads.errors import OutputError

_OBJECT = re.compile(r"^[ \t]*\{", re.MULTILINE)


@dataclass(frozen=True)
class Document:
    """A JSON object of a tool's output.

    Attributes:
        tool: Whose output it is.
        line: Line from 1 where the object starts.
        content: The object.
        repeated: Names that one object holds twice, so that their values are not known.
    """

    tool: str
    line: int
    content: dict[str, object]
    repeated: frozenset[str]

    def at(self, *path: str | int) -> object:
        """Return what lies at a path, ``None`` where the path ends early."""
        here: object = self.content
        for step in path:
            here = _child(here, step)
        return here

    def number(self, *path: str | int, signed: bool = False) -> float:
        """Return the number at a path.

        Args:
            path: Names and positions from the top.
            signed: It may be negative.

        Raises:
            OutputError: nothing there, not a number, not finite, negative and not ``signed``.
        """
        value = self.at(*path)
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.fail(f"expected a number at {_spell(path)}, got {_show(value)}")
        if not _finite(value) or (value < 0 and not signed):
            least = "" if signed else " of at least 0"
            self.fail(f"expected a number{least} at {_spell(path)}, got {value}")
        return float(value)

    def fail(self, problem: str) -> NoReturn:
        """Raise that the object does not say what it should."""
        raise OutputError(self.tool, self.line, problem)


def read_document(output: bytes, *, tool: str) -> Document:
    """Return the only JSON object of an output; lines before and after it may say anything else.

    Tools print warnings before their report (fio's ``note:`` lines), so the object starts at the first
    line that begins with a brace.

    Raises:
        OutputError: no object, a damaged one (also ``nan``), or more than one.
    """
    text = output.decode("utf-8-sig", "replace")
    first, end = _document(text, _OBJECT.search(text), tool)
    if (second := _OBJECT.search(text, end)) is not None:
        raise OutputError(tool, _line(text, second.start()), "expected one JSON object, got a second one")
    return first


def read_documents(output: bytes, *, tool: str, expected: str = "a JSON object") -> list[Document]:
    """Return all JSON objects of an output, at least one, where a tool writes one report after the other.

    ``expected`` names what may stand there, for the message where there is none.

    Raises:
        OutputError: no object, or a damaged one.
    """
    text = output.decode("utf-8-sig", "replace")
    first, end = _document(text, _OBJECT.search(text), tool, expected)
    documents, counted, line = [first], 0, 1
    while (match := _OBJECT.search(text, end)) is not None:
        line, counted = line + text.count("\n", counted, match.end()), match.end()
        document, end = _document(text, match, tool, line=line)
        documents.append(document)
    return documents


def _document(
    text: str,
    match: re.Match[str] | None,
    tool: str,
    expected: str = "a JSON object",
    *,
    line: int | None = None,
) -> tuple[Document, int]:
    """Return an object and where it ends; its line is counted where it is not told."""
    if match is None:
        raise OutputError(tool, 1, f"expected {expected}, got {first_words(text)}")
    start = match.end() - 1
    content, end, repeated = _decode(text, start, tool)
    return Document(tool, line or _line(text, start), content, repeated), end


def _decode(text: str, start: int, tool: str) -> tuple[dict[str, object], int, frozenset[str]]:
    repeated: set[str] = set()

    def pairs(items: list[tuple[str, object]]) -> dict[str, object]:
        members = dict(items)
        if len(members) < len(items):
            repeated.update(name for name, count in Counter(name for name, _ in items).items() if count > 1)
        return members

    decoder = json.JSONDecoder(object_pairs_hook=pairs, parse_constant=_refuse_constant)
    try:
        content, end = decoder.raw_decode(text, start)
    except json.JSONDecodeError as error:
        raise OutputError(tool, error.lineno, f"expected whole JSON: {error.msg}") from error
    except (_ConstantError, RecursionError, ValueError) as error:
        raise OutputError(tool, _line(text, start), f"expected numbers, got {error}") from error
    return cast("dict[str, object]", content), end, frozenset(repeated)


def _finite(value: int | float) -> bool:  # noqa: PYI041 - a whole number of JSON may be beyond all doubles
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


class _ConstantError(Exception):
    """JSON has no word for what is not a number, and neither has a measurement."""


def _refuse_constant(word: str) -> NoReturn:
    raise _ConstantError(word)


def _child(parent: object, step: str | int) -> object:
    if isinstance(parent, dict) and isinstance(step, str):
        return parent.get(step)
    if isinstance(parent, list) and isinstance(step, int) and step < len(parent):
        return parent[step]
    return None


def _spell(path: tuple[str | int, ...]) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).lstrip(".")


def _show(value: object) -> str:
    return "nothing" if value is None else f"{value!r:.60}"


def first_words(text: str) -> str:
    """Return the beginning of an output in quotes, or 'nothing', for a message."""
    words = text.strip().splitlines()
    return f"'{words[0]:.80}'" if words else "nothing"


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1
