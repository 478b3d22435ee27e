"""libvirt as a provider of guests."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from assay.platforms.errors import asking_libvirt
from assay.platforms.guests.guest import Guest, find_guest, start_guest
from assay.platforms.guests.spec import GuestSpec
from assay.platforms.libvirt.traces import domains_of

if TYPE_CHECKING:
    from libvirt import virConnect


class LibvirtProvider:
    """Makes guests through a connection (``provider.Provider``).

    Args:
        connection: libvirt's daemon; whoever opened it closes it.
        home: Folder of assay's state, to which its guests belong.
    """

    def __init__(self, connection: virConnect, home: Path) -> None:
        self._connection, self._home = connection, home

    def make(self, wanted: GuestSpec) -> Guest:
        """Make a guest and wait until it is usable; raises as ``start_guest``."""
        return start_guest(self._connection, wanted)

    def find(self, name: str) -> Guest | None:
        """Return a guest of this home that runs."""
        return find_guest(self._connection, name, home=self._home)

    @asking_libvirt("list guests")
    def ours(self) -> tuple[str, ...]:
        """Return the names of this home's guests."""
        return tuple(sorted(str(domain.name()) for domain, _ in domains_of(self._connection, self._home)))
