"""How a connection is made: the user's SSH configuration, agent and known hosts, and a cheap cipher."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import asyncssh

from assay.machines.ssh.refused import explain
from assay.machines.ssh.trust import Trust
from assay.model.errors import MissingError
from assay.model.machines.machine import Machine

KEEPALIVE_S = 15.0
"""A silent connection is asked this often; an answer costs a guest under emulation about a millisecond."""
KEEPALIVE_COUNT = 3
"""After so many unanswered questions the machine is lost."""

# The first exchange costs a guest under emulation most of a login; curve25519 is the cheapest of the safe
# ones. The user's own choice of algorithms stays open behind these.
_CHEAP = {
    "kex_algs": "^curve25519-sha256",
    "encryption_algs": "^aes128-gcm@openssh.com,chacha20-poly1305@openssh.com",
    "compression_algs": None,
}

# How sshd's hanging up over algorithms arrives: as its word, as an end, or as a reset that overtook both.
_HUNG_UP = (asyncssh.KeyExchangeFailed, asyncssh.ConnectionLost, ConnectionResetError)


async def connect(
    machine: Machine,
    *,
    timeout_s: float,
    through: asyncssh.SSHClientConnection | None = None,
    over: socket.socket | None = None,
) -> asyncssh.SSHClientConnection:
    """Connect and log in, without a password prompt.

    Args:
        machine: Whom to reach.
        timeout_s: From the first packet to the end of the login.
        through: Connection to a machine from which this one is reached; ``None`` reaches it from here.
        over: Socket at whose other end its sshd is; ``None`` connects to its port.

    Raises:
        UnreachableError: It cannot be reached, shows an unknown or changed key, or does not let us in.
        MissingError: The private key given for it is not there.
    """
    if machine.identity is not None and not Path(machine.identity).is_file():
        msg = f"cannot log in to {machine.name}: no private key {machine.identity}"
        raise MissingError(msg)
    trust = Trust(machine)
    try:
        trust.read_files(_known_hosts(machine))
        return await asyncssh.connect(
            tunnel=through or (),
            client_factory=trust.client,
            known_hosts=trust.look_up,
            **_settings(machine, timeout_s),
            **_identity(machine),
            **({} if over is None else {"sock": over}),
        )
    except (asyncssh.Error, asyncssh.KeyImportError, OSError, ValueError, RecursionError) as error:
        if isinstance(error, _HUNG_UP) and trust.known:
            trust.shown = trust.shown or await _shown_key(machine, through)
        between = str(through.get_extra_info("host")) if through else None
        raise explain(machine, trust, error, timeout_s=timeout_s, between=between) from error


async def _shown_key(
    machine: Machine, through: asyncssh.SSHClientConnection | None
) -> asyncssh.SSHKey | None:
    """Return the host key that a machine would show to a stranger, for the explanation only.

    Where only a key of another kind is known, the two sides agree on no algorithm, and sshd hangs up.
    """
    try:
        return await asyncssh.get_server_host_key(
            machine.host or "", machine.port or (), config=_config(machine), tunnel=through or ()
        )
    except (asyncssh.Error, OSError, ValueError):
        return None


def _known_hosts(machine: Machine) -> object:
    """Return where the configuration has the known keys of a machine; nothing else of it is read."""
    nothing = {"client_keys": None, "agent_path": None, "gss_host": None}
    return asyncssh.SSHClientConnectionOptions(**_whom(machine), **nothing).known_hosts


def _config(machine: Machine) -> tuple[()] | None:
    """Return asyncssh's word for the user's configuration, or for none.

    A machine that brings both its keys (a guest) is fully described: a ``Host *`` of the user's
    configuration, with a jump host perhaps, must not touch it.
    """
    return None if machine.host_key is not None and machine.identity is not None else ()


def _settings(machine: Machine, timeout_s: float) -> dict[str, Any]:
    return {
        **_whom(machine),
        "password_auth": False,
        "kbdint_auth": False,
        "gss_kex": False,  # Kerberos proves who we are; who the machine is, its known host key
        "agent_forwarding": False,
        "x11_forwarding": False,
        "connect_timeout": timeout_s,
        "login_timeout": timeout_s,
        "keepalive_interval": KEEPALIVE_S,
        "keepalive_count_max": KEEPALIVE_COUNT,
        **_CHEAP,
    }


def _whom(machine: Machine) -> dict[str, Any]:
    return {
        "host": machine.host or "",
        "port": machine.port or (),
        "username": machine.user or (),
        "config": _config(machine),
    }


def _identity(machine: Machine) -> dict[str, Any]:
    if machine.identity is None:
        return {}
    return {
        "client_keys": [machine.identity],
        "agent_path": None,
        "gss_host": None,
        "preferred_auth": "publickey",
    }
