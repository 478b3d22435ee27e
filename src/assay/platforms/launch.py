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
from assay.platforms.daemon_state import DaemonState, forget_state, write_state
from assay.platforms.device import KVM, kvm_group, lend, put_back, to_lend
from assay.platforms.errors import PlatformError
from assay.platforms.process import PATH, ProcessMark, children, is_alive, process_mark, spawn, stop_process

_PROGRAMS = ("virtlogd", "libvirtd")
_SOCKETS = {"virtlogd": Path("/run/libvirt/virtlogd-sock"), "libvirtd": Path("/run/libvirt/libvirt-sock")}
_ANSWER_S = 60.0
"""The first start on a machine probes QEMU for its capabilities: 12 s were seen under load."""


def start_daemons(home: Path, *, subreaper: Path, answers: Callable[[], bool]) -> DaemonState:
    """Start virtlogd and libvirtd under subreapers and wait until libvirtd answers.

    Orphaned QEMU children would never be reaped on a machine without init, and libvirt waits for them.
    The daemons have their own session and outlive the caller, even one killed by SIGKILL.

    Raises:
        MissingError: libvirt's daemons or the subreaper are not installed.
        PlatformError: a daemon ended or did not answer within a minute; nothing is left running.
    """
    programs = [_program(name) for name in _PROGRAMS]
    if not os.access(subreaper, os.X_OK):
        msg = f"cannot start libvirt: no executable probe at {subreaper}"
        raise MissingError(msg, hint="make setup")
    (home / "run").mkdir(parents=True, exist_ok=True)  # for the logs: our state may lie elsewhere
    state = _lend_device(home)
    try:
        for name, program in zip(_PROGRAMS, programs, strict=True):
            state = _start(home, state, name=name, command=[str(subreaper), "subreaper", "--", program])
        _wait_for(home, "libvirtd", state, answers)
    except BaseException:
        stop_daemons(home, state)
        raise
    return _with_children(home, state)


def stop_daemons(home: Path, state: DaemonState) -> None:
    """Stop daemons of ours, libvirtd first, and give ``/dev/kvm`` back; gone ones are no error."""
    state = _with_children(home, state) if state.running else state
    for mark in reversed(state.daemons):
        stop_process(mark)
    if state.kvm is not None:
        put_back(KVM, state.kvm)
    forget_state(home)


def _program(name: str) -> str:
    found = shutil.which(name, path=PATH)
    if found is None:
        msg = f"cannot start libvirt: {name} is not installed"
        raise MissingError(msg, hint="apt install libvirt-daemon-system qemu-system-x86 qemu-utils")
    return found


def _lend_device(home: Path) -> DaemonState:
    group = kvm_group()
    state = DaemonState(kvm=to_lend(KVM, group))
    write_state(home, state)
    if state.kvm is not None and group is not None:
        lend(KVM, group)
    return state


def _start(home: Path, state: DaemonState, *, name: str, command: list[str]) -> DaemonState:
    if _listens(_SOCKETS[name]):  # a virtlogd of the system may run where libvirtd does not
        return state
    _SOCKETS[name].unlink(missing_ok=True)
    mark = spawn(command, log=home / "run" / f"{name}.log")
    state = replace(state, daemons=(*state.daemons, mark))
    write_state(home, state)
    _wait_for(home, name, state, _SOCKETS[name].exists)
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


def _with_children(home: Path, state: DaemonState) -> DaemonState:
    # a subreaper that was killed must not hide the daemon below it
    below = [process_mark(pid) for mark in state.daemons if is_alive(mark) for pid in children(mark.pid)]
    daemons = [mark for mark in below if mark is not None and _is_daemon(mark)]
    known = [mark for mark in state.daemons if mark not in daemons]
    state = replace(state, daemons=(*known, *daemons))
    write_state(home, state)
    return state


def _is_daemon(mark: ProcessMark) -> bool:
    # guests that libvirtd started are adopted by the subreaper, too, and are not daemons of ours
    try:
        return Path(f"/proc/{mark.pid}/comm").read_text().strip() in _PROGRAMS
    except (FileNotFoundError, ProcessLookupError):
        return False
