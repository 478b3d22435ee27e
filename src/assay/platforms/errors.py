"""What can go wrong with virtual platforms."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from assay.model.errors import AssayError, Exit, MissingError
from assay.platforms.hypervisor import local_hypervisor


class PlatformError(AssayError):
    """A virtual platform is not what was asked for, or could not be made."""

    exit_code = Exit.MISSING


class NoGuestImageError(MissingError):
    """The image of a guest is not there, and is not or could not be built."""


class DamagedJournalError(PlatformError):
    """A journal of what was changed on this machine cannot be read, so nobody knows what is to be put back.

    Args:
        file: The journal.
        why: What is wrong with it, one clause that names the place.
        kept: Where it is kept aside; ``None`` where it lies as it was found.
    """

    def __init__(self, file: Path, why: str, *, kept: Path | None = None) -> None:
        self.file, self.why, self.kept = file, why, kept
        held = f"; kept as {kept}" if kept not in {None, file} else ""
        look = f"cat {kept or file}; put back by hand what it names, or reboot; then: rm {kept or file}"
        super().__init__(f"cannot tell what is held changed on this machine: {file}: {why}{held}", hint=look)


class ClaimedError(AssayError):
    """Another living process of assay holds what was asked for."""

    exit_code = Exit.MISSING


WAIT = "wait until it has ended; assay evaluate and assay activity resume do so with --wait"
"""What to do about a machine that another activity measures."""


class HypervisorError(AssayError):
    """A hypervisor cannot be reached; nothing was started for it.

    Args:
        uri: libvirt's address of it.
        why: What libvirt or ssh said, or the first line of it.
    """

    exit_code = Exit.UNREACHABLE

    def __init__(self, uri: str, why: str) -> None:
        self.uri, self.why = uri, why
        far = "+ssh://" in uri
        first = (
            "does ssh log in there without a question, its host key known"
            if far
            else "does libvirtd run, and may you use it"
        )
        hint = f"{first}? virsh -r -c {uri} list --all"
        super().__init__(f"cannot reach the hypervisor {uri}: {why}", hint=hint)


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
        tail = f"last console lines: {' | '.join(last_lines)}" if last_lines else "its console stayed empty"
        super().__init__(f"cannot boot guest: {name}, {why}; {tail}; log {log}", hint=_HINT)


_HINT = (
    "the log holds all that the guest printed; assay platform image remove, then build, makes its image anew"
)


@contextlib.contextmanager
def asking_libvirt(what: str) -> Iterator[None]:
    """Turn libvirt's own errors into ours while inside; usable as a decorator.

    Args:
        what: What is being done, for the message: ``cannot <what>: …``.

    Raises:
        PlatformError: libvirt refused, or its daemon is gone.
    """
    try:
        yield
    except Exception as error:
        if type(error).__name__ != "libvirtError":  # its module may not even be installed
            raise
        msg = f"cannot {what}: libvirt says: {error}"
        raise PlatformError(
            msg, hint=f"does libvirtd still run? virsh -c {local_hypervisor().uri} list --all"
        ) from error
