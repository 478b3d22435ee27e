"""A real HTCondor of some nodes on this machine: a pool of a plain user, as whoever has no rights runs one.

The machine's own Debian need not have HTCondor: its programs are those of a tree of the release that has it,
made once out of the machine's own archives, and laid over ``/usr`` in mount namespaces of the daemons. All
other files are the machine's, so that nodes and the controller see the same ones. In a user namespace the
tests' root is a plain user of the pool: HTCondor runs no job of root.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from assay.model.files.home import make_home
from assay.platforms.images.command import run_command
from assay.platforms.images.guest_root import _machine_apt_settings
from assay.platforms.images.sources import machine_sources
from tests.ports import free_port

RELEASE, PACKAGES = "trixie", ("condor", "openssh-client", "openssh-server")
TREES = Path(os.environ.get("ASSAY_HOME") or "/var/lib/assay") / "tests"
UID, UP_S, ENDS_S = 1000, 60.0, 20.0
CLIENTS = (
    "condor_drain", "condor_history", "condor_hold", "condor_q", "condor_release", "condor_rm",
    "condor_ssh_to_job", "condor_status", "condor_submit",
)  # fmt: skip
CONFIGURATION = """\
RELEASE_DIR = /usr
BIN = /usr/bin
SBIN = /usr/sbin
LIB = /usr/lib/condor
LIBEXEC = /usr/libexec/condor
LOCAL_DIR = {place}/$ENV(ASSAY_PART)
LOG = $(LOCAL_DIR)/log
SPOOL = $(LOCAL_DIR)/spool
EXECUTE = $(LOCAL_DIR)/execute
LOCK = $(LOCAL_DIR)/lock
RUN = $(LOCAL_DIR)/run
FULL_HOSTNAME = $ENV(ASSAY_PART).test
NETWORK_HOSTNAME = $ENV(ASSAY_PART).test
CONDOR_HOST = 127.0.0.1
COLLECTOR_HOST = 127.0.0.1:{port}
NETWORK_INTERFACE = 127.0.0.1
BIND_ALL_INTERFACES = False
USE_SHARED_PORT = False
UID_DOMAIN = test
FILESYSTEM_DOMAIN = test
SEC_USE_FAMILY_SESSION = False
SEC_DEFAULT_AUTHENTICATION = REQUIRED
SEC_DEFAULT_AUTHENTICATION_METHODS = FS
SEC_CLIENT_AUTHENTICATION_METHODS = FS
ALLOW_READ = {account}@*
ALLOW_WRITE = {account}@*
ALLOW_ADMINISTRATOR = {administrator}@*
ALLOW_DAEMON = {account}@*
ALLOW_NEGOTIATOR = {account}@*
NUM_CPUS = 2
MEMORY = 1000
RUNBENCHMARKS = False
NEGOTIATOR_INTERVAL = 2
NEGOTIATOR_CYCLE_DELAY = 1
NEGOTIATOR_MIN_INTERVAL = 1
SCHEDD_INTERVAL = 2
SCHEDD_MIN_INTERVAL = 1
SCHEDD_SEND_RESCHEDULE = False
UPDATE_INTERVAL = 3
POLLING_INTERVAL = 1
PERIODIC_EXPR_INTERVAL = 2
STARTER_INITIAL_UPDATE_INTERVAL = 1
SEC_ENABLE_REMOTE_ADMINISTRATION = False
MOUNT_UNDER_SCRATCH =
DISCARD_SESSION_KEYRING_ON_STARTUP = False
"""
"""The schedd does not call the negotiator, which looks every two seconds: at their first meeting each would
wait for the other to answer, for 20 s. Without remote administration it is the node that says who administers
it, not the collector, which hands out that right to whoever may act as negotiator.
"""
LAID_OVER = """\
mount --bind "$1/usr" /usr
mount --bind "$2/etc" /etc
shift 2
"""
OWN_FOLDERS = """\
mkdir -p /run/assay
for one in /run/assay /var/tmp; do mount -t tmpfs node $one; done
"""
"""What assay keeps on a machine is then each node's own: all are one machine, of which one at a time is
measured.
"""
CLIENT = """\
#!/bin/sh
exec nsenter --target={pid} --user --mount --setuid={uid} --setgid={uid} -- \\
  env -i PATH=/usr/bin HOME=/tmp ASSAY_PART=central CONDOR_CONFIG={place}/condor_config /usr/bin/{name} "$@"
