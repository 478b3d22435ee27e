"""What can go wrong with virtual platforms."""

from __future__ import annotations

from pathlib import Path

from assay.model.errors import AssayError, Exit


class PlatformError(AssayError):
    """A virtual platform is not what was asked for, or could not be made."""

    exit_code = Exit.MISSING


class ClaimedError(AssayError):
    """Another living process of assay holds what was asked for."""


class GuestBootError(AssayError):
    """A guest did not become usable in time.

    Args:
        name: The guest.
        why: What was waited for or what happened instead.
        log: Its console's log.
        last_lines: The end of what it printed, oldest first; may be empty.
    """

    exit_code = Exit.UNREACHABLE

    def __init__(self, name: str, why: str, *, log: Path, last_lines: tuple[str, ...]) -> None:
        self.name, self.why, self.log, self.last_lines = name, why, log, last_lines
        said = f"last console lines: {' | '.join(last_lines)}" if last_lines else "its console stayed empty"
        super().__init__(f"cannot boot guest: {name}, {why}; {said}; log {log}", hint=_HINT)


_HINT = "assay platform image build makes the guest's image anew; the log holds all that the guest printed"
