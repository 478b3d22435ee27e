"""The words of HTCondor: ClassAds as its programs print them, and texts in the languages that it reads."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.machines.batch.client import Client
from assay.model.errors import AssayError

CLIENT = Client(
    "HTCondor", package="its Debian package is condor, its own htcondor", state="condor_status -schedd"
)


@dataclass(frozen=True)
class Ad:
    """A ClassAd.

    Attributes:
        program: The program that printed it.
        words: Its attributes by name; an expression is a text.
    """

    program: str
    words: Mapping[str, Any]

    def text(self, name: str) -> str:
        """Return a text, which must be there; raise ``EngineError`` where it is not."""
        return str(self._read(name, str))

    def number(self, name: str) -> int:
        """Return a whole number, which must be there; HTCondor prints some with a fraction of 0."""
        return int(self._read(name, int | float))

    def said(self, name: str) -> str | None:
        """Return a text; ``None`` where there is none."""
        value = self.words.get(name)
        return value.strip() or None if isinstance(value, str) else None

    def _read(self, name: str, kind: Any) -> Any:
        value = self.words.get(name)
        if not isinstance(value, kind):
            said = f"{name} = {value!r}"
            raise CLIENT.unreadable(said, self.program)
        return value


def ask_ads(program: str, *words: str) -> list[Ad]:
    """Return what a program prints as JSON; where there is nothing, it prints nothing at all.

    Raises:
        EngineError: It fails, does not answer, or cannot be read.
        MissingError: It is not here.
    """
    told = CLIENT.ask(program, "-json", *words)
    try:
        found = json.loads(told or "[]")
    except ValueError:
        found = None
    if not isinstance(found, list) or not all(isinstance(ad, dict) for ad in found):
        raise CLIENT.unreadable(told, program)
    return [Ad(program, ad) for ad in found]


def quoted(text: str) -> str:
    """Return a text as an expression of ClassAds has it."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def submitted(text: str) -> str:
    """Return a text that ``condor_submit`` takes as it is.

    Raises:
        AssayError: It has what a line cannot hold, or what begins a macro, of which some are replaced as late
            as on the node.
    """
    if not text.isprintable() or "$" in text:
        msg = f"cannot submit a job of HTCondor: expected printable text without '$', got {text!r}"
        raise AssayError(msg)
    return text


def arguments(words: Sequence[str], *macros: str) -> str:
    """Return the arguments of a command as ``condor_submit`` has them, macros of its own after them."""
    texts = [submitted(word).replace("'", "''").replace('"', '""') for word in words]
    return '"' + " ".join(f"'{word}'" for word in (*texts, *macros)) + '"'


def checked(option: str, value: str, form: str, expected: str) -> str:
    """Return what a job is asked for, if it has its form.

    Raises:
        AssayError: It has another; what is submitted is a language, so that a value could say more.
    """
    if not re.fullmatch(form, value, re.ASCII):
        msg = f"cannot ask HTCondor for {option}={value!r}: expected {expected}"
        raise AssayError(msg)
    return value
