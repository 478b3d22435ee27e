"""A site's batch system, as far as a node is held by it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from assay.model.errors import AssayError, Exit, UnknownNameError

_COUNT = re.compile("[1-9][0-9]{0,5}")
Options = Mapping[str, str]
"""What a job is asked for besides its node: ``partition``, ``account``, ``time`` and so on."""


class EngineError(AssayError):
    """A batch system refuses, or does not answer."""

    exit_code = Exit.MISSING


class QueuedError(AssayError):
    """A node's job waits in the queue, or others' jobs are on it: it is to be asked for again later."""

    exit_code = Exit.UNREACHABLE


@dataclass(frozen=True)
class Node:
    """A node of a batch system.

    Attributes:
        name: Its name there.
        partitions: Those that it is in, sorted.
        features: What the site says of it, sorted.
        state: The system's own word: ``idle``, ``drained``.
        cpus: Processors that it has for jobs.
        by_default: A job that asks for no partition may run on it.
    """

    name: str
    partitions: tuple[str, ...]
    features: tuple[str, ...]
    state: str
    cpus: int
    by_default: bool = True


@dataclass(frozen=True)
class Job:
    """A job of ours that has not ended.

    Attributes:
        id: Its id.
        runs: Whether it runs; else it waits.
        why: What it waits for, in the system's words.
    """

    id: str
    runs: bool
    why: str


@dataclass(frozen=True)
class Standing:
    """How a node stands to new jobs.

    Attributes:
        empty: No job is on it.
        drained: No new job is started on it.
        reason: Why, in the words of whoever has drained it; empty where nothing was said.
    """

    empty: bool
    drained: bool
    reason: str


class Engine(Protocol):
    """A batch system.

    Every call ends in bounded time, or raises ``EngineError`` with the system's own last lines; a client
    program that is not here is a ``MissingError``.

    Attributes:
        name: What it is called in messages.
        drains_under_jobs: Whether a node may be drained while jobs are on it, which go on; else ``drain``
            raises ``QueuedError`` where one is, and changes nothing.
        options: What may be asked of a job, each with what it means.
    """

    name: ClassVar[str]
    drains_under_jobs: ClassVar[bool]
    options: ClassVar[Mapping[str, str]]

    def nodes(self) -> tuple[Node, ...]:
        """Return all nodes by name."""

    def submit(self, name: str, node: str, options: Options, words: Sequence[str]) -> str:
        """Submit the job that holds a node, with the words that its script is given; return its id."""

    def find(self, name: str) -> Job | None:
        """Return our job of that name that has not ended, the newest of several; ``None`` without one."""

    def ended(self, job: str) -> str | None:
        """Return how a job ended, in the system's words; ``None`` where it has not, or nothing is known."""

    def cancel(self, job: str) -> None:
        """End a job, whether it runs or waits; one that has ended changes nothing."""

    def inside(self, job: str, words: Sequence[str]) -> list[str]:
        """Return a command whose standard files are those of a command in a job that runs."""

    def standing(self, node: str) -> Standing:
        """Return how a node stands; raises ``UnknownNameError`` where there is none of that name."""

    def drain(self, node: str, reason: str) -> None:
        """Let no new job start on a node; those on it go on (``drains_under_jobs``)."""

    def undrain(self, node: str) -> None:
        """Let jobs start on a node again."""


def check_options(engine: Engine, options: Options) -> None:
    """Refuse what cannot be asked for.

    Raises:
        UnknownNameError: There is no such option.
        AssayError: A value is empty, or has a line break; a number of cores is none.
    """
    for name, value in options.items():
        if name not in engine.options:
            known = list(engine.options)
            raise UnknownNameError(kind=f"option of {engine.name}'s jobs", name=name, known=known)
        if not value or not value.isprintable():
            msg = f"cannot ask {engine.name} for {name}={value!r}: expected printable text"
            raise AssayError(msg)
        if name == "cores" and not _COUNT.fullmatch(value):
            msg = f"cannot ask {engine.name} for {name}={value!r}: expected a number of cores, 1 or more"
            raise AssayError(msg)
