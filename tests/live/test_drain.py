"""Machines by SSH that are nodes of a real Slurm: drained while they are measured, and given back."""

from __future__ import annotations

import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.hosts import make_key
from tests.live.parts import run, started
from tests.live.test_slurm import SCENE, records
from tests.ports import free_port
from tests.slurm import Cluster, slurm

pytestmark = [pytest.mark.live, pytest.mark.long]

CONFIG = """\
Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host_key
AuthorizedKeysFile {folder}/authorized_keys
PidFile none
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
StrictModes no
Subsystem sftp internal-sftp
"""
# What assay keeps on a machine is then each machine's own.
APART = (
    "unshare", "--mount", "sh", "-ec",
    'mkdir -p /run/assay /run/sshd; for at in /run/assay /var/tmp; do mount -t tmpfs n $at; done; exec "$@"',
    "node",
)  # fmt: skip


@dataclass(frozen=True)
class Site:
    """Two nodes of Slurm that are reached by SSH.

    Attributes:
        cluster: The Slurm.
        user: A home folder whose ``.ssh`` knows both.
        hosts: The file that brings them into an inventory.
        scene: A scene of seconds.
    """

    cluster: Cluster
    user: Path
    hosts: Path
    scene: Path

    @property
    def variables(self) -> dict[str, str]:
        """Variables of commands on it."""
        return {"HOME": str(self.user)}

    def states(self) -> list[str]:
        """Return the states of its nodes; that a daemon is slow to answer does not matter."""
        lines = self.cluster.ask("scontrol", "--oneliner", "show", "node", "wn[0-1]").splitlines()
        words = [line.partition("State=")[2].split()[0] for line in lines]
        return [word.replace("*", "").replace("+NOT_RESPONDING", "") for word in words]

    def become(self, wanted: list[str], *, wait_s: float = 60.0) -> None:
        """Wait until its nodes are so."""
        await_states(self.states, wanted, wait_s=wait_s)


def await_states(states: Callable[[], list[str]], wanted: list[str], *, wait_s: float) -> None:
    """Wait until nodes are so."""
    until = time.monotonic() + wait_s
    while (now := states()) != wanted:
        assert time.monotonic() < until, now
        time.sleep(0.2)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("site")
    with slurm(3) as cluster, pytest.MonkeyPatch.context() as changed:
        for name, value in cluster.variables.items():
            changed.setenv(name, value)
        with reached(folder, ["wn0", "wn1"]) as files:
            yield Site(cluster, *files)


@contextmanager
def reached(folder: Path, nodes: Sequence[str]) -> Iterator[tuple[Path, Path, Path]]:
    """Run an sshd for each node; give a home folder whose ``.ssh`` knows them, the file that brings them into
    an inventory, and a scene of seconds.
    """
    user = folder / "user"
    (user / ".ssh").mkdir(parents=True, mode=0o700)
    (folder / "authorized_keys").write_text(make_key(user / ".ssh" / "id_ed25519"))
    public = make_key(folder / "host_key")
    (folder / "asleep.yaml").write_text(SCENE)
    with ExitStack() as stack:
        ports = [stack.enter_context(_listening(folder)) for _ in nodes]
        known = "".join(f"[127.0.0.1]:{port} {public}" for port in ports)
        (user / ".ssh" / "known_hosts").write_text(known)
        rows = [
            f"  - {{name: {node}, ssh: 'root@127.0.0.1:{port}'}}"
            for node, port in zip(nodes, ports, strict=True)
        ]
        (folder / "hosts.yaml").write_text("\n".join(["machines:", *rows, ""]))
        yield user, folder / "hosts.yaml", folder / "asleep.yaml"


@contextmanager
def _listening(folder: Path) -> Iterator[int]:
    """Run an sshd that has a folder of its own where assay keeps what is a machine's; give its port."""
    port = free_port()
    file = folder / f"sshd_config.{port}"
    file.write_text(CONFIG.format(port=port, folder=folder))
    with subprocess.Popen([*APART, "/usr/sbin/sshd", "-D", "-q", "-f", file]) as server:
        try:
            until = time.monotonic() + 20
            while True:
                with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                    break
                assert server.poll() is None
                assert time.monotonic() < until
                time.sleep(0.05)
            yield port
        finally:
            server.terminate()


@pytest.fixture
def home(site: Site, tmp_path: Path) -> Path:
    run("machine", "import", str(site.hosts), home=tmp_path / "home", variables=site.variables)
    return tmp_path / "home"


def words(site: Site, *more: str) -> tuple[str, ...]:
    return ("evaluate", str(site.scene), "--on", "wn0,wn1", "--drain", "slurm", *more)


@pytest.mark.parametrize("how", ["drained at once", "when idle"])
def test_nodes_are_drained_empty_measured_and_given_back(
    site: Site, home: Path, tmp_path: Path, how: str
) -> None:
    when_idle = ["--when-idle"] if how == "when idle" else []
    job = site.cluster.ask("sbatch", "--parsable", "--nodelist=wn1", "--output=/dev/null", "--wrap=sleep 300")
    site.become(["IDLE", "MIXED"])
    said = "wn1 is left to its jobs" if when_idle else "wn1 is drained, and still has jobs"
    drained = words(site, "--blocks", "20", *when_idle)
    with started(*drained, home=home, scratch=tmp_path, variables=site.variables) as running:
        running.wait_for(lambda: running.said(said), "it waits")
        running.wait_for(lambda: len(records(home)) >= 2, "two trials of the other")
        assert site.states() == ["IDLE+DRAIN", "MIXED" if when_idle else "MIXED+DRAIN"]
        assert all(record["machine"] == "wn0" for _, record in records(home))
        site.cluster.ask("scancel", job)
        done = running.end()
    assert done.code == 0, done.err
    assert {str(record["machine"]) for _, record in records(home)} == {"wn0", "wn1"}
    assert site.states() == ["IDLE", "IDLE"]


def killed(site: Site, home: Path, scratch: Path) -> str:
    """Kill an evaluation after some of its trials; return its id."""
    drained = words(site, "--blocks", "8")
    with started(*drained, home=home, scratch=scratch, variables=site.variables) as running:
        running.wait_for(lambda: len(records(home)) >= 6, "six trials")
        running.send(signal.SIGKILL)
        assert running.end().code == -signal.SIGKILL
    assert site.states() == ["IDLE+DRAIN", "IDLE+DRAIN"]
    return next((home / "activities").iterdir()).name


def test_after_a_kill_it_goes_on_with_its_nodes_and_gives_them_back(
    site: Site, home: Path, tmp_path: Path
) -> None:
    activity = killed(site, home, tmp_path)
    before = dict(records(home))
    done = run("activity", "resume", activity, "--json", home=home, variables=site.variables)
    assert done.code == 0, done.err
    after = dict(records(home))
    assert {place: after[place] for place in before} == before
    assert site.states() == ["IDLE", "IDLE"]


def test_after_a_kill_nodes_are_given_back_by_themselves(site: Site, home: Path, tmp_path: Path) -> None:
    killed(site, home, tmp_path)
    site.become(["IDLE", "IDLE"], wait_s=240.0)


def test_ctrl_c_gives_them_back(site: Site, home: Path, tmp_path: Path) -> None:
    drained = words(site, "--blocks", "100")
    with started(*drained, home=home, scratch=tmp_path, variables=site.variables) as running:
        running.wait_for(lambda: len(records(home)) >= 2, "two trials")
        running.press_ctrl_c()
        assert running.end().code == 130
    assert site.states() == ["IDLE", "IDLE"]
