"""Many machines by SSH on one bridge: each with a network, processes, a name and a disk of its own.

Whoever connects does so from the hub's namespace; the root namespace gets no address of ours.
"""

from __future__ import annotations

import secrets
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.hosts import make_key

NET, HUB = "198.18", "198.18.0.1"
DISK_BYTES = 3 << 30
CGROUPS = Path("/sys/fs/cgroup")

CONFIG = """\
Port 22
ListenAddress 0.0.0.0
HostKey {folder}/host_key
AuthorizedKeysFile {root}/authorized_keys
PidFile none
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
UseDNS no
StrictModes no
PrintMotd no
PrintLastLog no
LogLevel ERROR
Subsystem sftp internal-sftp
"""

# $1 name of the machine, $2 its folder, $3 bytes of its disk
MACHINE = """\
hostname -- "$1" || exit
mount -t tmpfs -o size="$3",mode=1777 assay-test-disk /var/tmp || exit
mkdir -p -- "$2/root" "$2/run/sshd" || exit
mount --bind -- "$2/root" /root && mount --bind -- "$2/run" /run || exit
exec /usr/sbin/sshd -D -f "$2/sshd_config" -E "$2/log"
"""


@dataclass
class FleetHost:
    """One machine.

    Attributes:
        name: Its name.
        address: Its address.
        namespace: Its network namespace.
        link: The hub's end of its cable.
        folder: Where its configuration lies.
        group: Control group that it is in; ``None`` is that of the tests.
        process: What holds it; ``None`` while it is down.
    """

    name: str
    address: str
    namespace: str
    link: str
    folder: Path
    group: Path | None = None
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Switch it on."""
        enter = ["nsenter", f"--net=/run/netns/{self.namespace}"]
        apart = ["unshare", "--mount", "--uts", "--pid", "--fork", "--kill-child", "--mount-proc"]
        script = ["sh", "-c", MACHINE, "sh", self.name, str(self.folder), str(DISK_BYTES)]
        argv = [*enter, *apart, *script]
        if self.group is not None:  # before anything of it runs
            joined = 'echo $$ > "$1/cgroup.procs" && shift && exec "$@"'
            argv = ["sh", "-c", joined, "sh", str(self.group), *argv]
        self.process = subprocess.Popen(argv, stdin=subprocess.DEVNULL)

    def kill(self) -> None:
        """Switch it off at once: all that runs on it dies."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def hang_up(self) -> None:
        """End all connections to it; it and what runs on it detached go on."""
        inside = ["nsenter", "--pid", "--mount", f"--target={self.pid}"]
        subprocess.run([*inside, "pkill", "-KILL", "-f", "sshd: root"], check=False)

    def runs(self, words: str) -> bool:
        """Tell whether a process whose command line has these words runs on it."""
        inside = ["nsenter", "--pid", "--mount", f"--target={self.pid}"]
        found = subprocess.run([*inside, "pgrep", "-f", words], capture_output=True, check=False)
        return found.returncode == 0

    @property
    def pid(self) -> int:
        """Its first process, as seen from outside."""
        assert self.process is not None
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return int(children[0])

    def inside(self, *argv: str) -> None:
        """Run a command with its files."""
        subprocess.run(["nsenter", "--mount", f"--target={self.pid}", *argv], check=True)


@dataclass
class Fleet:
    """All machines.

    Attributes:
        home: A home folder whose ``.ssh`` knows them and holds the key.
        hub: Namespace to connect from.
        hosts: The machines.
        folder: Where everything lies.
    """

    home: Path
    hub: str
    folder: Path
    hosts: list[FleetHost] = field(default_factory=list)

    def inside(self, argv: Sequence[str]) -> list[str]:
        """Return the argument list that runs a command where the machines can be reached."""
        return ["nsenter", f"--net=/run/netns/{self.hub}", *argv]

    def cut(self, host: FleetHost) -> None:
        """Pull its cable."""
        _ip("-n", self.hub, "link", "set", host.link, "down")

    def heal(self, host: FleetHost) -> None:
        """Plug its cable in again."""
        _ip("-n", self.hub, "link", "set", host.link, "up")

    def rekey(self, host: FleetHost) -> None:
        """Give it another host key, as a machine that was installed again has."""
        host.kill()
        (host.folder / "host_key").unlink()
        make_key(host.folder / "host_key")
        host.start()
        _await(self, [host])

    def trust(self) -> None:
        """Have the user know the keys that the machines have now."""
        lines = [f"{host.address} {(host.folder / 'host_key.pub').read_text()}" for host in self.hosts]
        (self.home / ".ssh/known_hosts").write_text("".join(lines))

    def inventory(self, **more: str) -> str:
        """Return the YAML of an inventory of them all."""
        rows = [f"  - {{name: {host.name}, ssh: root@{host.address}, groups: [farm]}}" for host in self.hosts]
        return "\n".join(["machines:", *rows, *more.values()]) + "\n"


