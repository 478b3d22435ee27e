"""A hypervisor that is truly another: sshd and a libvirt of its own in private network and mount namespaces.

Its libvirt shares nothing with this machine's but the kernel and the programs: sockets, definitions, images
and our folders there lie on file systems in memory that only it sees.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from assay.model.files.native import PROBE
from tests.fleet_hosts import remove_group
from tests.hosts import SshHost, ssh_host

PLACES = (
    "/etc/libvirt",
    "/run/libvirt",
    "/var/lib/libvirt",
    "/var/cache/libvirt",
    "/var/log/libvirt",
    "/var/lib/assay",
    "/var/tmp",
)
_START = """\
set -e
probe=$1 log=$2; shift 2
mount --make-rprivate /
for place in {places}; do
  mkdir -p "$place"
  mount -t tmpfs -o mode=755 tmpfs "$place"
done
if [ -e /dev/kvm ]; then mount --bind /dev/null /dev/kvm; fi
for daemon in virtlogd libvirtd; do
  "$probe" subreaper -- "/usr/sbin/$daemon" -p "/run/libvirt/$daemon.pid" >>"$log" 2>&1 &
done
exec "$@"
"""


@contextmanager
def hypervisor(folder: Path) -> Iterator[SshHost]:
    """Start a machine with a libvirt of its own; it, its guests and all traces of it are gone afterwards."""
    script = _START.format(places=" ".join(PLACES))
    log = folder / "libvirt.log"
    start = ("unshare", "--mount", "sh", "-c", script, "sh", str(PROBE.path()), str(log))
    with ssh_host(folder, wrap=start) as host:
        try:
            _await_libvirt(host, log)
            yield host
        finally:
            end_all(host)


def there(host: SshHost, *argv: str) -> str:
    """Return what a command prints on the hypervisor."""
    enter = ["nsenter", f"--net=/run/netns/{host.server_namespace}", f"--mount=/proc/{_sshd(host)}/ns/mnt"]
    return subprocess.run([*enter, *argv], check=True, capture_output=True, text=True).stdout


def lay(host: SshHost, file: Path, place: str) -> None:
    """Lay a file of this machine onto the hypervisor, holes and all, without its network."""
    target = Path(f"/proc/{_sshd(host)}/root{place}")
    target.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["cp", "--sparse=always", file, target], check=True)


def processes(host: SshHost) -> dict[int, str]:
    """Return the processes of the hypervisor by number, with their names."""
    done = subprocess.run(
        ["ip", "netns", "pids", host.server_namespace], capture_output=True, check=True, text=True
    )
    found = {}
    for pid in map(int, done.stdout.split()):
        with suppress(OSError):
            found[pid] = Path(f"/proc/{pid}/comm").read_text().strip()
    return found


def end_all(host: SshHost) -> None:
    """End every process of the hypervisor, guests first, wait until none is left, and remove control groups
    that libvirt made for guests: who is killed does not.
    """
    groups = {name for pid in processes(host) for name in _groups(pid)}
    until = time.monotonic() + 20
    while (left := processes(host)) and time.monotonic() < until:
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.1)
    assert not left, left
    for name in groups:
        for place in Path("/sys/fs/cgroup").glob(f"**/machine/{name}"):
            remove_group(place)


def _groups(pid: int) -> set[str]:
    """Return the control groups of the guest that a process is, as libvirt calls them."""
    with suppress(OSError):
        text = Path(f"/proc/{pid}/cgroup").read_text()
        return set(re.findall(r"/machine/(qemu-[^/\n]+\.libvirt-qemu)", text))
    return set()


def _sshd(host: SshHost) -> int:
    """Return sshd's own number: what ``ip netns exec`` and ``unshare`` became."""
    return host.process.pid


def _await_libvirt(host: SshHost, log: Path) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        with suppress(subprocess.CalledProcessError):
            there(host, "virsh", "-c", "qemu:///system", "list", "--all")
            return
        time.sleep(0.3)
    raise RuntimeError(f"libvirtd does not answer: {log.read_text()}")
