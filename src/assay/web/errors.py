"""What went wrong, as an answer: a page for people, JSON for programs, a status for both."""

from __future__ import annotations

from http import HTTPStatus

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from starlette.exceptions import HTTPException

from assay.model.errors import AssayError
from assay.report.render.frame import document
from assay.web.frame import in_frame
from assay.web.statuses import status_of


def handle_errors(app: FastAPI) -> None:
    """Answer expected errors with a line and a hint, and what was not expected with neither."""

    @app.exception_handler(AssayError)
    def expected(request: Request, error: AssayError) -> Response:
        return failed(request, status_of(error), error.message, error.hint)

    @app.exception_handler(RequestValidationError)
    def wrong(request: Request, error: RequestValidationError) -> Response:
        lines = [f"{'.'.join(map(str, one['loc'][1:]))}: {one['msg']}" for one in error.errors()]
        return failed(request, HTTPStatus.UNPROCESSABLE_ENTITY, "; ".join(lines), None)

    @app.exception_handler(HTTPException)
    def other(request: Request, error: HTTPException) -> Response:
        answer = failed(request, HTTPStatus(error.status_code), str(error.detail), None)
        answer.headers.update(error.headers or {})
        return answer


def failed(request: Request, status: HTTPStatus, message: str, hint: str | None) -> Response:
    """Return the answer to what went wrong: a page where a browser asked for one."""
    if wants_page(request):
        page = document("failed.html", (), status=status, message=message, hint=hint)
        return HTMLResponse(in_frame(page, request), int(status))
    return JSONResponse({"error": message, "hint": hint}, int(status))


def wants_page(request: Request) -> bool:
    """Tell whether a browser asked, for a page."""
    return "text/html" in request.headers.get("accept", "") and not request.url.path.endswith(".json")
