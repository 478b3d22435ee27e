"""Starting and stopping virtlogd and libvirtd where no init system does."""

from __future__ import annotations

import os
import shutil
import socket
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from assay.model.errors import MissingError
from assay.model.files.native import how_to_get
from assay.model.files.packages import install_command
from assay.platforms.daemon.device import KVM, kvm_group, lend, put_back, to_lend
from assay.platforms.daemon.state import DaemonState, forget_state, write_state
from assay.platforms.errors import PlatformError
from assay.platforms.hypervisor import Hypervisor
from assay.platforms.process import PATH, ProcessMark, children, is_alive, process_mark, spawn, stop_process
from assay.platforms.readers import make_way

_PROGRAMS = ("virtlogd", "libvirtd")
_USERS_FOLDERS = ("HOME", "XDG_RUNTIME_DIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")
"""Where a user's own daemon looks for its files, and whoever asks it."""
_ANSWER_S = 60.0
"""The first start on a machine probes QEMU for its capabilities: 12 s were seen under load."""
SYSTEMD = Path("/run/systemd/system")
"""Is there where systemd is the init system (``man 3 sd_booted``)."""
_SERVICES = {"virtqemud": "virtqemud.socket", "libvirtd": "libvirtd"}
"""What systemd starts, by the program behind it. Source: https://libvirt.org/daemons.html."""


def require_daemons(hypervisor: Hypervisor) -> None:
    """Make sure that a hypervisor of which no daemon answers can be started by us.

    The machine's is systemd's to start where that runs: it takes over every guest, and starts the guests and
    networks that are marked for autostart.

    Raises:
        MissingError: it is not installed, or systemd's to start.
    """
    if hypervisor.of_system and SYSTEMD.is_dir():
        _refuse_systemds()
    for name in hypervisor.sockets:
        _program(name)


def start_daemons(
    home: Path, hypervisor: Hypervisor, *, subreaper: Path, answers: Callable[[], bool]
) -> DaemonState:
    """Start a hypervisor's daemons under subreapers and wait until libvirtd answers.

    Orphaned QEMU children would never be reaped on a machine without init, and libvirt waits for them.
    The daemons have their own session and outlive the caller, even one killed by SIGKILL.

    Raises:
        MissingError: libvirt's daemons or the subreaper are not installed, or systemd is to start them.
        PlatformError: a daemon ended or did not answer within a minute; nothing is left running.
    """
    require_daemons(hypervisor)
    if not os.access(subreaper, os.X_OK):
        msg = f"cannot start libvirt: no executable probe at {subreaper}"
        raise MissingError(msg, hint=how_to_get())
    make_way(home / "run")  # for the logs: our state may lie elsewhere
    state = _lend_device() if hypervisor.of_system else DaemonState()
    try:
        for name, socket_path in hypervisor.sockets.items():
            words = hypervisor.arguments if name == "libvirtd" else ()
            command = [str(subreaper), "subreaper", "--", _program(name), *words]
            state = _start(home, state, socket_path, command=command)
        _wait_for(home, "libvirtd", state, answers)
    except BaseException:
        stop_daemons(state)
        raise
    return _with_children(state)


def stop_daemons(state: DaemonState) -> None:
    """Stop daemons of ours, libvirtd first, and give ``/dev/kvm`` back; gone ones are no error."""
    state = _with_children(state) if state.running else state
    for mark in reversed(state.daemons):
        stop_process(mark)
    if state.kvm is not None:
        put_back(KVM, state.kvm)
    forget_state()


def _refuse_systemds() -> None:
    """Refuse to start what systemd starts; one that is not installed is another matter."""
    there = [service for name, service in _SERVICES.items() if shutil.which(name, path=PATH) is not None]
    if there:
        msg = "cannot use libvirt: no daemon answers, and systemd is to start it"
        raise MissingError(msg, hint=" or ".join(f"systemctl start {service}" for service in there))


def _program(name: str) -> str:
    path = shutil.which(name, path=PATH)
    if path is None:
        msg = f"cannot start libvirt: {name} is not installed"
        raise MissingError(
            msg, hint=install_command("libvirt-daemon-system", "qemu-system-x86", "qemu-utils")
        )
    return path


def _lend_device() -> DaemonState:
    group = kvm_group()
    state = DaemonState(kvm=to_lend(KVM, group))
    write_state(state)
    if state.kvm is not None and group is not None:
        lend(KVM, group)
    return state


def _start(home: Path, state: DaemonState, place: Path, *, command: list[str]) -> DaemonState:
    if _listens(place):  # a virtlogd of the system may run where libvirtd does not
        return state
    place.unlink(missing_ok=True)
    name = Path(command[3]).name
    mark = spawn(command, log=home / "run" / f"{name}.log", keep=_USERS_FOLDERS)
    state = replace(state, daemons=(*state.daemons, mark))
    write_state(state)
    _wait_for(home, name, state, place.exists)
    return state


def _listens(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as door:
        return door.connect_ex(str(path)) == 0


def _wait_for(home: Path, name: str, state: DaemonState, ready: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _ANSWER_S
    while not ready():
        if not all(is_alive(mark) for mark in state.daemons):
            raise _failed(home, name, "it ended at once")
        if time.monotonic() > deadline:
            raise _failed(home, name, f"no answer within {_ANSWER_S:.0f} s")
        time.sleep(0.05)


def _failed(home: Path, name: str, why: str) -> PlatformError:
    log = home / "run" / f"{name}.log"
    lines = log.read_text(errors="replace").strip().splitlines() if log.exists() else []
    msg = f"cannot start {name}: {why}; last line: {lines[-1] if lines else 'none'}"
    return PlatformError(msg, hint=f"less {log}")


def _with_children(state: DaemonState) -> DaemonState:
    # a subreaper that was killed must not hide the daemon below it
    below = [process_mark(pid) for mark in state.daemons if is_alive(mark) for pid in children(mark.pid)]
    daemons = [mark for mark in below if mark is not None and _is_daemon(mark)]
    known = [mark for mark in state.daemons if mark not in daemons]
    state = replace(state, daemons=(*known, *daemons))
    write_state(state)
    return state


def _is_daemon(mark: ProcessMark) -> bool:
    # guests that libvirtd started are adopted by the subreaper, too, and are not daemons of ours
    try:
        return Path(f"/proc/{mark.pid}/comm").read_text().strip() in _PROGRAMS
    except (FileNotFoundError, ProcessLookupError):
        return False
