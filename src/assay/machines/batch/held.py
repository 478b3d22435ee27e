"""The door to a node that a job holds: SSH whose bytes the batch system itself carries.

``sshd -i`` runs as a step of the job and as its user, with a host key of that job alone: no port is opened,
and whoever may not use the job cannot enter. A controller that is lost ends the step; a node that nobody uses
for ``UNUSED_S`` is given back.
"""

from __future__ import annotations

import hashlib
import json
import os
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, TextIO

from assay.machines.batch.engine import Engine, EngineError, QueuedError, check_options
from assay.machines.batch.engines import ENGINES, engine_of
from assay.machines.batch.lock import open_lock, share_lock, take_lock
from assay.machines.errors import HostKeyError, UnreachableError
from assay.machines.ssh.door import SshDoor
from assay.model.errors import MissingError
from assay.model.files.program import Ended, run_program
from assay.model.machines.machine import Machine

UNUSED_S = 120
"""A node that nobody has used for as long is given back by its job."""
BEGINS_S = 10.0
"""A job that has not begun by then waits in the queue."""
ENDS_S = 2.0
"""A step's client ends by itself so soon after its standard input."""
READY_S = 30.0
"""A job that runs has made its keys by then, and can be entered: with HTCondor after 8 s at the earliest."""
OTHERS_S = 90.0
"""Others of this home ask for a node no longer than this."""
LOOK_S = 0.25
SSHD = (
    "-i", "-q", "-f", "/dev/null", "-o", "UsePAM=no", "-o", "StrictModes=no", "-o", "PidFile=none",
    "-o", "PasswordAuthentication=no", "-o", "KbdInteractiveAuthentication=no",
    "-o", "Subsystem=sftp internal-sftp", "-o", "ClientAliveInterval=30",
)  # fmt: skip


def open_held(machine: Machine, *, home: Path, connect_timeout_s: float) -> SshDoor:
    """Open the door to a node, which is asked for where no job of ours holds it.

    Raises:
        QueuedError: Its job waits in the queue.
        EngineError: The batch system refuses, or the job ended at once.
        UnknownNameError: It is asked for by an option that there is not.
        UnreachableError: The node does not answer.
    """
    engine = ENGINES[machine.reach]
    with _alone(home, "jobs"):
        key, public = _key(home)
    with _alone(home, job_name(machine, home)):
        job = _running(engine, machine, home, public)
        place = f"{_place(machine, home)}-{job}"
        host_key = _host_key(engine, machine, job, place)
        account = host_key.split()[-1]  # the job's, which need not be called as ours is
        used = _used(home, machine)
        _note(used, machine, job)
    words = ["flock", "--shared", f"{place}/used", "/usr/sbin/sshd", *SSHD]
    words += ["-o", f"HostKey={place}/host", "-o", f"AuthorizedKeysFile={place}/authorized"]
    known = replace(machine, user=account, host_key=host_key, identity=str(key))
    step = _Step.start(engine.inside(job, words), used)
    try:
        door = SshDoor(known, connect_timeout_s=connect_timeout_s, over=step.ours)
    except BaseException as error:
        said = step.failure() if isinstance(error, UnreachableError) else None
        step.close()
        if said is None or isinstance(error, HostKeyError):
            raise
        msg = f"cannot enter job {job} on {machine.name}: {said}"
        raise UnreachableError(msg, machine=machine.name) from error
    door.closes(step)
    door.batch_job = f"{machine.reach} {job}"
    return door


def release(machine: Machine, *, home: Path) -> None:
    """Give a node back: its job ends, whether it runs or waits; nothing is done while another door to it is
    open here, and with a machine that no batch system gives.

    Raises:
        EngineError: The batch system does not answer; the job ends by itself once nobody uses the node.
    """
    engine = engine_of(machine)
    if engine is None:
        return
    with _alone(home, job_name(machine, home)), _used(home, machine) as file:
        if take_lock(file) and (job := engine.find(job_name(machine, home))) is not None:
            engine.cancel(job.id)


def job_name(machine: Machine, home: Path) -> str:
    """Return what the job is called that holds a node for a home of this controller."""
    about = f"{socket.gethostname()} {home.resolve()} {machine.name} {machine.host}"
    return f"assay-{hashlib.sha256(about.encode()).hexdigest()[:12]}"


def _running(engine: Engine, machine: Machine, home: Path, public: str) -> str:
    """Return the id of the job that holds a node, once it runs; whoever has the key may enter it."""
    name, until = job_name(machine, home), time.monotonic() + BEGINS_S
    job = engine.find(name)
    if job is None:
        check_options(engine, dict(machine.job))
        words = [_place(machine, home), public, str(UNUSED_S)]
        asked = engine.submit(name, machine.host or machine.name, dict(machine.job), words)
    else:
        asked = job.id
    while job is None or not job.runs:
        late = time.monotonic() > until
        if job is not None and late:
            msg = f"job {job.id} waits in the queue of {engine.name} for {machine.name}: {job.why}"
            raise QueuedError(msg, hint="it stays there: ask again, or cancel it")
        # a job may be listed a moment after its submission
        how = engine.ended(asked) if job is None else None
        if how is not None or (job is None and late):
            raise _ended(engine, machine, asked, how)
        time.sleep(LOOK_S)
        job = engine.find(name)
    return job.id


def _ended(engine: Engine, machine: Machine, job: str, how: str | None) -> EngineError:
    words = how or "it is not known how"
    return EngineError(f"cannot hold {machine.name}: job {job} of {engine.name} has ended: {words}")


