"""A read-only connection to a hypervisor, which may be on another machine.

Source: https://libvirt.org/uri.html (``no_tty``: ssh never asks), ssh(1).
"""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from assay.platforms.daemon.daemon import import_libvirt
from assay.platforms.errors import HypervisorError
from assay.platforms.host_command import run

if TYPE_CHECKING:
    from libvirt import virConnect

LOGIN_S = 10
"""Of ssh's connection: libvirt itself would wait as long as the kernel does, two minutes."""
_OPTIONS = ("BatchMode=yes", "StrictHostKeyChecking=yes", f"ConnectTimeout={LOGIN_S}")


@contextlib.contextmanager
def reading(uri: str) -> Iterator[virConnect]:
    """Connect to a hypervisor for reading; no daemon of the system is started for it.

    Args:
        uri: libvirt's address of it.

    Raises:
        HypervisorError: It cannot be reached, or does not let us in.
        MissingError: libvirt's module is not installed.
    """
    import_libvirt()
    import libvirt

    address = _knocked(uri)
    try:
        connection = libvirt.openReadOnly(address)
    except libvirt.libvirtError as error:
        raise HypervisorError(uri, str(error)) from error
    try:
        yield connection
    finally:
        with contextlib.suppress(libvirt.libvirtError):  # it may be gone
            connection.close()


def _knocked(uri: str) -> str:
    """Return the address to open, after making sure that ssh lets us in; unknown host keys are refused."""
    where, port = _login(uri)
    if where is None:
        return uri
    words = [word for option in _OPTIONS for word in ("-o", option)]
    try:
        ended = run(
            ["ssh", "-T", *words, *port, "--", where, "true"], timeout_s=2 * LOGIN_S, variables=os.environ
        )
    except FileNotFoundError as error:
        raise HypervisorError(uri, "ssh is not installed") from error
    except subprocess.TimeoutExpired as error:
        raise HypervisorError(uri, f"ssh has not answered after {2 * LOGIN_S} s") from error
    if ended.code != 0:
        raise HypervisorError(uri, (ended.stderr.strip().splitlines() or ["ssh said nothing"])[-1])
    return f"{uri}?no_tty=1"


def _login(uri: str) -> tuple[str | None, list[str]]:
    """Return whom ssh is to reach, ``None`` where the address names no machine, and its words for the port.

    Raises:
        HypervisorError: The address cannot be read.
    """
    try:
        parts = urlsplit(uri)
        host, port = parts.hostname, parts.port
    except ValueError as error:  # a port above 65535, an address in brackets that is none
        raise HypervisorError(uri, str(error)) from error
    where = f"{parts.username}@{host}" if parts.username and host else host
    return where or None, ["-p", str(port)] if port else []
