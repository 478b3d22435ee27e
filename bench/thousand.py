"""A trial on a thousand machines at once: what the controller takes.

One process plays their sshd, as a thousand of OpenSSH's would take the memory of this machine; commands
really run, each with a ``/run`` of its own, and all machines share one folder. Root's rights are needed.
"""

from __future__ import annotations

import asyncio
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import asyncssh

from bench.rows import Row, row

MACHINES, USER, PORT = 1000, "assay-bench-thousand", 2222
MOST_MIB = 512
OPEN_FILES = 8 * 1024
APART = 'mount -t tmpfs -o size=1m assay-bench /run && exec sh -c "$1"'
"""Runs the command ``$1`` in a mount namespace, where nobody else holds the machine."""


def address(number: int) -> str:
    """The address of a machine."""
    return f"127.9.{number // 250}.{number % 250 + 1}"


def rows() -> list[Row]:
    """The time of a trial on all of them, and the most memory that it took of the controller."""
    with tempfile.TemporaryDirectory(prefix="assay-bench-thousand-") as folder:
        home = Path(folder)
        (home / ".ssh").mkdir()
        key = asyncssh.generate_private_key("ssh-ed25519")
        key.write_private_key(home / "host_key")
        public = key.export_public_key().decode().split()[:2]
        known = [f"[{address(number)}]:{PORT} {' '.join(public)}\n" for number in range(MACHINES)]
        (home / ".ssh/known_hosts").write_text("".join(known))
        variables = {**os.environ, "HOME": folder, "SSH_AUTH_SOCK": ""}
        me = [sys.executable, "-m", "bench.thousand"]
        served = [*me, "serve", str(home / "host_key")]
        with subprocess.Popen(served, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
            try:
                _wait_for(server)
                done = subprocess.run(
                    [*me, "visit", folder], env=variables, capture_output=True, text=True, check=True
                )
            finally:
                server.communicate("")  # the end of its input ends it
                shutil.rmtree(f"/var/tmp/assay-{USER}", ignore_errors=True)  # noqa: S108 - of our user
    seconds, mib = map(float, done.stdout.split())
    what = f"assay, a trial on {MACHINES} machines"
    return [row(what, "s", [seconds]), row(f"{what}, the controller's memory", "MiB", [mib], goal=MOST_MIB)]


def _wait_for(server: subprocess.Popen[str]) -> None:
    if server.stdout is None or server.stdout.readline() != "ready\n":
        sys.exit("the machines do not answer")


class _Server(asyncssh.SSHServer):
    def begin_auth(self, username: str) -> bool:
        del username
        return False


async def _run(process: asyncssh.SSHServerProcess[bytes]) -> None:
    argv = ["unshare", "--mount", "sh", "-c", APART, "sh", process.command or "true"]
    pipe = asyncio.subprocess.PIPE
    child = await asyncio.create_subprocess_exec(*argv, stdin=pipe, stdout=pipe, stderr=pipe)
    await process.redirect(stdin=child.stdin, stdout=child.stdout, stderr=child.stderr)
    process.exit(await child.wait())


async def serve(key: str) -> None:
    """Play all machines until the input ends."""
    options = asyncssh.SSHServerConnectionOptions(
        server_factory=_Server,
        server_host_keys=[key],
        process_factory=_run,
        encoding=None,
        sftp_factory=True,
    )
    servers = [await asyncssh.listen(address(number), PORT, options=options) for number in range(MACHINES)]
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.read)
    for server in servers:
        server.close()


def visit(home: Path) -> None:
    """Run a trial on all machines, which are open at the same time, and print seconds and MiB."""
    import assay.machines.ssh.door  # noqa: F401 - its import is nobody's time
    from assay.activities.visits.visit import open_probe
    from assay.model.machines.machine import Machine, Reach
    from assay.probe.spec import Spec

    all_open = threading.Barrier(MACHINES, timeout=300)

    def trial(number: int) -> None:
        machine = Machine(f"n{number}", Reach.SSH, address(number), USER, PORT)
        with open_probe(machine, home, connect_timeout_s=300) as (probe, door):
            into = f"{door.folder}/bench-{number}/trial"
            probe.start(Spec(("true",), f"{into}.work"), into)
            probe.wait(into, limit_s=60)
            if probe.fetch(into, home / f"records/{number}").exit_code != 0:
                sys.exit(f"n{number}: the trial failed")
            probe.remove(f"{door.folder}/bench-{number}")
            all_open.wait()

    with open_probe(Machine("n0", Reach.SSH, address(0), USER, PORT), home):
        pass  # puts the probe into the folder
    began = time.monotonic()
    with ThreadPoolExecutor(MACHINES) as pool:
        list(pool.map(trial, range(MACHINES)))
    seconds = time.monotonic() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    sys.stdout.write(f"{seconds} {peak}\n")


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_NOFILE, (OPEN_FILES, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    if sys.argv[1] == "serve":
        asyncio.run(serve(sys.argv[2]))
    else:
        visit(Path(sys.argv[2]))