def _host_key(engine: Engine, machine: Machine, job: str, place: str) -> str:
    """Return the public key of the job's sshd, which the batch system itself brings, and after it the name of
    the job's account.
    """
    until = time.monotonic() + READY_S
    while True:
        words = engine.inside(job, ["cat", f"{place}/ready"])
        try:
            done = run_program(words, timeout_s=READY_S)
        except subprocess.TimeoutExpired:
            done = Ended(b"", "no answer in time", 1)
        except FileNotFoundError as error:
            msg = f"cannot enter job {job} on {machine.name}: there is no {words[0]} here"
            raise MissingError(msg) from error
        if done.code == 0:
            return done.text.strip()
        if (how := engine.ended(job)) is not None:
            raise _ended(engine, machine, job, how)
        if time.monotonic() > until:
            msg = f"cannot enter job {job} on {machine.name}: {_last(done.stderr) or 'it said nothing'}"
            raise UnreachableError(msg, machine=machine.name)
        time.sleep(LOOK_S)


def _last(errors: str) -> str | None:
    """Return the last line that a client said; what HTCondor's adds in brackets is advice on its options."""
    lines = [line.strip() for line in errors.splitlines()]
    return next((line[:200] for line in reversed(lines) if line and not line.startswith("(")), None)


def _place(machine: Machine, home: Path) -> str:
    """Return the folder of a job's keys on the node, without the job's id."""
    return f"/tmp/{job_name(machine, home)}"  # noqa: S108 - made by the job for its user alone, or it ends


def _key(home: Path) -> tuple[Path, str]:
    """Return the private key by which this home enters its jobs, made when it is first needed, and its public
    one.

    Raises:
        MissingError: It cannot be made or read.
    """
    import asyncssh

    key = home / "keys" / "jobs"
    try:
        key.parent.mkdir(mode=0o700, exist_ok=True)
        if not key.exists():
            _make_key(key)
        read = asyncssh.read_private_key(key)
    except (OSError, asyncssh.KeyImportError) as error:
        why = getattr(error, "strerror", None) or error
        msg = f"cannot use the key by which jobs are entered, {key}: {why}"
        raise MissingError(msg, hint="without this file a new one is made") from error
    return key, read.export_public_key().decode().strip()


def _make_key(key: Path) -> None:
    """Make a key's file whole, or not at all."""
    import asyncssh

    part = key.with_suffix(".part")
    part.unlink(missing_ok=True)
    made = asyncssh.generate_private_key("ssh-ed25519", comment="assay")
    handle = os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(made.export_private_key())
        file.flush()
        os.fsync(file.fileno())
    part.replace(key)


def _used(home: Path, machine: Machine) -> TextIO:
    """Return a lock's file that says, as long as it is open, that a node is used."""
    file = open_lock(home / "run" / f"{job_name(machine, home)}.used.lock")
    share_lock(file)  # who takes it alone holds the other lock too, which is ours now
    return file


def _note(used: TextIO, machine: Machine, job: str) -> None:
    """Say in the file of a node's lock which job holds it (``taken``); all that use it say the same."""
    node = machine.host or machine.name
    used.truncate(0)
    used.write(json.dumps({"machine": machine.name, "engine": machine.reach, "node": node, "job": job}))
    used.flush()


@contextmanager
def _alone(home: Path, what: str) -> Iterator[None]:
    """Keep others of this home from doing the same meanwhile: one job holds a node.

    Raises:
        EngineError: Another does so for longer than ``OTHERS_S``.
    """
    place = home / "run" / f"{what}.lock"
    with open_lock(place) as file:
        until = time.monotonic() + OTHERS_S
        while not take_lock(file):
            if time.monotonic() > until:
                msg = f"cannot ask for a node: another assay of this home has asked for {OTHERS_S:g} s"
                raise EngineError(msg, hint=f"is it alive? {place}")
            time.sleep(LOOK_S)
        yield


@dataclass(frozen=True)
class _Step:
    """A step of a job whose standard files are a socket.

    Attributes:
        process: The client that carries its bytes.
        ours: Our end.
        errors: What the client says itself.
        used: Says of its node that it is used.
    """

    process: subprocess.Popen[bytes]
    ours: socket.socket
    errors: IO[bytes]
    used: TextIO

    @staticmethod
    def start(words: Sequence[str], used: TextIO) -> _Step:
        ours, its = socket.socketpair()
        errors = tempfile.TemporaryFile()  # noqa: SIM115 - it is closed with the step
        with its:
            process = subprocess.Popen(
                words, stdin=its.fileno(), stdout=its.fileno(), stderr=errors, start_new_session=True
            )
        return _Step(process, ours, errors, used)

    def failure(self) -> str | None:
        """Return the last line of a client that has failed by itself; ``None`` where it still runs."""
        with suppress(subprocess.TimeoutExpired):
            if self.process.wait(LOOK_S):
                self.errors.seek(0)
                return _last(self.errors.read(1 << 16).decode(errors="replace"))
        return None

    def close(self) -> None:
        """End it; its client has a moment to end by itself, and to remove what it has made."""
        self.ours.close()
        for wait_s, end in ((ENDS_S, self.process.terminate), (READY_S, self.process.kill)):
            try:
                self.process.wait(wait_s)
                break
            except subprocess.TimeoutExpired:
                end()
        self.process.wait()
        self.errors.close()
        self.used.close()
