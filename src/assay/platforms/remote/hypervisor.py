"""Another machine as a place for guests: its libvirt, its files, and our folder there."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from assay.model.errors import MissingError
from assay.model.files.home import TEXT as HOME_TEXT
from assay.model.files.marker import FILE, marker_text
from assay.model.files.packages import install_command
from assay.model.machines.machine import Machine
from assay.platforms.errors import WAIT, ClaimedError, asking_libvirt
from assay.platforms.filesystems.host_filesystem import remove_folder
from assay.platforms.guests.disk import Maker
from assay.platforms.guests.domains import marked_domains, remove_domain, runs
from assay.platforms.guests.mark import Mark
from assay.platforms.readers import qemu_group
from assay.platforms.remote.claims import live_there
from assay.platforms.remote.connect import remote_connection
from assay.platforms.remote.door import RemoteDoor
from assay.platforms.remote.files import STEP_S
from assay.platforms.remote.host import RemoteHost

if TYPE_CHECKING:
    from libvirt import virConnect, virDomain

HOME = "/var/lib/assay/remote"
"""Our folder there: QEMU's user can enter it, and an assay on that machine has a home of its own."""
_PACKAGES = ("qemu-system-x86", "qemu-utils", "libvirt-daemon-system")
_MAKING_S = 3600.0
_MAKE = """\
umask 022
above=$(dirname -- "$1")
[ -e "$above" ] || { mkdir -p -- "$above" && printf '%s\\n' "$3" > "$above/$2"; }
mkdir -p -- "$1/images" "$1/guests" "$1/run" && chmod 711 -- "$1" "$1/images" "$1/guests" "$1/run" || exit
readlink -f -- "$1"
"""
_HOLDS_NOTHING = """\
holds_nothing() { [ -d "$1" ] && [ ! -L "$1" ] && ! ls -A -- "$1" | grep -Eqv '^\\.assay\\.[0-9]+\\.new$'; }
"""
"""Tells whether a folder is empty but for a marker that was being written."""
_MAKE_GUEST = f"""\
umask 077
{_HOLDS_NOTHING}
holds_nothing "$1" || mkdir -- "$1" || exit
printf '%s\\n' "$3" > "$1/$2.$$.new" && mv -- "$1/$2.$$.new" "$1/$2"
"""
_REMOVE_GUEST = f"""\
{_HOLDS_NOTHING}
holds_nothing "$1" || {{
    [ -d "$1" ] && [ ! -L "$1" ] && [ "$(cat -- "$1/$2" 2>/dev/null)" = "$3" ]
}} || exit 0
rm -rf --one-file-system -- "$1"
"""
_LIST = f"""\
{_HOLDS_NOTHING}
for folder in "$1"/*; do
    [ ! -L "$folder" ] || continue
    if [ -f "$folder/$2" ] || holds_nothing "$folder"; then basename -- "$folder"; fi
done
"""
_MARK_EARLIER = """\
umask 077
for spec in "$1"/assay-*/spec.json; do
    folder=${spec%/spec.json}
    [ ! -f "$spec" ] || [ -L "$folder" ] || [ -e "$folder/$2" ] || printf "$3\\n" "${folder##*/}" > "$folder/$2"
done
"""  # noqa: E501
"""Marks guests' folders of an assay that wrote no markers, by the file that it wrote into each."""
_GIVE = """\
group=$1 mode=$2
shift 2
for path; do
    [ ! -e "$path" ] || { chgrp -- "$group" "$path" && chmod -- "$mode" "$path"; } || exit 1
done"""
"""Arguments: number of a group, mode, paths; those that are not there are passed over."""


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

    def folder_here(self, guest: str) -> Path:
        """Return the folder on this machine that holds the keys of a guest there."""
        return self.here / "guests" / guest

    def remove_folder(self, folder: Path) -> None:
        """Remove a guest's folder there, and its keys here; one that is gone is no error, and one without its
        marker stays.
        """
        self._run(_REMOVE_GUEST, folder)
        remove_folder(self.folder_here(folder.name))

    def make_folder(self, folder: Path) -> None:
        """Make a guest's folder there, with its marker."""
        self._run(_MAKE_GUEST, folder)

    def mark_earlier(self) -> None:
        """Mark the folders of guests that an earlier assay left there without a marker."""
        words = ["sh", "-c", _MARK_EARLIER, "sh", str(self.home / "guests"), FILE, marker_text("%s")]
        self.door.run(words, timeout_s=STEP_S)

    def guests_folders(self) -> list[str]:
        """Return the names of the folders of guests of ours there."""
        command = ["sh", "-c", _LIST, "sh", str(self.home / "guests"), FILE]
        return self.door.run(command, timeout_s=STEP_S).decode().splitlines()

    def _run(self, script: str, folder: Path) -> None:
        if folder.parent != self.home / "guests":
            msg = f"BUG: {folder} on {self.name} is no guest's folder"
            raise RuntimeError(msg)
        words = ["sh", "-c", script, "sh", str(folder), FILE, marker_text(folder.name)]
        self.door.run(words, timeout_s=_MAKING_S)

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
        words = ["sh", "-c", _MAKE, "sh", HOME, FILE, HOME_TEXT]
        there = door.run(words, timeout_s=STEP_S).decode().strip()
        made = Hypervisor(door, connection, host, Path(there), home)
        made.mark_earlier()
        yield made


def lend_there(on: Hypervisor, mode: int, *paths: Path) -> None:
    """Let QEMU's group on another machine use files or folders of ours there, as ``readers.give``
    does here.
    """
    group = qemu_group(on.connection) or 0
    words = ["sh", "-c", _GIVE, "sh", str(group), f"{mode:o}", *map(str, paths)]
    on.door.run(words, timeout_s=STEP_S)


def require_tools(host: RemoteHost, name: str) -> None:
    """Refuse a machine on which guests could not be made, or not be verified.

    Raises:
        MissingError: We are not root there, or it lacks QEMU.
    """
    if not host.root:
        msg = f"cannot make guests on {name}: only root may look at QEMU's files, and we are not root there"
        raise MissingError(msg, hint=f"assay machine add {name} --ssh root@HOST")
    for there, program in ((host.qemu != (0, 0, 0), host.emulator), (host.has("qemu-img"), "qemu-img")):
        if not there:
            msg = f"cannot make guests on {name}: {program} is not there"
            raise MissingError(msg, hint=f"there: {install_command(*_PACKAGES, has=host.has)}")


@asking_libvirt("look for guests that still run")
def end_guests(hypervisor: Hypervisor, activity: str) -> None:
    """End every running guest of ours there that nobody needs.

    Args:
        hypervisor: The machine, held by the activity.
        activity: It; guests that it left itself go.

    Raises:
        ClaimedError: One holds a record not yet collected, or works for somebody, or belongs to that
            machine's own assay.
    """
    live = live_there(hypervisor.door, hypervisor.home)
    for domain, mark in marked_domains(hypervisor.connection):
        name = str(domain.name())
        if not runs(domain):
            continue
        own = mark.activity == activity
        foreign = mark.home != hypervisor.home or (not own and mark.activity in live)
        if foreign or (mark.pending and not own):
            msg = f"cannot start: guest {name} of activity {mark.activity} runs on {hypervisor.name}"
            hint = WAIT if foreign else f"assay activity resume {mark.activity}"
            raise ClaimedError(msg, hint=hint)
        remove_domain(domain)
        hypervisor.remove_folder(hypervisor.home / "guests" / name)
