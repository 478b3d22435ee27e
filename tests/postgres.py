"""A real server of PostgreSQL for tests, in a folder of its own, by a socket alone."""

from __future__ import annotations

import hashlib
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

USER = "postgres"


def programs() -> Path:
    """Return the folder of the server's programs, of the newest version that is there."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"), key=lambda path: int(path.parts[4]))
    assert found, "PostgreSQL is not installed: tools/setup test"
    return found[-1].parent


class Server:
    """A server; root runs it as the user that the package has made, since it refuses to be root's."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(mode=0o755)
        self._as: Sequence[str] = ()
        if os.geteuid() == 0:
            user = pwd.getpwnam(USER)
            os.chown(folder, user.pw_uid, user.pw_gid)
            self._as = ("setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--init-groups")
        self._run(
            *("initdb", "-D", f"{folder}/data", "-A", "trust", "-U", USER),
            *("--no-sync", "--locale=C.UTF-8"),
        )
        self.start()

    def start(self) -> None:
        """Start it, and wait until it answers."""
        options = f"-k {self.folder} -c listen_addresses= -c fsync=off -c max_connections=60"
        self._run(
            "pg_ctl", "-D", f"{self.folder}/data", "-l", f"{self.folder}/log", "-w", "-o", options, "start"
        )

    def stop(self, mode: str = "fast") -> None:
        """Stop it; ``immediate`` is as a crash."""
        self._run("pg_ctl", "-D", f"{self.folder}/data", "-m", mode, "-w", "stop")

    def close(self) -> None:
        """Stop it, and remove its folder."""
        command = [*self._as, programs() / "pg_ctl", "-D", f"{self.folder}/data", "-m", "immediate", "stop"]
        subprocess.run(command, capture_output=True, check=False, cwd="/")
        shutil.rmtree(self.folder, ignore_errors=True)

    def database(self, name: str) -> str:
        """Return the address of a new, empty database of a name of any characters."""
        plain = "t" + hashlib.sha256(name.encode()).hexdigest()[:16]
        self.sql(f'CREATE DATABASE "{plain}"')
        return f"postgresql://{USER}@/{plain}?host={self.folder}"

    def sql(self, statement: str, database: str = "postgres") -> str:
        """Return what a statement gives, by psql."""
        command = ["psql", "-h", f"{self.folder}", "-U", USER, "-d", database, "-v", "ON_ERROR_STOP=1"]
        command += ["-qAtc", statement]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    def _run(self, program: str, *arguments: str) -> None:
        command = [*self._as, str(programs() / program), *arguments]
        # the server keeps the standard streams of pg_ctl: a pipe would be held open by it
        with tempfile.TemporaryFile() as said:
            done = subprocess.run(command, stdout=said, stderr=said, check=False, cwd="/")
            said.seek(0)
            assert done.returncode == 0, said.read().decode()


@contextmanager
def running() -> Iterator[Server]:
    """Give a server that is gone afterwards; the path of its socket has to be short."""
    folder = Path(tempfile.mkdtemp(prefix="assay-pg-", dir="/tmp"))
    folder.chmod(0o755)
    try:
        made = Server(folder / "pg")
        try:
            yield made
        finally:
            made.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
