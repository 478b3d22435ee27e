"""A connection to libvirt, with a daemon of ours where none runs.

A daemon found running is used and left as it is. The machine's is not started where systemd is to do it.
One that we started is stopped when its last user leaves, unless guests still run in it; one that a crashed
process of ours left behind is adopted.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from assay.model.errors import MissingError
from assay.model.files.packages import install_command
from assay.platforms.daemon.device import KVM, put_back
from assay.platforms.daemon.launch import require_daemons, start_daemons, stop_daemons
from assay.platforms.daemon.state import (
    DaemonState,
    forget_state,
    read_or_keep_aside,
    state_file,
    write_state,
)
from assay.platforms.hypervisor import local_hypervisor, print_no_errors, require_emulator
from assay.platforms.locks import locked
from assay.platforms.process import this_process

if TYPE_CHECKING:
    from libvirt import libvirtError, virConnect


@contextlib.contextmanager
def libvirt_connection(home: Path, *, subreaper: Path) -> Iterator[virConnect]:
    """Connect to libvirt (``local_hypervisor``); start it where nobody does, and then stop it at the end.

    Args:
        home: Folder of assay's state, for the daemons' logs.
        subreaper: The native probe; ``subreaper -- COMMAND`` of it looks after the daemons' orphans.

    Yields:
        An open connection, closed at the end.

    Raises:
        MissingError: libvirt is not installed, this user may not use it, or systemd is to start it.
        PlatformError: the daemon does not start.
        DamagedJournalError: what was noted of daemons of ours is damaged; it is kept aside.
    """
    import_libvirt()
    with _alone():
        connection, ours = _join(home, subreaper)
    try:
        yield connection
    finally:
        with _alone():
            idle = not has_guests(connection)
            connection.close()
            if ours:
                _leave(idle=idle)


def require_libvirt() -> None:
    """Make sure that libvirt is there for this user, or can be started, and QEMU too; starts nothing.

    Raises:
        MissingError: libvirt or QEMU is not installed, this user may not use it, or systemd is to start
            libvirt.
    """
    import_libvirt()
    require_emulator()
    connection = connect()
    if connection is None:
        require_daemons(local_hypervisor())
    else:
        connection.close()


def import_libvirt() -> None:
    """Load libvirt's Python module and keep it from printing errors itself.

    Raises:
        MissingError: it is not installed.
    """
    try:
        print_no_errors()
    except ImportError as error:
        msg = f"cannot use libvirt: its Python module is not there ({error})"
        packages = ("libvirt-daemon-system", "libvirt-dev", "pkg-config", "gcc")
        hint = f"{install_command(*packages)}; pip install 'assay[libvirt]'"
        raise MissingError(msg, hint=hint) from error


def connect() -> virConnect | None:
    """Connect to a daemon that runs; ``None`` where none answers.

    Raises:
        MissingError: one answers but this user may not use it.
    """
    import libvirt

    uri = local_hypervisor().uri
    try:
        return libvirt.open(uri)
    except libvirt.libvirtError as error:
        if _is_refusal(error):
            msg = f"cannot use libvirt: {uri} refuses user {os.getuid()}"
            hint = (
                f"run as root, or: sudo usermod -aG libvirt {os.environ.get('USER', '$USER')}, then "
                "log in anew"
            )
            raise MissingError(msg, hint=hint) from error
        return None


def has_guests(connection: virConnect) -> bool:
    """Tell whether any guest runs, ours or not; a daemon that died has none."""
    import libvirt

    try:
        return bool(connection.listAllDomains(libvirt.VIR_CONNECT_LIST_DOMAINS_ACTIVE))
    except libvirt.libvirtError:
        return False


def stop_idle_daemons() -> bool:
    """Stop daemons that a crashed process of ours left, and give ``/dev/kvm`` back.

    Returns:
        True when nothing of them is left; False while somebody uses them or guests run in them.
    """
    with _alone():
        if read_or_keep_aside() is None:
            return True
        connection = connect()
        idle = connection is None or not has_guests(connection)
        if connection is not None:
            connection.close()
        return _leave(idle=idle)


def _join(home: Path, subreaper: Path) -> tuple[virConnect, bool]:
    state = read_or_keep_aside()
    connection = connect()
    if connection is not None and (state is None or not state.running):
        _forget(state)
        return connection, False
    if connection is None:
        if state is not None:
            stop_daemons(state)
        state = start_daemons(home, local_hypervisor(), subreaper=subreaper, answers=_answers)
        connection = connect()
    write_state((state or DaemonState()).joined(this_process()))
    return connection, True


def _leave(*, idle: bool) -> bool:
    state = read_or_keep_aside()
    if state is None:
        return True
    state = state.left(this_process())
    if idle and not state.users:
        stop_daemons(state)
        return True
    write_state(state)
    return False


def _forget(state: DaemonState | None) -> None:
    if state is None:
        return
    if state.kvm is not None:
        put_back(KVM, state.kvm)
    forget_state()


def _answers() -> bool:
    connection = connect()
    if connection is None:
        return False
    connection.close()
    return True


def _is_refusal(error: libvirtError) -> bool:
    import libvirt

    refusals = (libvirt.VIR_ERR_AUTH_FAILED, libvirt.VIR_ERR_AUTH_UNAVAILABLE, libvirt.VIR_ERR_AUTH_CANCELLED)
    denied = error.get_error_code() == libvirt.VIR_ERR_SYSTEM_ERROR and error.get_int1() == errno.EACCES
    return denied or error.get_error_code() in (*refusals, libvirt.VIR_ERR_ACCESS_DENIED)


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """Keep other processes from the daemons meanwhile.

    Raises:
        MissingError: what is known of them cannot be kept where it belongs.
    """
    folder = state_file().parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        msg = f"cannot use libvirt: {folder}, {error.strerror}"
        raise MissingError(msg, hint="HOME, or XDG_RUNTIME_DIR, must name a folder of this user's") from error
    with locked(folder / "daemon.lock"):
        yield
