"""Who somebody is, by what proves it: the ID token of their sign-in, or an API token."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.web.access.audit import Audit
from assay.web.access.file import AccessRules
from assay.web.access.person import Person, RefusedError, scopes_of
from assay.web.access.provider import NotSignedInError, Provider
from assay.web.access.tokens import PREFIX, Tokens

_LONG = 100
_NAMES = ("preferred_username", "email", "sub")
"""Claims that people are called by; what a person is in the audit log is ``sub`` besides."""


class Known:
    """Tells persons by what proves who they are, and writes their comings and goings down.

    Args:
        rules: Who has which role.
        provider: Checks ID tokens.
        tokens: The API tokens.
        audit: Where it is written down.
    """

    def __init__(self, rules: AccessRules, provider: Provider, tokens: Tokens, audit: Audit) -> None:
        self._rules, self._provider, self._tokens, self._audit = rules, provider, tokens, audit

    def person(self, proof: str) -> Person:
        """Return who proves to be somebody.

        Raises:
            NotSignedInError: That proves nothing.
            RefusedError: They have no role here.
        """
        if proof.startswith(PREFIX):
            if (found := self._tokens.person(proof)) is None:
                msg = "cannot tell who that is: the token is not known, or has ended"
                raise NotSignedInError(msg)
            return found
        return to_person(self._claims(proof), self._rules, key="", proof=proof)

    def by_token(self, secret: str) -> Person | None:
        """Return who has an API token; ``None`` where it is not known, or has ended."""
        return self._tokens.person(secret)

    def note(self, proof: str, event: str) -> None:
        """Write down that somebody came or went.

        Raises:
            NotSignedInError: The proof is none.
        """
        claims = self._claims(proof)
        name, role = name_of(claims), self._rules.roles.of(claims)
        self._audit.note(name, None if role is None else role.word, event, subject=str(claims["sub"]))

    def _claims(self, proof: str) -> dict[str, Any]:
        return self._provider.claims(proof, most_age_s=self._rules.lifetime_s)


def to_person(claims: Mapping[str, Any], rules: AccessRules, *, key: str, proof: str) -> Person:
    """Return the person of some claims.

    Raises:
        RefusedError: They have no role here.
    """
    name, role = name_of(claims), rules.roles.of(claims)
    if role is None:
        msg = f"cannot sign in: {name} has no role here"
        raise RefusedError(msg, hint="roles are given by whoever runs this server, by the provider's groups")
    return Person(name, role, key, scopes=scopes_of(role), subject=str(claims["sub"]), proof=proof)


def name_of(claims: Mapping[str, Any]) -> str:
    """Return what a person is called."""
    told = next(str(claims[name]) for name in _NAMES if claims.get(name))
    return "".join(letter if letter.isprintable() else "?" for letter in told)[:_LONG]
