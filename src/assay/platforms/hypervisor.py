"""Which libvirt carries the guests of this process: the machine's daemon, or a plain user's own.

Source: ``man 8 libvirtd`` (``--timeout``; sockets of the system's and of a user's daemon),
https://libvirt.org/daemons.html, https://libvirt.org/uri.html; glib's ``g_get_user_runtime_dir``.
"""

from __future__ import annotations

import operator
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from assay.model.errors import MissingError
from assay.model.files.packages import install_command

if TYPE_CHECKING:
    from libvirt import virConnect

EMULATORS = ("/usr/bin/qemu-system-x86_64", "/usr/libexec/qemu-kvm")
"""Where QEMU is: on most distributions; on Enterprise Linux, the only one there."""
_RUN = Path("/run/libvirt")
_LIMITS = (
    "no control group around them (their processors are given by affinity, and read back)",
    "no network but the user kind (workloads that need the bench network are left out)",
    "no change of the host's settings",
)
_TIMEOUT = ("--timeout", "120")
"""What libvirt itself gives a user's daemon: without connection and guest it ends after two minutes."""
_RUNTIME, _AUTOSTART = "XDG_RUNTIME_DIR", "LIBVIRT_AUTOSTART"


def find_emulator(places: tuple[str, ...] = EMULATORS) -> str:
    """Return the first place that has a QEMU which we may run; the first place of all where none has."""
    return next((place for place in places if os.access(place, os.X_OK)), places[0])


EMULATOR = find_emulator()
"""This machine's QEMU."""


def require_emulator(place: str = EMULATOR) -> None:
    """Make sure that QEMU is there; starts nothing.

    Raises:
        MissingError: It is not, or this user may not run it.
    """
    if not os.access(place, os.X_OK):
        msg = f"cannot make guests: QEMU is at none of {', '.join(EMULATORS)}"
        raise MissingError(msg, hint=install_command("qemu-system-x86"))


def parse_devices(text: str) -> frozenset[str]:
    """Return the names in what QEMU answers to ``-device help``; aliases are no names."""
    return frozenset(re.findall(r'^name "([^"\n]+)"', text, re.MULTILINE))


@dataclass(frozen=True)
class Hypervisor:
    """A libvirt daemon as the carrier of guests.

    Attributes:
        uri: How libvirt is asked for it.
        of_system: It has root's rights; else it has those of the user whose it is.
        sockets: The programs that it is made of, in the order of their start, and where they listen; empty
            where it is not ours to start.
        arguments: Of the last of these programs.
        limits: What guests cannot have by it, one clause each.
    """

    uri: str
    of_system: bool
    sockets: Mapping[str, Path] = field(default_factory=dict)
    arguments: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()

    @property
    def reported(self) -> str:
        """Return in one line that it is not the machine's, and what follows; empty for the machine's."""
        return "" if self.of_system else f"guests are made by {self.uri}: {', '.join(self.limits)}"


SYSTEM = Hypervisor(
    "qemu:///system",
    of_system=True,
    sockets={"virtlogd": _RUN / "virtlogd-sock", "libvirtd": _RUN / "libvirt-sock"},
)


def users_own(runtime: Path) -> Hypervisor:
    """Return the daemon of a plain user, which starts its own virtlogd.

    Args:
        runtime: ``runtime_folder()`` of the user.
    """
    return Hypervisor(
        "qemu:///session",
        of_system=False,
        sockets={"libvirtd": runtime / "libvirt" / "libvirt-sock"},
        arguments=_TIMEOUT,
        limits=_LIMITS,
    )


@cache
def local_hypervisor() -> Hypervisor:
    """Return the daemon that carries guests on this machine, chosen once for the whole process.

    The machine's for root, whether it runs or not, and for a user whom it lets in; else the user's own.
    """
    if os.geteuid() == 0 or _lets_in(SYSTEM.uri):
        return SYSTEM
    os.environ[_AUTOSTART] = "0"  # else libvirt would start it on the way, out of our sight
    return users_own(runtime_folder())


def hypervisor_of(connection: virConnect) -> Hypervisor:
    """Return what a connection leads to."""
    here = local_hypervisor()
    uri = str(connection.getURI())
    return here if uri == here.uri else Hypervisor(uri, of_system=not uri.endswith("/session"))


def runtime_folder() -> Path:
    """Return where a user's own daemons listen, and see to it that libvirt finds the same place.

    A login without a session manager (``su``, ``cron``) is not told of ``/run/user/UID``, and ``sudo`` may
    tell of another user's: all logins of one user must find one daemon.
    """
    named = os.environ.get(_RUNTIME)
    for folder in (*([Path(named)] if named else []), Path(f"/run/user/{os.geteuid()}")):
        if _is_ours(folder):
            os.environ[_RUNTIME] = str(folder)
            return folder
    os.environ.pop(_RUNTIME, None)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def _is_ours(folder: Path) -> bool:
    try:
        return folder.is_dir() and folder.stat().st_uid == os.geteuid()
    except OSError:
        return False


def print_no_errors() -> None:
    """Load libvirt's module and keep it from printing errors, which it raises as well.

    A handler in Python would let those of signals run within libvirt, and what they raise come out of it as
    another error: it is a function in C, which does nothing.

    Raises:
        ImportError: The module is not installed.
    """
    import libvirt

    libvirt.registerErrorHandler(operator.is_, None)


def _lets_in(uri: str) -> bool:
    try:
        print_no_errors()
    except ImportError:
        return False
    import libvirt

    try:
        libvirt.open(uri).close()
    except libvirt.libvirtError:
        return False
    return True
