"""Why a database cannot be used."""

from __future__ import annotations

from assay.model.errors import AssayError, Exit, MissingError


class NewerDatabaseError(AssayError):
    """The database was written by a newer assay."""

    exit_code = Exit.INPUT


class DamagedDatabaseError(AssayError):
    """The database is damaged, or is another program's."""

    exit_code = Exit.INPUT

    def __init__(self, place: str, reason: object) -> None:
        hint = "assay store rebuild: it is made anew from the records, and the old file is kept beside it"
        super().__init__(f"cannot read the database {place}: {reason}", hint=hint)


class AwayDatabaseError(MissingError):
    """The server of the database does not answer, or has ended the connection."""
