"""Signing in and out."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from assay.web.access.signed_in import CALLBACK, SignedIn
from assay.web.route import page
from assay.web.site import At, Site

router = APIRouter(tags=["sign-in"])


@dataclass(frozen=True)
class SignInPage:
    """The way in.

    Attributes:
        at: Address at which a sign-in begins.
    """

    at: str


@page(router, "/sign-in", "sign_in.html")
def sign_in() -> SignInPage:
    """Where a sign-in begins."""
    return SignInPage("/sign-in/start")


@router.get("/sign-in/start", include_in_schema=False)
def start(site: At) -> Response:
    """Send a browser to the provider."""
    response = RedirectResponse("/", HTTPStatus.SEE_OTHER)
    response.headers["location"] = _access(site).begin(response)
    return response


@router.get(CALLBACK, include_in_schema=False)
def callback(site: At, request: Request) -> Response:
    """Take a browser back from the provider."""
    response = RedirectResponse("/", HTTPStatus.SEE_OTHER)
    _access(site).finish(request, dict(request.query_params), response)
    return response


@router.post("/sign-out", summary="End the session of this browser.", status_code=HTTPStatus.SEE_OTHER)
def sign_out(site: At, request: Request) -> Response:
    """End the session of a browser."""
    response = RedirectResponse("/sign-in?said=signed+out", HTTPStatus.SEE_OTHER)
    _access(site).sign_out(request, response)
    return response


def _access(site: Site) -> SignedIn:
    assert isinstance(site.access, SignedIn)  # noqa: S101 - these addresses are there for no other
    return site.access
