"""The web process's side of the helper: what it may not do itself is sent on, with what proves who asks."""

from __future__ import annotations

import json
import socket
from http import HTTPStatus
from pathlib import Path
from typing import Any

from assay.machines.batch.taken import Taken
from assay.model.errors import Exit, MissingError
from assay.pages.advice import Advice
from assay.pages.decode import decode
from assay.pages.factor_page import ExportPage
from assay.web.access.audit import LogLine
from assay.web.access.person import Person, Role, Scope
from assay.web.acts.carry import WAIT_S, Done
from assay.web.acts.looks import InForce, Verified, Which
from assay.web.acts.requests import Act
from assay.web.statuses import SentError

ANSWER_S = WAIT_S + 30


class HelperGoneError(MissingError):
    """The helper does not answer."""

    exit_code = Exit.MISSING


class Sent:
    """Sends requests to the helper: a ``Carrier``, a ``Desk``, a ``Log``, ``Looks``; gives copies of rows.

    Args:
        place: Path of its socket.
    """

    def __init__(self, place: Path) -> None:
        self._place = place

    def carry_out(self, act: Act, person: Person) -> Done:
        """Have a request carried out; as ``Carrier``."""
        told, _ = self._ask(ask="carry-out", act=act.model_dump(), proof=person.proof)
        return Done(told["code"], told["said"], told["answer"])

    def close(self) -> None:
        """Nothing waits in this process; as ``Carrier``."""

    def by_token(self, secret: str) -> Person | None:
        """Return who has an API token; as ``Desk``."""
        if not secret:
            return None
        told, _ = self._ask(ask="by-token", proof=secret)
        if told is None:
            return None
        return Person(
            told["name"], Role[told["role"].upper()], told["key"],
            by_token=True, scopes=frozenset(map(Scope, told["scopes"])), proof=secret,
        )  # fmt: skip

    def note(self, proof: str, event: str) -> None:
        """Have somebody's coming or going written down; as ``Desk``."""
        self._ask(ask="note", proof=proof, event=event)

    def newest(self, person: Person, most: int) -> list[LogLine]:
        """Return the newest entries of the audit log; as ``Log``."""
        told, _ = self._ask(ask="newest", proof=person.proof, most=most)
        return list(decode(tuple[LogLine, ...], told, "audit log"))

    def copy(self, known: int | None) -> tuple[int, bytes | None]:
        """Return the newest version of the database, and its content unless it is the one known."""
        told, content = self._ask(ask="copy", known=known)
        return told["version"], content if told["changed"] else None

    def applied(self, search: str, person: Person) -> InForce | None:
        """Return what of a search is applied here; as ``Looks``."""
        told, _ = self._ask(ask="applied", search=search, proof=person.proof)
        return None if told is None else decode(InForce, told, "applied")

    def verified(self, search: str, person: Person) -> Verified:
        """Return whether what was applied of a search is still so; as ``Looks``."""
        told, _ = self._ask(ask="verified", search=search, proof=person.proof)
        return decode(Verified, told, "verified")

    def exported(self, search: str, which: Which, form: str, person: Person) -> ExportPage:
        """Return a recommended change-set in the words of another tool; as ``Looks``."""
        told, _ = self._ask(ask="export", search=search, which=which, form=form, proof=person.proof)
        return decode(ExportPage, told, "export")

    def advice(self, result: str, person: Person) -> Advice:
        """Return what to change, by the result of one machine; as ``Looks``."""
        told, _ = self._ask(ask="advice", result=result, proof=person.proof)
        return decode(Advice, told, "advice")

    def nodes(self, person: Person) -> tuple[Taken, ...]:
        """Return the nodes of batch systems that are ours just now; as ``Looks``."""
        told, _ = self._ask(ask="nodes", proof=person.proof)
        return decode(tuple[Taken, ...], told, "nodes")

    def _ask(self, **request: Any) -> tuple[Any, bytes]:
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as end:
                end.settimeout(ANSWER_S)
                end.connect(str(self._place))
                end.sendall(json.dumps(request, ensure_ascii=False).encode())
                end.shutdown(socket.SHUT_WR)
                with end.makefile("rb") as answer:
                    head, rest = answer.readline(), answer.read()
            told = json.loads(head)
        except (OSError, ValueError) as error:
            msg = "cannot do that: the helper that has the rights for it does not answer"
            raise HelperGoneError(msg, hint="restart assay serve") from error
        if "error" in told:
            raise SentError(told["error"], told["hint"], HTTPStatus(told["status"]))
        return told["told"], rest
