"""Which host keys are accepted: only those that are known, whatever a configuration says."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

import asyncssh

from assay.machines.errors import HostKeyError
from assay.model.machines.machine import Machine

_USER_FILE = "~/.ssh/known_hosts"
_SITE_FILE = "/etc/ssh/ssh_known_hosts"


def _as_it_is(file: str) -> tuple[str, int, int, int]:
    """Return a file's path, and what is another once it is written to."""
    seen = os.stat(file)
    return file, seen.st_ino, seen.st_size, seen.st_mtime_ns


@lru_cache(maxsize=8)
def _read(files: tuple[tuple[str, int, int, int], ...]) -> asyncssh.SSHKnownHosts:
    """Return what files say; read once for all machines as long as they are the same."""
    return asyncssh.read_known_hosts([file for file, *_ in files])


class Trust:
    """What is known of a machine's host keys, and which one it showed.

    Args:
        machine: The machine; its own ``host_key``, if given, is the only one accepted.

    Attributes:
        known: Keys that are known for it, once the connection has asked.
        shown: The key that it showed, if that was refused.
    """

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._files: tuple[str, ...] = ()
        self.known: tuple[asyncssh.SSHKey, ...] = ()
        self.shown: asyncssh.SSHKey | None = None

    def read_files(self, configured: object) -> None:
        """Take the files that a configuration names; the usual ones where it names none.

        asyncssh reads ``UserKnownHostsFile none`` as "trust everyone"; here it means "know no one".
        """
        names = configured if isinstance(configured, list) and configured else [_USER_FILE, _SITE_FILE]
        names = [] if configured is None else names
        paths = [Path(name).expanduser() for name in names]
        self._files = tuple(str(path) for path in paths if os.access(path, os.R_OK) and path.is_file())

    def look_up(self, host: str, address: str, port: int | None) -> tuple[Iterable[object], ...]:
        """Answer asyncssh: trusted keys, trusted authorities, revoked keys and their X.509 kin."""
        if self._machine.host_key is not None:
            self.known = (read_host_key(self._machine),)
            return self.known, (), (), (), (), (), ()
        matched = _read(tuple(map(_as_it_is, self._files))).match(host, address, port)
        self.known = tuple(matched[0])
        return tuple(matched)

    def client(self) -> asyncssh.SSHClient:
        """Return asyncssh's callbacks: they note a key that is not known, and refuse it."""
        return _Client(self)


class _Client(asyncssh.SSHClient):
    def __init__(self, trust: Trust) -> None:
        self._trust = trust

    def validate_host_public_key(self, host: str, addr: str, port: int, key: asyncssh.SSHKey) -> bool:
        del host, addr, port
        self._trust.shown = key
        return False


def read_host_key(machine: Machine) -> asyncssh.SSHKey:
    """Return the key that was given for a machine, as ``ssh-ed25519 AAAA…`` or a ``known_hosts`` line.

    Raises:
        HostKeyError: It is no public key.
    """
    words = (machine.host_key or "").split()
    for line in (" ".join(words), " ".join(words[1:])):
        try:
            return asyncssh.import_public_key(line)
        except asyncssh.KeyImportError:
            continue
    msg = f"cannot read the host key given for {machine.name}: expected a line like 'ssh-ed25519 AAAA…'"
    raise HostKeyError(msg, machine=machine.name, changed=False)


def refusal(machine: Machine, trust: Trust) -> HostKeyError:
    """Say which host key was refused and how to verify and accept it."""
    shown = _prints([trust.shown]) if trust.shown else "a key of another kind"
    if machine.host_key is not None:
        msg = f"cannot trust {machine.name}: expected its host key {_prints(trust.known)}, it shows {shown}"
        return HostKeyError(msg, machine=machine.name, changed=True, hint="something else answers there")
    if trust.known:
        msg = f"cannot trust {machine.name}: its host key has changed from {_prints(trust.known)} to {shown}"
        hint = f"if that was meant: {_forget(machine)} && {_accept(machine)}"
        return HostKeyError(msg, machine=machine.name, changed=True, hint=hint)
    msg = f"cannot trust {machine.name}: its host key {shown} is not known"
    hint = f"compare the fingerprint with the machine's own (there: {_OWN}), then: {_accept(machine)}"
    return HostKeyError(msg, machine=machine.name, changed=False, hint=hint)


_OWN = "ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub"


def _prints(keys: Iterable[asyncssh.SSHKey]) -> str:
    shown = dict.fromkeys(
        f"{key.get_algorithm()} {key.get_fingerprint()}" for key in keys
    )  # of several files
    return ", ".join(shown)


def jump(machine: Machine) -> str:
    """Return the words of ``ssh`` for the machine through which a guest is reached, with a blank behind."""
    carrier = machine.carrier
    if carrier is None or carrier.host is None:
        return ""
    host = f"[{carrier.host}]" if ":" in carrier.host else carrier.host
    user, port = (f"{carrier.user}@" if carrier.user else ""), (f":{carrier.port}" if carrier.port else "")
    return f"-J {user}{host}{port} "


def _accept(machine: Machine) -> str:
    if by := jump(machine):  # ssh-keyscan goes through no machine
        port = f"-p {machine.port} " if machine.port else ""
        return f"ssh {by}{port}{f'{machine.user}@' if machine.user else ''}{machine.host} true"
    port = f"-p {machine.port} " if machine.port else ""
    return f"ssh-keyscan {port}{machine.host} >> ~/.ssh/known_hosts"


def _forget(machine: Machine) -> str:
    place = f"'[{machine.host}]:{machine.port}'" if machine.port not in (None, 22) else machine.host
    return f"ssh-keygen -R {place}"
