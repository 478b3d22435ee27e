"""The words of a workload that is a container. Imports pydantic: only forms may."""

from __future__ import annotations

import re
import shlex
from typing import Annotated

from pydantic import PlainValidator, WithJsonSchema

from assay.scenes.values.expected import ExpectedError, nearest, text
from assay.workloads.tools.hep.definition import ENGINES

IMAGE = r"^[A-Za-z0-9._/][A-Za-z0-9._/:@+-]*$"
SCORE = r"^[A-Za-z0-9][A-Za-z0-9_.-]*$"


def _image(value: object) -> str:
    return _matching(value, IMAGE, "a container image, like 'registry.example.org/exp-gen-sim-bmk:v2'")


def _score(value: object) -> str:
    return _matching(value, SCORE, "the name of a score, like 'gen-sim'")


def _matching(value: object, pattern: str, expected: str) -> str:
    if re.fullmatch(pattern, words := text(value, expected)) is None:
        raise ExpectedError(expected)
    return words


def _words(value: object) -> tuple[str, ...]:
    expected = "words, with their quotes closed"
    try:
        return tuple(shlex.split(text(value, expected)))
    except ExpectedError:
        raise
    except ValueError as error:
        raise ExpectedError(expected) from error


def _engine(value: object) -> tuple[str, ...]:
    expected = f"one of {', '.join(ENGINES)}, with its own options"
    words = _words(value)
    if not words or words[0] not in ENGINES:
        raise ExpectedError(expected, nearest=nearest(words[0], ENGINES) if words else None)
    return words


_TEXT = {"type": "string"}
Image = Annotated[str | None, PlainValidator(_image), WithJsonSchema(_TEXT | {"pattern": IMAGE})]
ScoreName = Annotated[str | None, PlainValidator(_score), WithJsonSchema(_TEXT | {"pattern": SCORE})]
Engine = Annotated[
    tuple[str, ...] | None,
    PlainValidator(_engine),
    WithJsonSchema(_TEXT | {"pattern": rf"^\s*({'|'.join(ENGINES)})(\s.*)?$"}),
]
Arguments = Annotated[tuple[str, ...] | None, PlainValidator(_words), WithJsonSchema(_TEXT)]
