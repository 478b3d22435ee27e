"""The status of each error, as answers have it."""

from __future__ import annotations

from http import HTTPStatus

from assay.model.errors import AssayError, Exit, UnknownNameError
from assay.platforms.errors import ClaimedError
from assay.web.access.person import RefusedError


class SentError(AssayError):
    """An error of another process, as it is answered here.

    Args:
        message: As there.
        hint: As there.
        status: The answer's.
    """

    def __init__(self, message: str, hint: str | None, status: HTTPStatus) -> None:
        super().__init__(message, hint=hint)
        self.status = status


STATUSES = {
    Exit.BUG: HTTPStatus.INTERNAL_SERVER_ERROR,
    Exit.USAGE: HTTPStatus.UNPROCESSABLE_ENTITY,
    Exit.INPUT: HTTPStatus.UNPROCESSABLE_ENTITY,
    Exit.MISSING: HTTPStatus.CONFLICT,
    Exit.UNREACHABLE: HTTPStatus.BAD_GATEWAY,
}
"""Statuses by exit code of the same command."""


def status_of(error: AssayError) -> HTTPStatus:
    """Return the status of an error."""
    if isinstance(error, SentError):
        return error.status
    if isinstance(error, RefusedError):
        return HTTPStatus.FORBIDDEN
    if isinstance(error, UnknownNameError):
        return HTTPStatus.NOT_FOUND
    if isinstance(error, ClaimedError):
        return HTTPStatus.CONFLICT
    return STATUSES.get(error.exit_code, HTTPStatus.UNPROCESSABLE_ENTITY)
