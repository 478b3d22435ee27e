"""A connection to the libvirt of another machine, or one line that says why there is none."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from assay.model.errors import AssayError, MissingError
from assay.model.files.packages import install_command
from assay.model.machines.machine import Machine
from assay.platforms.daemon.daemon import import_libvirt
from assay.platforms.remote.door import RemoteDoor
from assay.platforms.remote.host import RemoteHost
from assay.platforms.remote.login import hypervisor_uri, write_login

if TYPE_CHECKING:
    from libvirt import virConnect

_REASONS = (
    (("virt-ssh-helper", "no such file"), "libvirtd does not run there"),
    (("failed to connect socket", "no such file"), "libvirtd does not run there"),
    (("connection refused",), "libvirtd does not run there"),
    (("not found",), "libvirt is not installed there"),
    (("no driver for",), "it has no libvirt for QEMU"),
    (("authentication",), "it refuses this user"),
    (("permission denied",), "it refuses this user"),
    (("access denied",), "it refuses this user"),
)
"""Words that occur together in what libvirt says, and what they mean."""


@contextlib.contextmanager
def remote_connection(door: RemoteDoor, machine: Machine, *, home: Path) -> Iterator[virConnect]:
    """Connect to a machine's libvirt by ``qemu+ssh``; its daemon is used as it is and never started or
    stopped.

    Args:
        door: To the machine; open, so its host key is known to be right.
        machine: It, as the inventory has it.
        home: Folder of assay's state here.

    Raises:
        MissingError: libvirt is not installed, here or there, does not run there, or refuses this user.
    """
    import_libvirt()
    import libvirt

    login = door.login()
    program = write_login(login, home / "run" / f"hypervisor-{machine.name}", given=machine)
    try:
        connection = libvirt.open(hypervisor_uri(login, given=machine, program=program))
    except libvirt.libvirtError as error:
        raise _refused(machine, login, str(error), host=RemoteHost(door)) from error
    try:
        yield connection
    finally:
        with contextlib.suppress(libvirt.libvirtError):  # the machine may be lost
            connection.close()


def _refused(machine: Machine, login: Machine, message: str, *, host: RemoteHost) -> AssayError:
    line = " ".join(message.split())
    why = next((why for words, why in _REASONS if all(word in line.lower() for word in words)), line)
    msg = f"cannot use libvirt on {machine.name}: qemu+ssh://{login.user}@{machine.host}/system: {why}"
    there = (
        "systemctl start libvirtd, or virtqemud.socket"
        if "not run" in why
        else "virsh -c qemu:///system list --all"
    )
    if "not installed" in why:
        there = install_command("libvirt-daemon-system", "qemu-system-x86", "qemu-utils", has=host.has)
    return MissingError(msg, hint=f"there: {there}")
