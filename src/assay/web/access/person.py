"""Who asks, and what they may."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol

from starlette.requests import HTTPConnection


class Role(IntEnum):
    """What a person may; each may what those before it may."""

    VIEWER = 1
    """Looks at everything."""
    OPERATOR = 2
    """Runs scenes on machines that are open to operators, and stops, resumes and extends activities."""
    ADMIN = 3
    """Changes machines, keeps scenes, applies settings and gives tokens."""

    @property
    def word(self) -> str:
        """Its name as it is written."""
        return self.name.lower()


@dataclass(frozen=True)
class Person:
    """Who asks.

    Attributes:
        name: As shown and as written into the audit log.
        role: What they may.
        key: What their pages' token is made of: another session has another.
        by_token: Whether an API token says who it is, which no browser sends by itself.
    """

    name: str
    role: Role
    key: str
    by_token: bool = False


class Access(Protocol):
    """How persons are known."""

    signs_in: bool
    """Whether people sign in here: who is unknown is shown the way."""

    def answers(self, connection: HTTPConnection) -> bool:
        """Tell whether a connection is answered at all, by where it comes from."""
        ...

    def person(self, connection: HTTPConnection) -> Person | None:
        """Return who asks; ``None`` where that is not known."""
        ...
