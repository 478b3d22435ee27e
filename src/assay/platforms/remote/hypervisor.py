"""Another machine as a place for guests: its libvirt, its files, and our folder there."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from assay.model.errors import MissingError
from assay.model.machine import Machine
from assay.platforms.disk import Maker
from assay.platforms.domain import EMULATOR
from assay.platforms.domains import marked_domains, remove_domain
from assay.platforms.errors import ClaimedError, asking_libvirt
from assay.platforms.mark import Mark
from assay.platforms.remote.claims import live_there
from assay.platforms.remote.connect import remote_connection
from assay.platforms.remote.door import RemoteDoor
from assay.platforms.remote.files import STEP_S
from assay.platforms.remote.host import RemoteHost

if TYPE_CHECKING:
    from libvirt import virConnect, virDomain

HOME = "/var/lib/assay/remote"
"""Our folder there: QEMU's user can enter it, and an assay on that machine has a home of its own."""
_MAKING_S = 3600.0
_MAKE = 'umask 022; mkdir -p -- "$1/images" "$1/guests" "$1/run"; readlink -f -- "$1"'


@dataclass(frozen=True)
class Hypervisor:
    """A machine whose libvirt we are connected with.

    Attributes:
        door: To the machine.
        connection: To its libvirt.
        host: What factors look at of it.
        home: Our folder there, without symbolic links.
        here: Folder of assay's state on this machine.
    """

    door: RemoteDoor
    connection: virConnect
    host: RemoteHost
    home: Path
    here: Path

    @property
    def name(self) -> str:
        """Return the name of the machine."""
        return self.door.name

    @property
    def maker(self) -> Maker:
        """Return what makes disks there."""

        def qemu_img(words: list[str], path: Path) -> None:
            del path  # it is among the words
            self.door.run(["qemu-img", *words], timeout_s=_MAKING_S)

        def flush(path: Path) -> None:
            self.door.run(["sync", "--", str(path)], timeout_s=_MAKING_S)

        return Maker(qemu_img, flush)

    def remove_folder(self, folder: Path) -> None:
        """Remove a guest's folder there; one that is gone is no error."""
        if folder.parent != self.home / "guests":
            msg = f"BUG: {folder} on {self.name} is no guest's folder"
            raise RuntimeError(msg)
        self.door.run(["rm", "-rf", "--one-file-system", "--", str(folder)], timeout_s=_MAKING_S)

    def ours(self) -> list[tuple[virDomain, Mark]]:
        """Return the domains there that carry the mark of our folder there."""
        return [(domain, mark) for domain, mark in marked_domains(self.connection) if mark.home == self.home]


@contextlib.contextmanager
def open_hypervisor(door: RemoteDoor, machine: Machine, *, home: Path) -> Iterator[Hypervisor]:
    """Connect to a machine's libvirt and make our folder there.

    Args:
        door: To the machine; open as long as this is used.
        machine: It, as the inventory has it.
        home: Folder of assay's state here.

    Raises:
        MissingError: We are not root there, or QEMU or libvirt is not there or does not run.
    """
    host = RemoteHost(door)
    require_tools(host, machine.name)
    with remote_connection(door, machine, home=home) as connection:
        there = door.run(["sh", "-c", _MAKE, "sh", HOME], timeout_s=STEP_S).decode().strip()
        yield Hypervisor(door, connection, host, Path(there), home)


def require_tools(host: RemoteHost, name: str) -> None:
    """Refuse a machine on which guests could not be made, or not be verified.

    Raises:
        MissingError: We are not root there, or it lacks QEMU.
    """
    if not host.root:
        msg = f"cannot make guests on {name}: only root may look at QEMU's files, and we are not root there"
        raise MissingError(msg, hint=f"assay machine add {name} --ssh root@HOST")
    for there, program in ((host.qemu != (0, 0, 0), EMULATOR), (host.has("qemu-img"), "qemu-img")):
        if not there:
            msg = f"cannot make guests on {name}: {program} is not there"
            raise MissingError(
                msg, hint="there: apt install qemu-system-x86 qemu-utils libvirt-daemon-system"
            )


@asking_libvirt("look for guests that still run")
def end_guests(hypervisor: Hypervisor, activity: str) -> None:
    """End every running guest of ours there that nobody needs.

    Args:
        hypervisor: The machine, held by the activity.
        activity: It; guests that it left itself go.

    Raises:
        ClaimedError: One holds a record not yet collected, or works for somebody, or belongs to that machine's own
            assay.
    """
    live = live_there(hypervisor.door, hypervisor.home)
    for domain, mark in marked_domains(hypervisor.connection):
        name = str(domain.name())
        if not domain.isActive():
            continue
        own = mark.activity == activity
        foreign = mark.home != hypervisor.home or (not own and mark.activity in live)
        if foreign or (mark.pending and not own):
            msg = f"cannot start: guest {name} of activity {mark.activity} runs on {hypervisor.name}"
            hint = "wait until it has ended" if foreign else f"assay activity resume {mark.activity}"
            raise ClaimedError(msg, hint=hint)
        remove_domain(domain)
        hypervisor.remove_folder(hypervisor.home / "guests" / name)
