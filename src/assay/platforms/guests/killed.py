"""A guest whose QEMU process is killed, and that is started again on the disk that it had.

Nothing of it is removed or made anew: disk, keys, port and definition stay, as after a crash of QEMU.

Limits: the host's kernel goes on, and with it all that QEMU had handed to it: this is no power cut.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from assay.platforms.errors import GuestBootError, PlatformError, asking_libvirt
from assay.platforms.guests.boot import wait_usable
from assay.platforms.guests.domains import runs, start_domain
from assay.platforms.guests.files import lend_files
from assay.platforms.guests.guest import Guest, keep_console
from assay.platforms.process import ProcessMark, kill_process, process_mark
from assay.platforms.readers import qemu_group

if TYPE_CHECKING:
    from libvirt import virDomain

NOTICED_S = 20.0
"""libvirt learns of QEMU's end by its monitor, at once where it is not busy."""
_LOOK_S = 0.05


@asking_libvirt("look for a guest's QEMU")
def qemu_of(guest: Guest) -> ProcessMark:
    """Return the QEMU process of a guest on this machine.

    Raises:
        PlatformError: It does not run.
    """
    mark = process_mark(guest.pid)
    if mark is None:
        raise _gone(guest)
    return mark


def kill_qemu(guest: Guest, qemu: ProcessMark) -> None:
    """End a guest's QEMU by SIGKILL: neither the guest nor QEMU can write anything more.

    Args:
        guest: The guest.
        qemu: Its ``qemu_of``.

    Raises:
        PlatformError: It had ended before, or is another user's.
    """
    try:
        killed = kill_process(qemu)
    except PermissionError as error:
        msg = f"cannot kill QEMU of guest {guest.name}: process {qemu.pid} is another user's"
        raise PlatformError(msg, hint="run assay as root") from error
    if not killed:
        raise _gone(guest)


def _gone(guest: Guest) -> PlatformError:
    return PlatformError(f"cannot kill QEMU of guest {guest.name}: it had ended before")


@asking_libvirt("start a guest again")
def start_again(guest: Guest, *, timeout_s: float = 120.0) -> None:
    """Start a guest on this machine whose QEMU has ended, on the same disk, and wait until it is usable.

    Args:
        guest: The guest; whatever goes wrong, it is left to be destroyed by whoever made it.
        timeout_s: Seconds until it must be usable.

    Raises:
        GuestBootError: It was not usable in time; its console's log is kept in ``home/run``.
        PlatformError: libvirt refuses it, or takes it to run still.
    """
    domain, spec = guest.domain, guest.spec
    _wait_ended(domain, guest.name)
    lend_files(spec, qemu_group(domain.connect()))
    spec.console.unlink(missing_ok=True)  # its old words say that it is usable
    start_domain(domain)
    try:
        wait_usable(spec, runs=lambda: runs(domain), timeout_s=timeout_s)
    except GuestBootError as error:
        keep_console(spec, error)
        raise


def _wait_ended(domain: virDomain, name: str) -> None:
    until = time.monotonic() + NOTICED_S
    while runs(domain):
        if time.monotonic() >= until:
            msg = f"cannot start guest {name} again: libvirt takes it to run still"
            raise PlatformError(msg, hint=f"virsh domstate {name}")
        time.sleep(_LOOK_S)
