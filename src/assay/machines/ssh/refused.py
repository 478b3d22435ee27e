"""Why a connection was not made, in one clear line."""

from __future__ import annotations

import os
import socket
import subprocess
from importlib.util import find_spec
from pathlib import Path

import asyncssh

from assay.machines.errors import TimedOutError, UnreachableError
from assay.machines.ssh.trust import Trust, jump, refusal
from assay.model.files.program import run_program
from assay.model.machines.machine import Machine

KLIST_S = 5.0


def explain(
    machine: Machine, trust: Trust, error: Exception, *, timeout_s: float, between: str | None = None
) -> UnreachableError:
    """Return what an attempt to connect failed of; times in seconds, ``between`` the machine that it went
    through.
    """
    if isinstance(error, UnreachableError):
        return error
    if _is_host_key(error, trust):
        return refusal(machine, trust)
    if isinstance(error, TimeoutError):
        return silence(machine, timeout_s)
    why, hint = (
        _barred(between, error) if isinstance(error, asyncssh.ChannelOpenError) else _why(machine, error)
    )
    return UnreachableError(f"cannot reach {place(machine)}: {why}", machine=machine.name, hint=hint)


def silence(machine: Machine, timeout_s: float) -> TimedOutError:
    """Return the error of a machine that does not answer an attempt to connect."""
    msg = f"cannot reach {place(machine)}: no answer within {timeout_s:g} s"
    return TimedOutError(msg, machine=machine.name, hint=f"try: {_by_hand(machine)}")


def place(machine: Machine) -> str:
    """Return a machine's name and address for a message, ``node (root@10.0.0.2:22)``."""
    host = f"[{machine.host}]" if ":" in (machine.host or "") else machine.host
    user = f"{machine.user}@" if machine.user else ""
    return f"{machine.name} ({user}{host}{f':{machine.port}' if machine.port else ''})"


def _is_host_key(error: Exception, trust: Trust) -> bool:
    other = trust.shown is not None and trust.shown not in trust.known
    return other or isinstance(error, asyncssh.HostKeyNotVerifiable)


def _why(machine: Machine, error: Exception) -> tuple[str, str | None]:
    by_hand = f"try: {_by_hand(machine)}"
    match error:
        case socket.gaierror():
            return f"the name '{machine.host}' is not resolved", "check the name, or give an address"
        case ConnectionRefusedError():
            return "the port refuses connections", "is sshd running there, on this port?"
        case asyncssh.PermissionDenied():
            return _no_login(by_hand)
        case asyncssh.KeyImportError():
            return f"a private key cannot be read: {error}", "unlock it: ssh-add KEY"
    return _other(error), by_hand


def _no_login(by_hand: str) -> tuple[str, str]:
    """Return why nothing of ours let us in: the tickets of Kerberos need a package that may not be there."""
    if not _has_tickets():
        return "none of our keys is accepted", f"ssh-copy-id there, ssh-add here, then {by_hand}"
    if find_spec("gssapi") is None:
        why = "none of our keys is accepted, and tickets of Kerberos cannot be used: no Python package gssapi"
        return why, "pip install 'assay[kerberos]'"
    why = "none of our keys is accepted, and no ticket of Kerberos either"
    return why, "klist tells whether a ticket is valid, kinit gets one; a key goes there with ssh-copy-id"


def _has_tickets() -> bool:
    """Tell whether there seem to be tickets of Kerberos: the user's cache is named, in its usual place, or
    found by ``klist``, with sssd-kcm for example.
    """
    if "KRB5CCNAME" in os.environ or Path(f"/tmp/krb5cc_{os.getuid()}").exists():  # noqa: S108 - looked at
        return True
    try:
        return run_program(["klist", "-s"], timeout_s=KLIST_S).code == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def _barred(between: str | None, error: asyncssh.ChannelOpenError) -> tuple[str, str]:
    """Return why the machine between did not connect us."""
    name = between or "the jump host"
    if error.code == asyncssh.OPEN_ADMINISTRATIVELY_PROHIBITED:
        return (
            f"{name} lets no connection through: {error.reason}",
            f"is AllowTcpForwarding on in sshd of {name}?",
        )
    return (
        f"{name} got no connection to it: {error.reason}",
        f"does it run, with sshd on this port, as seen from {name}?",
    )


def _other(error: Exception) -> str:
    if isinstance(error, asyncssh.DisconnectError):
        return f"the connection was closed: {error.reason}"
    if isinstance(error, OSError):
        return (error.strerror or str(error)).lower()
    if isinstance(error, RecursionError):  # asyncssh follows 'Host *' with a ProxyJump for ever
        return "the jump hosts of the SSH configuration run in a circle"
    return f"the SSH configuration cannot be used: {error}"


def _by_hand(machine: Machine) -> str:
    port = f"-p {machine.port} " if machine.port else ""
    key = f"-i {machine.identity} " if machine.identity else ""
    user = f"{machine.user}@" if machine.user else ""
    return f"ssh {jump(machine)}{port}{key}{user}{machine.host} true"
