"""The application: its pages, its files, its API."""

from __future__ import annotations

import mimetypes
import secrets
from collections.abc import Iterable
from http import HTTPStatus

from fastapi import APIRouter, FastAPI, HTTPException, Request
from fastapi.responses import Response
from starlette.types import ASGIApp, Scope

from assay.model.version import __version__
from assay.web import frame
from assay.web.errors import failed, handle_errors
from assay.web.gate import Gate
from assay.web.site import Site
from assay.web.views import (
    activities,
    activity,
    activity_machines,
    advice,
    api,
    audit,
    compare,
    downloads,
    files,
    kept,
    machine,
    machines,
    me,
    overview,
    plan,
    results,
    scene,
    scene_editor,
    scenes,
    sign_in,
    trials,
    tune,
)

ROUTERS: tuple[APIRouter, ...] = (
    overview.router,
    machines.router,
    kept.router,
    machine.router,
    scenes.router,
    scene_editor.router,
    plan.router,
    scene.router,
    activities.router,
    activity_machines.router,
    activity.router,
    compare.router,
    advice.router,
    files.router,
    downloads.router,
    trials.router,
    results.router,
    tune.router,
    api.router,
    me.router,
    audit.router,
)


def make_app(site: Site, *, hosts: Iterable[str], secure: bool = False) -> ASGIApp:
    """Return a site's application behind its gate.

    Args:
        site: What its pages are made of.
        hosts: What it is called, with its port: ``127.0.0.1:8421``.
        secure: Browsers reach it by https.
    """
    app = FastAPI(
        title="assay", version=__version__, docs_url=None, redoc_url=None,
        description="Evaluation machines, scenes, activities and results. Each page's context is at its "
        "address with .json; what changes something is a POST with a form or with JSON.",
    )  # fmt: skip
    app.state.site = site
    handle_errors(app)
    for router in (*ROUTERS, *((sign_in.router,) if site.access.signs_in else ())):
        app.include_router(router)
    app.add_api_route("/static/{digest}/{name:path}", _static, include_in_schema=False)
    app.add_api_route("/healthz", _healthy, include_in_schema=False)

    def says(scope: Scope, status: HTTPStatus, message: str) -> Response:
        return failed(Request({**scope, "app": app}), status, message, None)

    return Gate(app, site.access, hosts, secrets.token_bytes(32), secure=secure, says=says)


def _healthy() -> dict[str, str]:
    return {"assay": __version__}


def _static(digest: str, name: str) -> Response:
    """Return a file that pages load; another content has another address, so that it may be kept for ever."""
    try:
        known = frame.asset(name) == f"/static/{digest}/{name}"
    except FileNotFoundError:
        known = False
    if not known:
        raise HTTPException(404, "there is no such file")
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    kept = {"cache-control": "public, max-age=31536000, immutable"}
    return Response(frame.file_of(name), media_type=kind, headers=kept)
