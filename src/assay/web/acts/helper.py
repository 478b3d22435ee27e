"""The helper: has the rights that the web process gave up, and does for it what a typed request says.

It believes nothing of the web process but what it can check itself: each request carries what proves who asks
(the provider's signed ID token, or an API token), and who that is and what they may is decided here, by this
process's own copy of the access file. A request is one JSON text of limited length on a connection of its
own; the answer is a line of JSON, and the copy of the database after it where that was asked for.
"""

from __future__ import annotations

import json
import socket
import socketserver
import struct
import sys
import traceback
from collections.abc import Callable
from dataclasses import asdict
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Discriminator, Field, TypeAdapter, ValidationError

from assay.model.errors import AssayError
from assay.web.access.audit import Log
from assay.web.access.known import Known
from assay.web.access.person import Person, Role, require_role
from assay.web.acts.carry import Carrier
from assay.web.acts.looks import Looks, Which
from assay.web.acts.requests import ActivityId, AnyAct, Name
from assay.web.statuses import status_of

MOST_BYTES = 4 << 20
"""Of a request: a page's, of 1 MiB, may take more as JSON."""
READ_S = 10.0
"""Longest that is waited for the rest of a request."""
_CREDENTIALS = struct.Struct("3i")
"""``struct ucred``: pid, uid, gid (``man 7 unix``)."""
Proof = Annotated[str, Field(min_length=1, max_length=64 * 1024)]


