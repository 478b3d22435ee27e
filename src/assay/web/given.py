"""What is sent with a request that changes something: a form of a page, or JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, TypeVar
from urllib.parse import parse_qs, quote

from fastapi import APIRouter, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse, Response
from pydantic import BaseModel, ValidationError
from starlette.concurrency import run_in_threadpool

from assay.web.acts.carry import Done
from assay.web.acts.requests import Act
from assay.web.errors import wants_page
from assay.web.frame import SAID
from assay.web.gate import TOKEN_FIELD
from assay.web.site import person_of, site_of

A = TypeVar("A", bound=Act)
M = TypeVar("M", bound=BaseModel)
FORM = "application/x-www-form-urlencoded"


def post(router: APIRouter, path: str, kind: type[A], then: Callable[[A, Done], str], said: str) -> None:
    """Register what a request changes.

    Args:
        router: Takes it.
        path: Its address; words in braces are fields of the request.
        kind: The request.
        then: Returns the page that a browser goes to.
        said: What that page says, where it was done.
    """
    SAID.add(said)

    async def answer(request: Request) -> Response:
        act = await read(request, kind)
        site, person = site_of(request), person_of(request)
        done = await run_in_threadpool(site.carrier.carry_out, act, person)
        if wants_page(request):
            return RedirectResponse(f"{then(act, done)}?said={quote(said)}", HTTPStatus.SEE_OTHER)
        status = HTTPStatus.ACCEPTED if done.code is None else HTTPStatus.OK
        return JSONResponse({"code": done.code, "said": done.said, "answer": done.answer}, int(status))

    refusals = {
        403: "The person's role does not allow it, or no page of ours sent it.",
        404: "There is no machine, scene, activity or result of that name.",
        409: "Something is missing, or somebody else has it.",
        422: "A field is wrong, or the command has refused it.",
        502: "A machine could not be reached.",
    }
    router.add_api_route(
        path, answer, methods=["POST"], openapi_extra=sent_with(kind, path), response_model=None,
        summary=(kind.__doc__ or "").partition("\n")[0], name=kind.__name__,
        description=f"Takes the role {kind.role.word}.",
        responses={code: {"description": text} for code, text in refusals.items()},
    )  # fmt: skip


def sent_with(kind: type[BaseModel], path: str = "") -> dict[str, Any]:
    """Return what OpenAPI says of a request: its fields, as a form and as JSON.

    Args:
        kind: The request.
        path: Its address; words in braces are fields of the request.
    """
    schema = kind.model_json_schema()
    schema["properties"].pop("kind", None)
    in_path = {word[1:-1] for word in path.split("/") if word.startswith("{")}
    fields = {name: value for name, value in schema["properties"].items() if name not in in_path}
    body = {"type": "object", "properties": fields, "additionalProperties": False}
    if needed := [name for name in schema.get("required", ()) if name in fields]:
        body["required"] = needed
    extra: dict[str, Any] = {
        "parameters": [
            {"name": name, "in": "path", "required": True, "schema": schema["properties"][name]}
            for name in sorted(in_path)
        ]
    }
    if fields:
        content = {one: {"schema": body} for one in ("application/json", FORM)}
        extra["requestBody"] = {"required": "required" in body, "content": content}
    return extra


async def read(request: Request, kind: type[M]) -> M:
    """Return what was sent; an empty field of a form is not given, unless it empties.

    Raises:
        RequestValidationError: It is not of that kind.
    """
    given: dict[str, Any]
    body = await request.body()
    sent = request.headers.get("content-type", "").partition(";")[0].strip()
    if sent == FORM:
        named = parse_qs(body.decode(errors="replace"), keep_blank_values=True)
        empties = issubclass(kind, Act) and kind.empties
        given = {name: values[-1] for name, values in named.items() if values[-1] or empties}
        given.pop(TOKEN_FIELD, None)
    else:
        given = _json(body)
    try:
        return kind.model_validate({**given, **request.path_params})
    except ValidationError as error:
        raise RequestValidationError(
            [{**one, "loc": ("body", *one["loc"])} for one in error.errors()]
        ) from None


def _json(body: bytes) -> dict[str, Any]:
    if not body.strip():
        return {}
    try:
        given = json.loads(body)
    except ValueError:
        given = None
    if not isinstance(given, dict):
        raise RequestValidationError([{"loc": ("body",), "msg": "expected a JSON object", "type": "json"}])
    return given
