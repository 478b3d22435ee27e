"""How libvirt's ``qemu+ssh`` logs in: by the ssh of this machine, and no looser than our own door.

libvirt runs a program that it is told of as its ssh. Ours is two lines that are the same for everybody: ssh
with the configuration that lies beside it. That one says what our door has found, and first of all the one
host key that is accepted: the one that the door has proved. So whoever stands in between is refused both
ways.

Source: https://libvirt.org/uri.html (``command``, ``no_tty``), ``man 5 ssh_config`` (the first word counts).
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from assay.model.machines.machine import Machine
from assay.platforms.errors import PlatformError

_PROGRAM = '#!/bin/sh\nexec ssh -F "${0%/*}/config" "$@"\n'
_OTHERS = ("~/.ssh/config", "/etc/ssh/ssh_config")
CONNECT_S = 15


def write_login(login: Machine, folder: Path, *, given: Machine) -> Path:
    """Write the program that libvirt takes for ssh, with its configuration.

    Args:
        login: The machine as our door reached it.
        folder: For both and the known host key; made for this user alone.
        given: The machine as the inventory has it: its host is the name that the user's configuration knows.

    Returns:
        The program.

    Raises:
        PlatformError: The machine proved no host key.
    """
    if login.host_key is None:
        msg = f"cannot trust {login.name}: it proved no host key"
        raise PlatformError(msg, hint=f"ssh-keyscan {login.host}")
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)
    (folder / "known_hosts").write_text(f"{_alias(login)} {login.host_key}\n")
    (folder / "config").write_text(ssh_config(login, folder, given=given))
    program = folder / "ssh"
    program.write_text(_PROGRAM)
    program.chmod(0o700)
    return program


def ssh_config(login: Machine, folder: Path, *, given: Machine) -> str:
    """Return the configuration for ssh; what it leaves open comes from the user's own."""
    lines = [
        f"Host {_bare(given)}",
        f"HostName {login.host}",
        f"HostKeyAlias {_alias(login)}",
        f'UserKnownHostsFile "{folder / "known_hosts"}"',
        "GlobalKnownHostsFile none",
        "StrictHostKeyChecking yes",
        "UpdateHostKeys no",
        "BatchMode yes",
        "ControlPath none",
        f"ConnectTimeout {CONNECT_S}",
        "ServerAliveInterval 15",
    ]
    if given.identity is not None:
        lines += [f'IdentityFile "{given.identity}"', "IdentitiesOnly yes", "IdentityAgent none"]
    if given.host_key is None or given.identity is None:
        lines += ["Host *", *(f'Include "{Path(name).expanduser()}"' for name in _OTHERS)]
    return "\n".join(lines) + "\n"


def hypervisor_uri(login: Machine, *, given: Machine, program: Path) -> str:
    """Return where libvirt finds the hypervisor: ``qemu+ssh://user@host:port/system?…``."""
    host = f"[{_bare(given)}]" if ":" in _bare(given) else _bare(given)
    place = f"{quote(login.user or '')}@{host}:{login.port}"
    return f"qemu+ssh://{place}/system?no_tty=1&command={quote(str(program))}"


def _bare(given: Machine) -> str:
    return given.host or ""


def _alias(login: Machine) -> str:
    return f"assay-{login.name}"