class _Ask(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class CarryOut(_Ask):
    """Carry a request out."""

    ask: Literal["carry-out"] = "carry-out"
    act: AnyAct
    proof: Proof


class ByToken(_Ask):
    """Tell who has an API token."""

    ask: Literal["by-token"] = "by-token"
    proof: Proof


class Note(_Ask):
    """Write down that somebody came or went."""

    ask: Literal["note"] = "note"
    event: Literal["sign-in", "sign-in refused", "sign-out"]
    proof: Proof


class Newest(_Ask):
    """Read the audit log."""

    ask: Literal["newest"] = "newest"
    most: Annotated[int, Field(ge=1, le=1000)]
    proof: Proof


class Copy(_Ask):
    """Give a copy of the database."""

    ask: Literal["copy"] = "copy"
    known: int | None = None


class OfSearch(_Ask):
    """Look at what of a search is applied."""

    ask: Literal["applied", "verified"]
    search: ActivityId
    proof: Proof


class Export(_Ask):
    """Say a recommended change-set in the words of another tool."""

    ask: Literal["export"] = "export"
    search: ActivityId
    which: Which
    form: Name
    proof: Proof


class OfResult(_Ask):
    """Say what to change, by a result."""

    ask: Literal["advice"] = "advice"
    result: ActivityId
    proof: Proof


class Nodes(_Ask):
    """Tell the nodes of batch systems that are ours."""

    ask: Literal["nodes"] = "nodes"
    proof: Proof


AnyAsk = Annotated[
    CarryOut | ByToken | Note | Newest | Copy | OfSearch | Export | OfResult | Nodes, Discriminator("ask")
]
ASKS: TypeAdapter[AnyAsk] = TypeAdapter(AnyAsk)
"""Reads any request."""


class Copies(Protocol):
    """Gives copies of the database."""

    def copy(self, known: int | None) -> tuple[int, bytes | None]:
        """Return the newest version and its content; no content where that is the one known."""
        ...


class Desk:
    """Answers requests, each checked by itself.

    Args:
        known: Tells who asks.
        carrier: Carries out; it checks roles and machines, and writes the audit log.
        log: The audit log.
        copies: Gives copies of the database.
        looks: Looks at what takes rights.
    """

    def __init__(self, known: Known, carrier: Carrier, log: Log, copies: Copies, looks: Looks) -> None:
        self._known, self._carrier, self._log, self._copies = known, carrier, log, copies
        self._looks = looks
        self._answers: dict[type[Any], Callable[[Any], tuple[Any, bytes]]] = {
            CarryOut: self._carry_out, ByToken: self._by_token, Note: self._note, Newest: self._newest,
            Copy: self._copy, OfSearch: self._of_search, Export: self._export, OfResult: self._advice,
            Nodes: self._nodes,
        }  # fmt: skip

    def answer(self, request: bytes) -> bytes:
        """Answer one request; what went wrong is an answer, too."""
        try:
            asked = ASKS.validate_json(request)
            told, rest = self._answers[type(asked)](asked)
        except ValidationError:
            return _failed("the helper was asked for what it does not do", None, HTTPStatus.BAD_REQUEST)
        except AssayError as error:
            return _failed(error.message, error.hint, status_of(error))
        except Exception:  # noqa: BLE001 - one request must not end the others
            sys.stderr.write(traceback.format_exc())
            return _failed("the helper has failed", None, HTTPStatus.INTERNAL_SERVER_ERROR)
        return json.dumps({"told": told}).encode() + b"\n" + rest

    def _carry_out(self, asked: CarryOut) -> tuple[Any, bytes]:
        person = self._known.person(asked.proof)
        return asdict(self._carrier.carry_out(asked.act, person)), b""

    def _by_token(self, asked: ByToken) -> tuple[Any, bytes]:
        found = self._known.by_token(asked.proof)
        if found is None:
            return None, b""
        told = {"name": found.name, "role": found.role.word, "key": found.key, "scopes": sorted(found.scopes)}
        return told, b""

    def _note(self, asked: Note) -> tuple[Any, bytes]:
        self._known.note(asked.proof, asked.event)
        return None, b""

    def _newest(self, asked: Newest) -> tuple[Any, bytes]:
        person = self._known.person(asked.proof)
        require_role(person, Role.ADMIN, "read the audit log")
        return [asdict(line) for line in self._log.newest(person, asked.most)], b""

    def _copy(self, asked: Copy) -> tuple[Any, bytes]:
        version, content = self._copies.copy(asked.known)
        return {"version": version, "changed": content is not None}, content or b""

    def _viewer(self, proof: str) -> Person:
        person = self._known.person(proof)
        require_role(person, Role.VIEWER, "look at that")
        return person

    def _of_search(self, asked: OfSearch) -> tuple[Any, bytes]:
        person = self._viewer(asked.proof)
        if asked.ask == "verified":
            return asdict(self._looks.verified(asked.search, person)), b""
        found = self._looks.applied(asked.search, person)
        return None if found is None else asdict(found), b""

    def _export(self, asked: Export) -> tuple[Any, bytes]:
        person = self._viewer(asked.proof)
        return asdict(self._looks.exported(asked.search, asked.which, asked.form, person)), b""

    def _advice(self, asked: OfResult) -> tuple[Any, bytes]:
        return asdict(self._looks.advice(asked.result, self._viewer(asked.proof))), b""

    def _nodes(self, asked: Nodes) -> tuple[Any, bytes]:
        return [asdict(one) for one in self._looks.nodes(self._viewer(asked.proof))], b""


class Helper(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    """Listens for the web process alone.

    Args:
        place: Path of the socket.
        uid: The user of the web process; nobody else is answered.
        desk: Answers; set once this process is alone.
    """

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, place: Path, uid: int, desk: Desk | None = None) -> None:
        self.uid, self.desk = uid, desk
        super().__init__(str(place), _Connection)

    def verify_request(self, request: Any, client_address: Any) -> bool:  # noqa: ARG002
        """Tell whether the other end is the web process's user's."""
        return peer_uid(request) == self.uid

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a connection that was left."""


class _Connection(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        assert isinstance(self.server, Helper)  # noqa: S101
        self.request.settimeout(READ_S)
        parts, size = [], 0
        while part := self.request.recv(1 << 16):
            parts.append(part)
            size += len(part)
            if size > MOST_BYTES:
                self.request.sendall(
                    _failed("the request is too long", None, HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
                )
                return
        if self.server.desk is not None:
            answer = self.server.desk.answer(b"".join(parts))
            self.request.settimeout(READ_S * 6)
            self.request.sendall(answer)


def peer_uid(end: socket.socket) -> int:
    """Return the user whose process made the other end of a connection.

    Source: ``man 7 unix``, SO_PEERCRED.
    """
    told = end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    _, uid, _ = _CREDENTIALS.unpack(told)
    return int(uid)


def _failed(message: str, hint: str | None, status: HTTPStatus) -> bytes:
    return json.dumps({"error": message, "hint": hint, "status": int(status)}).encode() + b"\n"
