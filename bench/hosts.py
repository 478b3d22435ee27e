"""A trial of ``true`` on many machines at once, from cold connections, beside other clients that run it; and
the same command alone, over the connection that a lane has, as the others run it.
"""

from __future__ import annotations

import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from statistics import median

from bench.rows import Row, ratios, row
from tests.fleet_hosts import Fleet, fleet_hosts

HOSTS = 50
PEERS = Path(os.environ.get("ASSAY_BENCH_PEERS", "build/bench-peers"))
"""Environment with the peers: ``python3 -m venv DIR``, then
``DIR/bin/pip install --require-hashes -r tools/locks/peers.txt``.
"""
GOAL = 1.2
"""A trial takes at most so many times parallel-ssh's time."""
OURS, ALONE, REFERENCE = "assay, a trial", "assay, true alone", "parallel-ssh"
FABRIC, OPENSSH, ANSIBLE = "Fabric", "OpenSSH, multiplexed", "Ansible, raw"
AHEAD_OF = {OURS: (ANSIBLE,), ALONE: (REFERENCE, FABRIC, OPENSSH, ANSIBLE)}
"""Clients that take longer: than the command alone all of them; a trial does more than Fabric and OpenSSH do
(docs/decisions/0052).
"""

_PSSH = """
import sys, time
from pssh.clients import ParallelSSHClient
hosts, key = sys.argv[2:], sys.argv[1]
began = time.monotonic()
client = ParallelSSHClient(hosts, user="root", pkey=key, pool_size=len(hosts), num_retries=1)
output = client.run_command("true")
client.join(output)
assert all(one.exit_code == 0 for one in output)
print(time.monotonic() - began)
"""
_FABRIC = """
import sys, time
from fabric import ThreadingGroup
hosts, key = sys.argv[2:], sys.argv[1]
began = time.monotonic()
done = ThreadingGroup(*hosts, user="root", connect_kwargs={"key_filename": key}).run("true", hide=True)
assert len(done) == len(hosts)
print(time.monotonic() - began)
"""


def rows(rounds: int, machines: int = HOSTS) -> list[Row]:
    """Each client's time, and its ratio to parallel-ssh's of the same round."""
    with (
        tempfile.TemporaryDirectory(prefix="assay-bench-hosts-") as place,
        fleet_hosts(Path(place), machines) as fleet,
    ):
        clients = _clients(fleet, Path(place))
        found: dict[str, list[float]] = {name: [] for name in clients}
        clients[OURS]()  # puts the probe there
        draw = random.Random(22)  # noqa: S311 - an order
        for _ in range(rounds):
            for name in draw.sample([*clients], len(clients)):
                found[name].append(clients[name]())
    return list(_rows(found, machines))


def _rows(found: Mapping[str, list[float]], machines: int) -> Iterator[Row]:
    reference = found[REFERENCE]
    for name, values in found.items():
        goals = [median(found[other]) for other in AHEAD_OF.get(name, ())]
        goals += [GOAL * median(reference)] if name == OURS else []
        made = row(f"{name} on {machines} hosts", "s", values, goal=min(goals, default=None))
        yield ratios(made, values, reference, REFERENCE)


def _clients(fleet: Fleet, place: Path) -> Mapping[str, Callable[[], float]]:
    key, hosts = str(fleet.home / ".ssh/id_ed25519"), [host.address for host in fleet.hosts]
    variables = {**os.environ, "HOME": str(fleet.home), "SSH_AUTH_SOCK": ""}

    def printed(program: str, script: str, *words: str) -> float:
        """Return the seconds that a script says: its start and imports are not in them."""
        command = fleet.inside([program, "-c", script, *words])
        done = subprocess.run(command, env=variables, capture_output=True, text=True, check=True)
        return float(done.stdout.split()[-1])

    def taken(*words: str) -> float:
        """Return the seconds that a command takes."""
        began = time.monotonic()
        subprocess.run(fleet.inside(words), env=variables, capture_output=True, check=True)
        return time.monotonic() - began

    python = str(PEERS / "bin/python")
    words = [
        f"UserKnownHostsFile={fleet.home}/.ssh/known_hosts",
        "IdentitiesOnly=yes",
        "KexAlgorithms=curve25519-sha256",
        "ControlMaster=auto",
        "ControlPersist=3",
    ]
    options = " ".join(f"-o {word}" for word in words)
    ssh = f"ssh -i {key} {options}"
    variables |= {"LC_ALL": "C.UTF-8", "ANSIBLE_SSH_ARGS": options}

    (place / "inventory").write_text("\n".join(hosts) + "\n")
    asked = (
        "-i",
        str(place / "inventory"),
        "all",
        "-u",
        "root",
        "--private-key",
        key,
        "-f",
        str(len(hosts)),
    )

    fresh = count(1)

    def openssh() -> float:
        """Time of OpenSSH with multiplexing: a master for each host is made, and used; each time new ones."""
        own = f"{ssh} -o ControlPath={place}/{next(fresh)}-%h"
        begun = "".join(f'{own} root@{host} true & p="$p $!"; ' for host in hosts)
        return taken("sh", "-c", f'{begun} for one in $p; do wait "$one" || exit 1; done')

    def ansible() -> float:
        """Time of Ansible without that of its start and imports, as those of the others are not counted."""
        started = taken(str(PEERS / "bin/ansible"), "--version")
        return taken(str(PEERS / "bin/ansible"), *asked, "-m", "raw", "-a", "true") - started

    def ours(what: str) -> float:
        words = (what, key, str(place / "home"), *hosts)
        said = printed(sys.executable, "from bench.hosts import main; main()", *words)
        shutil.rmtree(place / "home/records", ignore_errors=True)
        return said

    return {
        OURS: lambda: ours("trial"),
        ALONE: lambda: ours("true"),
        REFERENCE: lambda: printed(python, _PSSH, key, *hosts),
        FABRIC: lambda: printed(python, _FABRIC, key, *hosts),
        OPENSSH: openssh,
        ANSIBLE: ansible,
    }


def main() -> None:
    """Run ``true`` on each machine that is named, as a trial or alone, and print memory and seconds."""
    import assay.machines.ssh.door  # noqa: F401 - the others' imports do not count either
    from assay.activities.visits.visit import CONNECT_S, open_probe
    from assay.machines import open_door
    from assay.model.machines.machine import Machine, Reach
    from assay.probe.spec import Spec

    what, key, home, *hosts = sys.argv[1:]

    def machine_at(at: int) -> Machine:
        return Machine(f"n{at}", Reach.SSH, hosts[at], "root", identity=key)

    def alone(at: int) -> None:
        """Run the command over the connection that a lane has, and no more: no folder, probe or record."""
        door = open_door(machine_at(at), home=Path(home), connect_timeout_s=CONNECT_S)
        try:
            door.run(["true"], timeout_s=60)
        finally:
            door.close()

    def trial(at: int) -> None:
        with open_probe(machine_at(at), Path(home)) as (probe, door):
            into = f"{door.folder}/bench/trial"
            probe.start(Spec(("true",), f"{into}.work"), into)
            probe.wait(into, limit_s=60)
            result = probe.fetch(into, Path(home) / f"records/{at}")
            if result.exit_code != 0:
                sys.exit(f"{hosts[at]}: {result}")
            probe.remove(f"{door.folder}/bench")

    began = time.monotonic()
    with ThreadPoolExecutor(len(hosts)) as pool:
        list(pool.map(trial if what == "trial" else alone, range(len(hosts))))
    seconds = time.monotonic() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    sys.stdout.write(f"{peak / 1024:.0f} MiB {seconds}\n")
