"""Pages: one context feeds a page and the JSON of the same address."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from dataclasses import asdict
from functools import wraps
from typing import Any, TypeVar

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from assay.report.render.frame import Document, document, embedded
from assay.web.access.person import Role
from assay.web.frame import in_frame

Build = TypeVar("Build", bound=Callable[..., Any])
Drawn = Callable[[Any], Document]


def page(
    router: APIRouter, path: str, drawn: str | Drawn, *, charts: bool = False, role: Role = Role.VIEWER
) -> Callable[[Build], Build]:
    """Register a page, its ``.json`` and, where it has charts, the specifications of those.

    Args:
        router: Takes it.
        path: Its address, without an ending.
        drawn: Name of its template, which finds the context as ``page``; or what makes its document.
        charts: Whether there are charts in its document.
        role: Which it takes, as is said of it; what makes its context makes sure.
    """
    make = _templated(drawn) if isinstance(drawn, str) else drawn
    plain = path if path != "/" else "/index"

    def register(build: Build) -> Build:
        signature = inspect.signature(build, eval_str=True)
        as_json: dict[int | str, dict[str, Any]] = {
            200: {"model": signature.return_annotation, "description": "The page's context."}
        }
        if charts:
            router.add_api_route(f"{plain}.charts.json", _charts_of(build, make), include_in_schema=False)
        router.add_api_route(
            f"{plain}.json",
            _json_of(build),
            response_model=None,
            responses=as_json,
            name=build.__name__,
            summary=(build.__doc__ or "").partition("\n")[0],
            description=takes(role),
        )
        router.add_api_route(path, _page_of(build, make), include_in_schema=False, response_model=None)
        return build

    return register


def takes(role: Role) -> str:
    """Return what an address is described by: the role that it takes."""
    return f"Takes the role {role.word}."


def _templated(name: str) -> Drawn:
    return lambda context: document(name, (), page=context)


def _json_of(build: Callable[..., Any]) -> Callable[..., Response]:
    @_like(build)
    def answer(**given: Any) -> Response:
        context = build(**given)
        return Response(_text(context), media_type="application/json")

    return answer


def _text(context: Any) -> str:
    if isinstance(context, str):
        return context
    return json.dumps(asdict(context), ensure_ascii=False, allow_nan=False, default=str)


def _charts_of(build: Callable[..., Any], make: Drawn) -> Callable[..., Response]:
    @_like(build)
    def answer(**given: Any) -> Response:
        return Response(embedded(make(build(**given)).charts), media_type="application/json")

    return answer


def _page_of(build: Callable[..., Any], make: Drawn) -> Callable[..., HTMLResponse]:
    asks = "request" in inspect.signature(build).parameters

    @_like(build, asks=not asks)
    def answer(request: Request, **given: Any) -> HTMLResponse:
        context = build(request=request, **given) if asks else build(**given)
        return HTMLResponse(in_frame(make(context), request))

    return answer


def _like(
    build: Callable[..., Any], *, asks: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a function the parameters of another, annotations evaluated, so that FastAPI fills them in.

    Args:
        build: The other.
        asks: Whether it is given the request besides.
    """
    signature = inspect.signature(build, eval_str=True)
    given = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in signature.parameters.values()]
    if asks:
        given.append(inspect.Parameter("request", inspect.Parameter.KEYWORD_ONLY, annotation=Request))

    def give(function: Callable[..., Any]) -> Callable[..., Any]:
        like = wraps(build)(function)
        del like.__wrapped__
        like.__signature__ = signature.replace(  # type: ignore[attr-defined]
            parameters=given, return_annotation=inspect.Signature.empty
        )
        like.__annotations__ = {}
        return like

    return give
