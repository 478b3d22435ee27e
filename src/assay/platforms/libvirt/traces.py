"""A look into libvirt in passing: who only wants to see what is ours should not disturb who works."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from assay.model.errors import MissingError
from assay.model.files.marker import is_marked
from assay.platforms.daemon.daemon import connect, import_libvirt, libvirt_connection
from assay.platforms.guests.domains import marked_domains
from assay.platforms.guests.mark import Mark

if TYPE_CHECKING:
    from libvirt import virConnect, virDomain


@contextlib.contextmanager
def passing_connection(home: Path, *, subreaper: Path) -> Iterator[virConnect | None]:
    """Connect to a daemon that runs; start one for the moment only where guests of ours may be defined.

    Every guest has a folder before its domain is made and until it is gone.

    Yields:
        A connection; ``None`` where no daemon answers and no trace of a guest is there.

    Raises:
        MissingError: there are traces of guests, but libvirt is not there or refuses this user.
    """
    traces = any(map(is_marked, (home / "guests").glob("*")))
    connection = _connect(needed=traces)
    if connection is not None:
        try:
            yield connection
        finally:
            connection.close()
    elif traces:
        with libvirt_connection(home, subreaper=subreaper) as started:
            yield started
    else:
        yield None


def domains_of(connection: virConnect, home: Path) -> list[tuple[virDomain, Mark]]:
    """Return the domains that carry the mark of this home, running or not."""
    return [(domain, mark) for domain, mark in marked_domains(connection) if mark.home == home]


def _connect(*, needed: bool) -> virConnect | None:
    try:
        import_libvirt()
        return connect()
    except MissingError:
        if needed:
            raise
        return None
