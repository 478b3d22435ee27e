"""Who asks, as they are known here."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter, Request

from assay.web.access.person import Person
from assay.web.guard.browser import token_of
from assay.web.site import By

router = APIRouter(tags=["me"])


@dataclass(frozen=True)
class Me:
    """Who asks.

    Attributes:
        name: As they are known.
        role: What they may: ``viewer``, ``operator`` or ``admin``.
        token: What a POST of theirs needs in ``X-Assay-Token``, beside ``Origin``; empty by an API token.
    """

    name: str
    role: str
    token: str


@router.get("/me.json", summary="Who asks, and what they may.")
def me(request: Request, by: By) -> Me:
    """Return who asks, and what they may."""
    return Me(by.name, by.role.word, _token(request, by))


def _token(request: Request, person: Person) -> str:
    return "" if person.by_token else token_of(request.scope["assay.secret"], person.key)