@contextmanager
def fleet_hosts(folder: Path, count: int, *, quota: dict[int, float] | None = None) -> Iterator[Fleet]:
    """Switch machines on; they and all traces of them are gone afterwards.

    Args:
        folder: Where they lie.
        count: How many.
        quota: Processors' worth of time of single machines, by their number.
    """
    tag = secrets.token_hex(3)
    with ExitStack() as stack:
        hub = f"assay-th{tag}"
        _ip("netns", "add", hub)
        stack.callback(_ip, "netns", "del", hub)
        _ip("-n", hub, "link", "add", "br0", "type", "bridge")
        _ip("-n", hub, "addr", "add", f"{HUB}/16", "dev", "br0")
        for device in ("br0", "lo"):
            _ip("-n", hub, "link", "set", device, "up")
        home = folder / "home"
        (home / ".ssh").mkdir(parents=True, mode=0o700)
        (folder / "authorized_keys").write_text(make_key(home / ".ssh" / "id_ed25519"))
        fleet = Fleet(home, hub, folder)
        for at in range(count):
            fleet.hosts.append(_host(stack, fleet, at, tag))
        for at, share in (quota or {}).items():
            fleet.hosts[at].group = _group(stack, f"assay-test-{tag}-{at}", share)
        fleet.trust()
        for host in fleet.hosts:
            host.start()
            stack.callback(host.kill)
        _await(fleet, fleet.hosts)
        yield fleet


def _host(stack: ExitStack, fleet: Fleet, at: int, tag: str) -> FleetHost:
    name, namespace, link = f"n{at + 1:02d}", f"assay-t{tag}-{at}", f"v{at}"
    place = fleet.folder / name
    place.mkdir()
    make_key(place / "host_key")
    (place / "sshd_config").write_text(CONFIG.format(folder=place, root=fleet.folder))
    host = FleetHost(name, f"{NET}.{1 + at // 200}.{1 + at % 200}", namespace, link, place)
    _ip("netns", "add", namespace)
    stack.callback(_ip, "netns", "del", namespace)
    _ip("-n", fleet.hub, "link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", namespace)
    _ip("-n", fleet.hub, "link", "set", link, "master", "br0")
    _ip("-n", fleet.hub, "link", "set", link, "up")
    _ip("-n", namespace, "addr", "add", f"{host.address}/16", "dev", "eth0")
    for device in ("lo", "eth0"):
        _ip("-n", namespace, "link", "set", device, "up")
    return host


def _group(stack: ExitStack, name: str, share: float) -> Path:
    """Make a control group that has so many processors' worth of time."""
    place = CGROUPS / name if (CGROUPS / "cgroup.controllers").exists() else CGROUPS / "cpu" / name
    place.mkdir()
    stack.callback(remove_group, place)
    if (place / "cpu.max").exists():
        (place / "cpu.max").write_text(f"{int(share * 100_000)} 100000")
    else:
        (place / "cpu.cfs_quota_us").write_text(str(int(share * 100_000)))
    return place


def remove_group(place: Path) -> None:
    """Remove a control group and those below it, once none of their processes is left."""
    for below in sorted(place.rglob("*"), reverse=True):
        if below.is_dir():
            with suppress(OSError):
                below.rmdir()
    for _ in range(50):
        with suppress(OSError):
            place.rmdir()
            return
        time.sleep(0.1)


def _await(fleet: Fleet, hosts: Sequence[FleetHost]) -> None:
    """Wait until they listen."""
    script = "exec 3<>/dev/tcp/$1/22"
    waiting = [*hosts]
    for _ in range(200):
        waiting = [
            host
            for host in waiting
            if subprocess.run(
                fleet.inside(["bash", "-c", script, "bash", host.address]), capture_output=True, check=False
            ).returncode
        ]
        if not waiting:
            return
        time.sleep(0.05)
    raise RuntimeError(f"sshd does not listen: {(waiting[0].folder / 'log').read_text()}")


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)