"""


@dataclass(frozen=True)
class Pool:
    """An HTCondor that runs.

    Attributes:
        place: Its folder.
        account: The account of its jobs.
        nodes: Names of its nodes, of two cores and 1000 MB each.
    """

    place: Path
    account: str
    nodes: tuple[str, ...]

    @property
    def variables(self) -> Mapping[str, str]:
        """Variables by which its client programs are found."""
        return {"PATH": f"{self.place / 'bin'}:{os.environ['PATH']}"}

    def ask(self, *words: str, given: str = "") -> str:
        """Return what a client program prints."""
        done = subprocess.run(
            words,
            env={**os.environ, **self.variables},
            input=given,
            capture_output=True,
            text=True,
            timeout=30,
            check=True,
        )
        return done.stdout.strip()

    def queue(self, attribute: str = "JobStatus") -> list[str]:
        """Return an attribute of each job in the queue."""
        return self.ask("condor_q", "-allusers", "-autoformat", attribute).split()

    def take(self, node: str, seconds: int = 300) -> str:
        """Submit another's job that takes a whole node; return its id."""
        lines = (
            "executable = /bin/sleep", "transfer_executable = false", f"arguments = {seconds}",
            "request_cpus = 2", f'requirements = Machine == "{node}"', "queue",
        )  # fmt: skip
        return self.ask("condor_submit", "-terse", given="\n".join((*lines, ""))).split()[0]

    def wait_for(self, said: str, *words: str, wait_s: float = UP_S) -> None:
        """Wait until a client program prints just that."""
        until = time.monotonic() + wait_s
        while (told := self._asked(words)) != said:
            assert time.monotonic() < until, f"{words}: {told!r}"
            time.sleep(0.1)

    def wait_for_no_jobs(self, wait_s: float = UP_S) -> None:
        """Wait until the queue is empty, and nodes are free again."""
        self.wait_for("", "condor_q", "-allusers", "-autoformat", "ClusterId", wait_s=wait_s)
        free = "\n".join("Unclaimed" for _ in self.nodes)
        self.wait_for(free, "condor_status", "-autoformat", "State", wait_s=wait_s)

    def end_jobs(self) -> None:
        """End all jobs."""
        with suppress(subprocess.CalledProcessError):  # there is none
            self.ask("condor_rm", "-all")
        self.wait_for_no_jobs()

    def _asked(self, words: Sequence[str]) -> str:
        try:
            return self.ask(*words)
        except subprocess.CalledProcessError as error:  # the daemons come up one after the other
            return str(error.stderr)


@contextmanager
def condor(
    count: int = 2, *, apart: bool = False, administered: bool = True, more: str = ""
) -> Iterator[Pool]:
    """Run an HTCondor of so many nodes; all of it is ended afterwards.

    Args:
        count: Number of nodes.
        apart: Each node can be measured beside the others.
        administered: The account of its jobs is an administrator of it.
        more: Further lines of the configuration.
    """
    root = tree()
    with tempfile.TemporaryDirectory(prefix="assay-condor-", dir="/tmp") as folder:
        place, port = Path(folder), free_port()
        pool = Pool(place, f"batch{port}", tuple(f"wn{number}.test" for number in range(count)))
        _configure(pool, root, port, administered=administered)
        with (place / "condor_config").open("a") as file:
            file.write(f"{more}\n")
        running: list[subprocess.Popen[bytes]] = []
        try:
            running.append(_start(pool, root, "central", "COLLECTOR NEGOTIATOR SCHEDD"))
            _make_clients(pool, running[0].pid)
            for name in pool.nodes:
                running.append(_start(pool, root, name.partition(".")[0], "STARTD", apart=apart))
            pool.wait_for_no_jobs()
            yield pool
        finally:
            with suppress(OSError, subprocess.SubprocessError, AssertionError):
                pool.end_jobs()
            _end(running)
            shutil.rmtree(f"/var/tmp/assay-{pool.account}", ignore_errors=True)


