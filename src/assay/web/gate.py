"""The gate: what every request passes, by construction, before a page sees it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from urllib.parse import parse_qs

from starlette.concurrency import run_in_threadpool
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Send
from starlette.types import Scope as Asked

from assay.model.errors import AssayError
from assay.web.access.person import Access, Person, Scope
from assay.web.guard import browser, limits
from assay.web.guard.limits import Limiter
from assay.web.statuses import status_of

TOKEN_HEADER, TOKEN_FIELD = "x-assay-token", "token"
OPEN = ("/static/", "/sign-in", "/healthz")
"""What is answered to whom nobody knows."""
CHECKED = "/scenes/check"
"""Says what is wrong with a text: it is sent like a change, and is none."""
AT_WORK = ("/plan", "/plan.json")
"""Ends of addresses that reach machines when they are asked: no link on a page of another site opens them."""
Says = Callable[[Asked, HTTPStatus, str], Response]
"""Returns the answer to what went wrong, as whoever asked reads it."""


class Gate:
    """Passes on what may be asked, and says with one line what may not.

    Args:
        app: What lies behind it.
        access: How persons are known.
        hosts: Values of ``Host`` that are ours, with their port, in lower case.
        secret: What the tokens of pages are made of.
        secure: Browsers reach it by https.
        says: Returns its own answers to what may not be asked.
    """

    def __init__(
        self,
        app: ASGIApp,
        access: Access,
        hosts: Iterable[str],
        secret: bytes,
        *,
        secure: bool = False,
        says: Says | None = None,
    ) -> None:
        self._app, self._access, self._secret, self._says = app, access, secret, says or _line
        self._hosts = frozenset(hosts)
        self._headers = {**browser.SECURITY_HEADERS, **(browser.OVER_TLS if secure else {})}
        self._reads, self._writes = Limiter(limits.READS), Limiter(limits.WRITES)
        self._sign_ins, self._checks = Limiter(limits.SIGN_INS), Limiter(limits.CHECKS)

    async def __call__(self, scope: Asked, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # nothing here speaks over WebSockets
            return
        with_headers = _headed(send, self._headers)
        try:
            connection = HTTPConnection(scope)
            _check_site(connection)
            scope["assay.person"] = person = await self._known(connection)
            scope["assay.secret"] = self._secret
            self._check_rate(connection, person)
            self._check_known(connection, person)
            if scope["method"] not in browser.SAFE:
                receive = await self._checked_body(connection, person, receive)
        except Refused as refused:
            await self._refuse(refused, scope, receive, with_headers)
            return
        except AssayError as error:
            await self._refuse(Refused(status_of(error), error.message), scope, receive, with_headers)
            return
        except Exception:
            failed = Refused(HTTPStatus.INTERNAL_SERVER_ERROR, "the server has failed")
            await self._refuse(failed, scope, receive, with_headers)
            raise  # the server's log has it
        await self._app(scope, receive, with_headers)

    async def _refuse(self, refused: Refused, scope: Asked, receive: Receive, send: Send) -> None:
        says = _line if refused.status is HTTPStatus.SEE_OTHER else self._says
        answer = says(scope, refused.status, refused.why)
        answer.headers.update(refused.headers)
        await answer(scope, receive, send)

    async def _known(self, connection: HTTPConnection) -> Person | None:
        host = connection.headers.get("host")
        if not browser.is_own_host(host, self._hosts):
            raise Refused(HTTPStatus.MISDIRECTED_REQUEST, "this server is not called so")
        if not self._access.answers(connection):
            raise Refused(HTTPStatus.FORBIDDEN, "this server answers only the user who started it, and root")
        return await run_in_threadpool(self._access.person, connection)

    def _check_known(self, connection: HTTPConnection, person: Person | None) -> None:
        if connection.url.path.startswith(OPEN):
            return
        if person is None:
            where = {"location": "/sign-in"} if _is_page(connection) and self._access.signs_in else {}
            status = HTTPStatus.SEE_OTHER if where else HTTPStatus.UNAUTHORIZED
            raise Refused(status, "sign in first", where)
        if connection.scope["method"] in browser.SAFE and Scope.READ not in person.scopes:
            raise Refused(HTTPStatus.FORBIDDEN, f"{person.name} has no scope '{Scope.READ}'")

    def _check_rate(self, connection: HTTPConnection, person: Person | None) -> None:
        path, client = connection.url.path, connection.client
        who = person.who if person is not None else client.host if client is not None else ""
        limiter = self._reads if connection.scope["method"] in browser.SAFE else self._writes
        if path.startswith("/sign-in"):
            limiter = self._sign_ins
        elif path == CHECKED:
            limiter = self._checks
        if not path.startswith("/static/") and (wait_s := limiter.wait_s(who)):
            after = {"retry-after": str(int(wait_s) + 1)}
            raise Refused(HTTPStatus.TOO_MANY_REQUESTS, "too many requests", after)

    async def _checked_body(
        self, connection: HTTPConnection, person: Person | None, receive: Receive
    ) -> Receive:
        """Read the body of what changes something, and make sure that a page of ours, or a token, sent it."""
        body = await _body(connection, receive)
        if person is None or not person.by_token:
            headers = connection.headers
            if not browser.is_own_origin(headers.get("origin"), headers.get("host")):
                raise Refused(HTTPStatus.FORBIDDEN, "this was not sent by a page of this server (Origin)")
            given = headers.get(TOKEN_HEADER) or _field(headers.get("content-type"), body)
            if person is None or not browser.is_token(given, self._secret, person.key):
                raise Refused(HTTPStatus.FORBIDDEN, "the page is out of date: load it again")
        return _again(body, receive)


class Refused(Exception):
    """A request that goes no further.

    Args:
        status: The answer's.
        why: One line.
        headers: Further headers of the answer.
    """

    def __init__(self, status: HTTPStatus, why: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(why)
        self.status, self.why, self.headers = status, why, headers or {}


def _check_site(connection: HTTPConnection) -> None:
    """Make sure that no page of another site makes a browser ask for more than a page for its user to see."""
    headers, path = connection.headers, connection.scope["path"]
    if connection.scope["method"] not in browser.SAFE or not browser.is_foreign(headers):
        return
    if not browser.is_followed_link(headers) or path.endswith(AT_WORK):
        raise Refused(HTTPStatus.FORBIDDEN, "this was asked for by a page of another site (Sec-Fetch-Site)")


def _is_page(connection: HTTPConnection) -> bool:
    path = connection.url.path
    return connection.scope["method"] == "GET" and not path.endswith(".json") and "/api" not in path


async def _body(connection: HTTPConnection, receive: Receive) -> bytes:
    told = connection.headers.get("content-length", "0")
    if not told.isdecimal() or int(told) > limits.MOST_BYTES:
        raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"at most {limits.MOST_BYTES} bytes are read")
    parts, size, more = [], 0, True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            raise Refused(HTTPStatus.BAD_REQUEST, "the request was cut off")
        parts.append(message.get("body", b""))
        size, more = size + len(parts[-1]), message.get("more_body", False)
        if size > limits.MOST_BYTES:
            raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"at most {limits.MOST_BYTES} bytes are read")
    return b"".join(parts)


def _field(kind: str | None, body: bytes) -> str | None:
    """Return the token of a form that a browser without scripts has sent."""
    if (kind or "").partition(";")[0].strip() != "application/x-www-form-urlencoded":
        return None
    return parse_qs(body.decode(errors="replace")).get(TOKEN_FIELD, [None])[0]


def _again(body: bytes, receive: Receive) -> Receive:
    """Return what gives a body that has been read once more, and then what comes after it."""
    given = False

    async def next_message() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return next_message


def _headed(send: Send, headers: Mapping[str, str]) -> Send:
    extra = [(name.encode(), value.encode()) for name, value in headers.items()]

    async def send_with(message: Message) -> None:
        if message["type"] == "http.response.start":
            known = {name.lower() for name, _ in message["headers"]}
            more = [pair for pair in extra if pair[0] not in known]
            if b"cache-control" not in known:
                more.append((b"cache-control", b"no-store"))
            message["headers"] = [*message["headers"], *more]
        await send(message)

    return send_with


def _line(_: Asked, status: HTTPStatus, why: str) -> Response:
    return JSONResponse({"error": why}, int(status))
