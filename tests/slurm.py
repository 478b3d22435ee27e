"""A real Slurm of some nodes on this machine: munge, a controller and a daemon a node, nothing in /etc."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.ports import free_port

CONFIGURATION = """\
ClusterName=assay
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
SlurmctldPort={port}
AuthType=auth/munge
AuthInfo=socket={place}/munge.sock
CredType=cred/munge
StateSaveLocation={place}/state
SlurmdSpoolDir={place}/spool.%n
SlurmctldPidFile={place}/slurmctld.pid
SlurmdPidFile={place}/slurmd.%n.pid
SlurmctldLogFile={place}/slurmctld.log
SlurmdLogFile={place}/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
MpiDefault=none
KillWait=2
SchedulerParameters=sched_interval=1,batch_sched_delay=0
SlurmdParameters=config_overrides
{nodes}
PartitionName=main Nodes={first} Default=YES MaxTime=INFINITE State=UP
PartitionName=spare Nodes={last} MaxTime=INFINITE State=UP
{more}
"""
UP_S = 30.0


@dataclass(frozen=True)
class Cluster:
    """A Slurm that runs.

    Attributes:
        place: Its folder.
        nodes: Names of its nodes; the last alone is in the partition ``spare``, the others in ``main``.
    """

    place: Path
    nodes: tuple[str, ...]

    @property
    def variables(self) -> Mapping[str, str]:
        """Variables by which its client programs find it."""
        return {"SLURM_CONF": str(self.place / "slurm.conf")}

    def ask(self, *words: str) -> str:
        """Return what a client program prints."""
        done = subprocess.run(
            words,
            env={**os.environ, **self.variables},
            capture_output=True,
            text=True,
            timeout=30,
            check=True,
        )
        return done.stdout.strip()

    def wait_for(self, said: str, *words: str, wait_s: float = UP_S) -> None:
        """Wait until a client program prints just that."""
        until = time.monotonic() + wait_s
        while (told := self.ask(*words)) != said:
            assert time.monotonic() < until, f"{words}: {told!r}"
            time.sleep(0.1)


@contextmanager
def slurm(count: int = 3, *, apart: bool = False, more: str = "") -> Iterator[Cluster]:
    """Run a Slurm of so many nodes; all of it is ended afterwards.

    Args:
        count: Number of nodes.
        apart: Each node can be measured beside the others.
        more: A further line of ``slurm.conf``.
    """
    with tempfile.TemporaryDirectory(prefix="assay-slurm-") as folder:
        place = Path(folder)
        place.chmod(0o755)
        names = tuple(f"wn{number}" for number in range(count))
        _configure(place, names, more)
        try:
            yield _started(place, names, apart=apart)
        finally:
            _end(place, names)


def _configure(place: Path, names: tuple[str, ...], more: str) -> None:
    host = os.uname().nodename.partition(".")[0]
    (place / "state").mkdir()
    (place / "munge.key").write_bytes(os.urandom(1024))
    (place / "munge.key").chmod(0o400)
    nodes = [
        f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={free_port()} CPUs=2 RealMemory=1000 "
        f"Feature={'rome' if number else 'milan'} State=UNKNOWN"
        for number, name in enumerate(names)
    ]
    text = CONFIGURATION.format(
        host=host,
        place=place,
        port=free_port(),
        nodes="\n".join(nodes),
        first=",".join(names[:-1]),
        last=names[-1],
        more=more,
    )
    (place / "slurm.conf").write_text(text)


def _started(place: Path, names: tuple[str, ...], *, apart: bool) -> Cluster:
    munge = [f"--{what}={place}/munge{end}" for what, end in _MUNGE]
    cluster, environment = Cluster(place, names), {**os.environ, "SLURM_CONF": str(place / "slurm.conf")}
    daemons = [
        ["munged", "--force", "--num-threads=2", *munge],
        ["slurmctld"],
        *([*(_APART if apart else ()), "slurmd", "-N", name] for name in names),
    ]
    for words in daemons:
        subprocess.run(words, env=environment, check=True, timeout=30, capture_output=True)
    for name in names:
        cluster.wait_for("idle", "sinfo", "--noheader", f"--nodes={name}", "--format=%T")
    return cluster


_APART = (
    "unshare", "--mount", "sh", "-ec",
    'mkdir -p /run/assay; for one in /run/assay /var/tmp; do mount -t tmpfs node $one; done; exec "$@"',
    "node",
)  # fmt: skip
"""What assay keeps on a machine is then each node's own: all are one machine, of which one at a time is
measured.
"""
_MUNGE = (
    ("key-file", ".key"),
    ("socket", ".sock"),
    ("pid-file", ".pid"),
    ("seed-file", ".seed"),
    ("log-file", ".log"),
)


def _end(place: Path, names: tuple[str, ...]) -> None:
    """End the daemons, the nodes' first, each by the process that it has noted."""
    cluster = Cluster(place, names)
    with suppress(subprocess.SubprocessError, AssertionError):
        cluster.ask("scancel", "--user=root")
        cluster.wait_for("", "squeue", "--noheader")
    files = [*(f"slurmd.{name}.pid" for name in names), "slurmctld.pid", "munge.pid"]
    for file in files:
        with suppress(OSError, ValueError):
            pid = int((place / file).read_text())
            os.kill(pid, signal.SIGTERM)
            until = time.monotonic() + 20
            while Path("/proc", str(pid)).exists() and time.monotonic() < until:
                time.sleep(0.05)
            if Path("/proc", str(pid)).exists():
                os.kill(pid, signal.SIGKILL)