def _configure(pool: Pool, root: Path, port: int, *, administered: bool) -> None:
    place = pool.place
    place.chmod(0o755)
    shutil.copytree(root / "etc", place / "etc", symlinks=True)
    for name in ("central", *(node.partition(".")[0] for node in pool.nodes)):
        for part in ("log", "spool", "execute", "lock", "run"):
            (place / name / part).mkdir(parents=True)
    with (place / "etc/passwd").open("a") as file:
        file.write(f"{pool.account}:x:{UID}:{UID}::/tmp:/bin/sh\n")
    with (place / "etc/group").open("a") as file:
        file.write(f"{pool.account}:x:{UID}:\n")
    (place / "etc/hosts").write_text(f"127.0.0.1 localhost central.test {' '.join(pool.nodes)}\n")
    words = {"account": pool.account, "administrator": pool.account if administered else "root"}
    (place / "condor_config").write_text(CONFIGURATION.format(place=place, port=port, **words))


def _start(
    pool: Pool, root: Path, part: str, daemons: str, *, apart: bool = False
) -> subprocess.Popen[bytes]:
    """Start daemons; the process is theirs, ``condor_master``."""
    script = f'{LAID_OVER}{OWN_FOLDERS if apart else ""}exec "$@"'
    variables = (f"ASSAY_PART={part}", f"CONDOR_CONFIG={pool.place}/condor_config", "PATH=/usr/bin:/usr/sbin")
    user = ("unshare", "--user", f"--map-user={UID}", f"--map-group={UID}", "--")
    master = ("env", "-i", *variables, f"_CONDOR_DAEMON_LIST=MASTER {daemons}", "condor_master", "-f")
    with (pool.place / part / "said").open("wb") as said:
        return subprocess.Popen(
            [
                "unshare",
                "--mount",
                "--propagation=private",
                "--",
                "sh",
                "-ec",
                script,
                part,
                str(root),
                str(pool.place),
                *user,
                *master,
            ],
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            start_new_session=True,
        )


def _make_clients(pool: Pool, pid: int) -> None:
    """Make client programs that enter the namespaces of a process, once that is the pool's user."""
    until = time.monotonic() + UP_S
    while Path(f"/proc/{pid}/comm").read_text() != "condor_master\n":
        assert time.monotonic() < until, (pool.place / "central" / "said").read_text()
        time.sleep(0.05)
    (pool.place / "bin").mkdir()
    for name in CLIENTS:
        file = pool.place / "bin" / name
        file.write_text(CLIENT.format(pid=pid, uid=UID, place=pool.place, name=name))
        file.chmod(0o755)


def _end(running: Sequence[subprocess.Popen[bytes]]) -> None:
    """End daemons, the nodes' first; what a ``condor_master`` leaves is killed with it."""
    for process in reversed(running):
        process.send_signal(signal.SIGQUIT)
    for process in reversed(running):
        try:
            process.wait(ENDS_S)
        except subprocess.TimeoutExpired:
            for pid in (*_below(process.pid), process.pid):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            process.wait()


def _below(pid: int) -> list[int]:
    """Return the processes that a process has started, and those that these have."""
    children: list[int] = []
    with suppress(OSError):
        children = [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return [one for child in children for one in (*_below(child), child)]


def tree() -> Path:
    """Return the root of a Debian that has HTCondor, made first on a machine that has none."""
    lines = [f"{source.line}\n" for source in machine_sources(release=RELEASE)]
    digest = hashlib.sha256("".join((*lines, *PACKAGES)).encode()).hexdigest()[:16]
    if not TREES.parent.exists():
        make_home(TREES.parent)
    TREES.mkdir(exist_ok=True)
    made = TREES / f"condor-{digest}"
    with (TREES / "condor.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            for old in TREES.glob("condor-*"):
                shutil.rmtree(old)
            with tempfile.TemporaryDirectory(prefix="condor-", suffix=".part", dir=TREES) as part:
                _make_tree(Path(part), lines).rename(made)
    return made


def _make_tree(part: Path, sources: Sequence[str]) -> Path:
    (part / "sources.list").write_text("".join(sources))
    (part / "apt.conf").write_text(_machine_apt_settings())
    options = [f"--dpkgopt=path-exclude=/usr/share/{folder}/*" for folder in ("doc", "man", "locale")]
    options += [f"--aptopt={part}/apt.conf", '--aptopt=Apt::Install-Recommends "false"']
    words = ["mmdebstrap", "--mode=root", "--format=directory", "--variant=apt", *options]
    with (part / "log").open("w") as log:
        run_command(
            [*words, f"--include={','.join(PACKAGES)}", RELEASE, f"{part}/root", f"{part}/sources.list"],
            log=log,
        )
    return part / "root"
