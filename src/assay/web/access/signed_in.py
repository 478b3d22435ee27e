"""People who sign in with the site's provider, and programs with API tokens."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from typing import Protocol

from starlette.requests import HTTPConnection
from starlette.responses import Response

from assay.web.access.file import AccessRules
from assay.web.access.known import to_person
from assay.web.access.person import Person, RefusedError
from assay.web.access.provider import Begun, NotSignedInError, Provider
from assay.web.access.sessions import Kept

CALLBACK = "/sign-in/callback"
BEGUN_S = 600.0
"""A sign-in takes as long at most."""
_AGAIN = "begin again at /sign-in"


class Desk(Protocol):
    """Knows API tokens, and writes down who comes and goes."""

    def by_token(self, secret: str) -> Person | None:
        """Return who has an API token; ``None`` where it is not known, or has ended."""
        ...

    def note(self, proof: str, event: str) -> None:
        """Write down that the person of an ID token came or went."""
        ...


class SignedIn:
    """Answers who has a session or an API token.

    Args:
        rules: What the access file says.
        provider: Where people sign in.
        desk: Knows API tokens.
    """

    signs_in = True

    def __init__(self, rules: AccessRules, provider: Provider, desk: Desk) -> None:
        self._rules, self._provider, self._desk = rules, provider, desk
        self._sessions = Kept[Person](rules.lifetime_s, rules.idle_s)
        self._begun = Kept[Begun](BEGUN_S)
        prefix = "__Host-" if rules.secure else ""
        self._session_cookie, self._begun_cookie = f"{prefix}assay", f"{prefix}assay-sign-in"

    def answers(self, connection: HTTPConnection) -> bool:  # noqa: ARG002
        """Answer every connection."""
        return True

    def person(self, connection: HTTPConnection) -> Person | None:
        """Return who has the session of a cookie, or the token of ``Authorization: Bearer``."""
        told = connection.headers.get("authorization")
        if told is not None:
            kind, _, secret = told.partition(" ")
            return self._desk.by_token(secret.strip()) if kind.lower() == "bearer" else None
        session = connection.cookies.get(self._session_cookie)
        return None if session is None else self._sessions.get(session)

    def begin(self, response: Response) -> str:
        """Begin a sign-in, which a browser keeps the id of.

        Returns:
            Where it goes.

        Raises:
            ProviderError: The provider does not answer.
        """
        begun = self._provider.begin()
        self._set(response, self._begun_cookie, self._begun.put(lambda _: begun), BEGUN_S)
        return begun.address

    def finish(self, connection: HTTPConnection, answer: Mapping[str, str], response: Response) -> None:
        """End a sign-in with a session of a new id, which the browser keeps.

        Raises:
            NotSignedInError: It is none of this browser's, or the provider has refused.
            RefusedError: The person has no role here.
            ProviderError: The provider does not answer.
        """
        begun = self._begun.take(connection.cookies.get(self._begun_cookie, ""))
        if begun is None or not hmac.compare_digest(begun.state.encode(), answer.get("state", "").encode()):
            msg = "cannot sign in: this browser has not begun that sign-in"
            raise NotSignedInError(msg, hint=_AGAIN)
        proof, claims = self._provider.finish(begun, answer)
        try:
            to_person(claims, self._rules, key="", proof=proof)
        except RefusedError:
            self._desk.note(proof, "sign-in refused")
            raise
        self._desk.note(proof, "sign-in")
        self._sessions.take(connection.cookies.get(self._session_cookie, ""))
        session = self._sessions.put(
            lambda name: to_person(claims, self._rules, key=f"session {name}", proof=proof)
        )
        self._unset(response, self._begun_cookie)
        self._set(response, self._session_cookie, session, self._rules.lifetime_s)

    def sign_out(self, connection: HTTPConnection, response: Response) -> None:
        """End the session of a browser."""
        person = self._sessions.take(connection.cookies.get(self._session_cookie, ""))
        if person is not None:
            self._desk.note(person.proof, "sign-out")
        self._unset(response, self._session_cookie)

    def _set(self, response: Response, name: str, value: str, most_s: float) -> None:
        response.set_cookie(
            name,
            value,
            max_age=int(most_s),
            path="/",
            secure=self._rules.secure,
            httponly=True,
            samesite="lax",
        )

    def _unset(self, response: Response, name: str) -> None:
        response.delete_cookie(name, path="/", secure=self._rules.secure, httponly=True, samesite="lax")
