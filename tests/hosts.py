"""A real sshd in a network namespace of its own, for every test that reaches a machine by SSH.

Two namespaces joined by a veth pair: the root namespace gets no address of ours. Whoever connects does so
from the client's namespace: a command by ``SshHost.inside``, this process's SSH thread by ``entered``.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import secrets
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from assay.machines.ssh.background import background
from assay.model.machines.machine import Machine, Reach

SERVER, CLIENT, PORT = "198.18.1.1", "198.18.1.2", 2222
CLONE_NEWNET = 0x40000000

CONFIG = """\
Port {port}
ListenAddress {address}
HostKey {folder}/host_key
AuthorizedKeysFile {folder}/authorized_keys
PidFile {folder}/sshd.pid
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
StrictModes no
Subsystem sftp /usr/lib/openssh/sftp-server
"""


@dataclass
class SshHost:
    """A machine to be reached by SSH.

    Attributes:
        address: Its IPv4 address, reached only from the client's namespace.
        port: Its port.
        user: Account that ``identity`` opens.
        identity: The user's private key.
        host_key: The machine's public key, ``ssh-ed25519 AAAA…``.
        home: A home folder whose ``.ssh`` knows the machine and holds the key.
        client_namespace: Name of the namespace to connect from.
        server_namespace: Name of the namespace where sshd runs.
        process: sshd itself, in the foreground.
        folder: Where its configuration lies.
        wrap: Command that sshd is started by, in the server's namespace.
    """

    address: str
    port: int
    user: str
    identity: Path
    host_key: str
    home: Path
    client_namespace: str
    server_namespace: str
    folder: Path
    process: subprocess.Popen[bytes]
    wrap: tuple[str, ...] = ()

    def machine(self, **changes: object) -> Machine:
        """Return it as an entry of the inventory that relies on the home folder's configuration."""
        given = {"user": self.user, "port": self.port, "host": self.address, **changes}
        return Machine(name="bench", reach=Reach.SSH, **given)  # type: ignore[arg-type]

    def described(self) -> Machine:
        """Return it as an entry that brings both its keys, as a guest's does."""
        return self.machine(host_key=self.host_key, identity=str(self.identity))

    def inside(self, argv: Sequence[str]) -> list[str]:
        """Return the argument list that runs a command where the machine can be reached."""
        return ["ip", "netns", "exec", self.client_namespace, *argv]

    def restart(self) -> None:
        """End sshd with all its sessions and start it again."""
        self.kill()
        self.process = _sshd(self.folder, self.server_namespace, self.wrap)

    def kill(self) -> None:
        """End sshd and all its sessions at once, as a crash would."""
        for pid in _pids(self.server_namespace):
            _kill(pid)
        self.process.wait()


@contextmanager
def ssh_host(folder: Path, *, wrap: tuple[str, ...] = ()) -> Iterator[SshHost]:
    """Start a machine; it and all traces of it are gone afterwards."""
    with ExitStack() as stack:
        _share_folders(stack)
        server, client = _namespaces(stack)
        home = _keys(folder)
        process = _sshd(folder, server, wrap)
        host = SshHost(
            address=SERVER,
            port=PORT,
            user="root",
            identity=home / ".ssh" / "id_ed25519",
            host_key=" ".join((folder / "host_key.pub").read_text().split()[:2]),
            home=home,
            client_namespace=client,
            server_namespace=server,
            folder=folder,
            process=process,
            wrap=wrap,
        )
        stack.callback(host.kill)
        yield host


@contextmanager
def entered(namespace: str) -> Iterator[None]:
    """Move this process's SSH thread, and only that, into a network namespace meanwhile."""
    outside = os.open("/proc/self/ns/net", os.O_RDONLY)
    inside = os.open(f"/run/netns/{namespace}", os.O_RDONLY)
    try:
        _on_loop(lambda: enter_namespace(inside))
        try:
            yield
        finally:
            _on_loop(lambda: enter_namespace(outside))
    finally:
        os.close(inside)
        os.close(outside)


