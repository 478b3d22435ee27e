"""Who asks, and what they may."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import Protocol

from starlette.requests import HTTPConnection

from assay.model.errors import AssayError


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


class Scope(StrEnum):
    """A part of what a role may, to which an API token can be limited."""

    READ = "read"
    """Pages and their JSON."""
    RUN = "run"
    """What an operator may do."""
    MANAGE = "manage"
    """What an admin alone may do."""


def scope_of(role: Role) -> Scope:
    """Return the scope of what takes a role."""
    return {Role.VIEWER: Scope.READ, Role.OPERATOR: Scope.RUN, Role.ADMIN: Scope.MANAGE}[role]


def scopes_of(role: Role) -> frozenset[Scope]:
    """Return all scopes that a role has."""
    return frozenset(scope_of(one) for one in Role if one <= role)


@dataclass(frozen=True)
class Person:
    """Who asks.

    Attributes:
        name: As shown and as written into the audit log.
        role: What they may.
        key: What their pages' token is made of: another session has another.
        by_token: Whether an API token says who it is, which no browser sends by itself.
        scopes: The parts of it that they may use.
        subject: The provider's own name for them; ``None`` where nobody signed in.
        proof: What shows who they are: the ID token of their sign-in, or the API token. Never shown.
    """

    name: str
    role: Role
    key: str
    by_token: bool = False
    scopes: frozenset[Scope] = frozenset(Scope)
    subject: str | None = None
    proof: str = field(default="", repr=False)

    @property
    def who(self) -> str:
        """What limits count them by: all sessions of whom the provider knows are one, and each API token."""
        return self.key if self.subject is None else f"subject {self.subject}"


class RefusedError(AssayError):
    """A person may not do what they ask."""


def require_role(person: Person, role: Role, what: str) -> None:
    """Make sure that a person has a role, and may use it.

    Args:
        person: Who.
        role: Which it takes.
        what: Completes ``cannot …``.

    Raises:
        RefusedError: They have not.
    """
    if person.role < role:
        msg = f"cannot {what}: it takes the role {role.word}, and {person.name} is {person.role.word}"
        raise RefusedError(msg)
    if scope_of(role) not in person.scopes:
        msg = f"cannot {what}: it takes the scope '{scope_of(role)}', which {person.name} has not"
        raise RefusedError(msg)


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