def make_key(path: Path, kind: str = "ed25519") -> str:
    """Make a key pair without a passphrase and return its public half."""
    subprocess.run(["ssh-keygen", "-q", "-t", kind, "-N", "", "-f", path], check=True)
    return path.with_name(path.name + ".pub").read_text()


def _keys(folder: Path) -> Path:
    home = folder / "home"
    (home / ".ssh").mkdir(parents=True, mode=0o700)
    (folder / "authorized_keys").write_text(make_key(home / ".ssh" / "id_ed25519"))
    public = make_key(folder / "host_key")
    (home / ".ssh" / "known_hosts").write_text(f"[{SERVER}]:{PORT} {public}")
    (folder / "sshd_config").write_text(CONFIG.format(port=PORT, address=SERVER, folder=folder))
    return home


def _namespaces(stack: ExitStack) -> tuple[str, str]:
    tag = secrets.token_hex(4)
    server, client = f"assay-ts{tag}", f"assay-tc{tag}"
    for name in (server, client):
        _ip("netns", "add", name)
        stack.callback(_ip, "netns", "del", name)
    _ip("-n", server, "link", "add", "up0", "type", "veth", "peer", "name", "up1", "netns", client)
    for name, device, address in ((server, "up0", SERVER), (client, "up1", CLIENT)):
        _ip("-n", name, "addr", "add", f"{address}/30", "dev", device)
        _ip("-n", name, "link", "set", device, "up")
        _ip("-n", name, "link", "set", "lo", "up")
    return server, client


def _sshd(folder: Path, namespace: str, wrap: tuple[str, ...]) -> subprocess.Popen[bytes]:
    sshd = ["/usr/sbin/sshd", "-D", "-e", "-f", folder / "sshd_config"]
    # what is wrapped keeps this machine's /sys with its control groups, which "ip netns exec" hides
    enter = (
        ["nsenter", f"--net=/run/netns/{namespace}", *wrap] if wrap else ["ip", "netns", "exec", namespace]
    )
    argv = [*enter, *sshd]
    with (folder / "sshd.log").open("ab") as log:
        process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    _await_listening(process, namespace, folder / "sshd.log")
    return process


def _await_listening(process: subprocess.Popen[bytes], namespace: str, log: Path) -> None:
    for _ in range(200):
        listening = subprocess.run(
            ["ip", "netns", "exec", namespace, "cat", "/proc/net/tcp"], capture_output=True, check=True
        )
        if f":{PORT:04X} 00000000:0000 0A".encode() in listening.stdout:
            return
        if process.poll() is not None:
            break
        time.sleep(0.05)
    raise RuntimeError(f"sshd does not listen: {log.read_text()}")


def _share_folders(stack: ExitStack) -> None:
    """Have sshd's own folder; it and ours there go with the last of the machines that tests have
    at a time.
    """
    users = stack.enter_context(Path("/run/lock/assay-tests-ssh").open("a"))  # noqa: SIM115
    fcntl.flock(users, fcntl.LOCK_SH)
    Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
    stack.callback(_forget_folders, users)


def _forget_folders(users: IO[str]) -> None:
    try:
        fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return
    shutil.rmtree("/var/tmp/assay-root", ignore_errors=True)


def _pids(namespace: str) -> list[int]:
    done = subprocess.run(["ip", "netns", "pids", namespace], capture_output=True, check=True, text=True)
    names = {pid: _comm(pid) for pid in map(int, done.stdout.split())}
    return [pid for pid, name in names.items() if name.startswith(("sshd", "sftp-server"))]


def _comm(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, 9)


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


def _on_loop(act: Callable[[], None]) -> None:
    done = threading.Event()
    failed: list[OSError] = []

    def run() -> None:
        try:
            act()
        except OSError as error:
            failed.append(error)
        done.set()

    background().soon(run)
    assert done.wait(10)
    if failed:
        raise failed[0]


def enter_namespace(handle: int) -> None:
    """Move the thread that calls into a network namespace, by its open file."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(handle, CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), "setns")
