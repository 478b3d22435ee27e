"""Slurm: nodes held by jobs of its command line, of version 20.11 and later.

Source: ``man sbatch``, ``squeue``, ``srun``, ``sinfo``, ``scancel``, ``sacct`` of Slurm 22.05.
"""

from __future__ import annotations

import getpass
import re
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Generic, TypeVar

from assay.machines.batch.engine import EngineError, Job, Node, Options, Standing
from assay.model.errors import MissingError, UnknownNameError

T = TypeVar("T")
SCRIPT = Path(__file__).with_name("hold.sh")
ANSWER_S = 30.0
"""A controller that has not answered by then is taken for lost."""
ENDS_S, LOOK_S = 5.0, 0.25
SHARED_S, SHARED_TIMES = 1.0, 20
"""All lanes share one answer for as long, and for so many times what it took."""
CLOSING_S = 30
"""A job is told so long before its time limit that it ends."""
_CODES = {
    "41": "there is no /usr/sbin/sshd on the node",
    "42": "there is no ssh-keygen or flock on the node",
    "43": "a folder for its keys cannot be made in /tmp of the node",
    "44": "the job's account has no name on the node",
}


class Slurm:
    """Slurm by its command line (``Engine``); one object serves all threads."""

    name: ClassVar[str] = "Slurm"
    options: ClassVar[Mapping[str, str]] = {
        "partition": "partition of the job",
        "account": "account that it is charged to",
        "qos": "quality of service",
        "time": "time limit, as sbatch --time has it: 4:00:00",
        "reservation": "reservation that it uses",
        "cores": "so many cores instead of the whole node",
        "memory": "memory of the job, as sbatch --mem has it: 8G",
    }

    def __init__(self) -> None:
        self._queue, self._nodes = _Shared(_queued), _Shared(_standings)

    def nodes(self) -> tuple[Node, ...]:
        """Return all nodes by name."""
        found: dict[str, Node] = {}
        for line in _ask("sinfo", "--noheader", "--Node", "--format=%N|%R|%T|%c|%f").splitlines():
            name, partition, state, cpus, features = _split(line, 5, "sinfo")
            words = () if features == "(null)" else tuple(features.split(","))
            before = found[name].partitions if name in found else ()
            both = tuple(sorted({*before, partition}))
            if not cpus.isdecimal():
                raise _unreadable(line, "sinfo")
            found[name] = Node(name, both, tuple(sorted(words)), state.rstrip("*~#$@+-^"), int(cpus))
        return tuple(found[name] for name in sorted(found))

    def submit(self, name: str, node: str, options: Options, words: Sequence[str]) -> str:
        """Submit the job that holds a node, whole or some of its cores; return its id."""
        asked = [f"--{option}={options[option]}" for option in _PLAIN if option in options]
        cores, memory = options.get("cores"), options.get("memory")
        asked += ["--exclusive"] if cores is None else [f"--cpus-per-task={cores}"]
        if memory is not None or cores is None:
            asked.append(f"--mem={memory or 0}")  # 0 is all of it
        fixed = [
            "--nodes=1",
            "--ntasks=1",
            "--no-requeue",
            "--output=/dev/null",
            "--export=PATH",
            "--chdir=/",
        ]
        ends = f"--signal=B:TERM@{CLOSING_S}"
        call = ["sbatch", "--parsable", f"--job-name={name}", f"--nodelist={node}", ends, *fixed, *asked]
        try:
            return _ask(*call, str(SCRIPT), *words).strip().partition(";")[0]
        finally:
            self._queue.forget()

    def find(self, name: str) -> Job | None:
        """Return our job of that name that has not ended, the newest of several; known for up to a second,
        or 20 times what Slurm took to answer.
        """
        rows = (row for row in self._queue.get() if row.name == name and row.state in _ALIVE)
        jobs = [Job(row.job, row.state == "RUNNING", row.why) for row in rows]
        return max(jobs, key=lambda job: int(job.id), default=None)

    def ended(self, job: str) -> str | None:
        """Return how a job ended: by its accounting, else as long as the controller remembers it."""
        try:
            told = _ask(
                "sacct",
                "--noheader",
                "--parsable2",
                "--allocations",
                f"--jobs={job}",
                "--format=State,ExitCode",
            )
        except (EngineError, MissingError):
            told = ""
        state, _, code = told.strip().partition("|")
        if not state:
            try:
                words = _ask("scontrol", "--oneliner", "show", "job", job)
            except EngineError:
                return None
            state, code = (_word(words, name) for name in ("JobState", "ExitCode"))
        if state in _ALIVE:
            return None
        return _CODES.get(code.partition(":")[0]) or state

    def cancel(self, job: str) -> None:
        """End a job: its script removes its keys, and what does not end is killed by Slurm."""
        with suppress(EngineError):  # one that waits has no script yet
            _ask("scancel", "--batch", "--signal=TERM", job)
            until = time.monotonic() + ENDS_S
            while time.monotonic() < until and any(row.job == job for row in self._queue.get()):
                time.sleep(LOOK_S)
        try:
            _ask("scancel", "--quiet", job)
        except EngineError as error:
            if "Invalid job id" not in error.message:
                raise
        finally:
            self._queue.forget()

    def inside(self, job: str, words: Sequence[str]) -> list[str]:
        """Return the step of a job that is a command, its standard files passed on byte by byte."""
        step = ["--overlap", "--nodes=1", "--ntasks=1", "--cpu-bind=none", "--unbuffered", "--quiet"]
        return ["srun", f"--jobid={job}", *step, *words]

    def standing(self, node: str) -> Standing:
        """Return how a node stands; as old as what ``find`` knows."""
        every = self._nodes.get()
        if node not in every:
            raise UnknownNameError(kind="node", name=node, known=every)
        return every[node]

    def drain(self, node: str, reason: str) -> None:
        """Let no new job start on a node; a plain user may not."""
        self._update(node, "state=drain", f"reason={reason}")

    def undrain(self, node: str) -> None:
        """Let jobs start on a node again; a plain user may not."""
        self._update(node, "state=undrain")

    def _update(self, node: str, *words: str) -> None:
        try:
            _ask("scontrol", "update", f"nodename={node}", *words)
        except EngineError as error:
            if "ermission denied" not in error.message and "Invalid user" not in error.message:
                raise
            msg = f"cannot drain {node} of Slurm: operators of it may, {getpass.getuser()} may not"
            raise MissingError(msg, hint="in a job anybody may: assay evaluate --engine slurm") from error
        finally:
            self._nodes.forget()


@dataclass(frozen=True)
class _Row:
    """A job of ours in the queue, in Slurm's words."""

    job: str
    state: str
    why: str
    name: str


@dataclass
class _Shared(Generic[T]):
    """What Slurm says of all jobs or nodes, asked for once by all threads: it has others to serve."""

    _ask: Callable[[], T]
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _said: T | EngineError | None = None
    _until: float = 0.0

    def get(self) -> T:
        """Return it; raise ``EngineError`` where the controller does not answer."""
        with self._lock:
            began = time.monotonic()
            if self._said is None or began >= self._until:
                try:
                    self._said = self._ask()
                except EngineError as error:  # those who have waited for it do not ask one by one
                    self._said = error
                ended = time.monotonic()
                self._until = ended + max(SHARED_S, SHARED_TIMES * (ended - began))
            said = self._said
        if isinstance(said, EngineError):
            raise EngineError(said.message, hint=said.hint)
        return said

    def forget(self) -> None:
        """Ask anew when it is next asked for."""
        with self._lock:
            self._until = 0.0


def _queued() -> tuple[_Row, ...]:
    told = _ask("squeue", "--noheader", f"--user={getpass.getuser()}", "--format=%i|%T|%r|%j")
    return tuple(_Row(*_split(line, 4, "squeue")) for line in told.splitlines())


def _standings() -> Mapping[str, Standing]:
    # sinfo of 22.05 may call a node mixed for ever that scontrol calls idle, once it was drained
    return dict(map(_standing, _ask("scontrol", "--oneliner", "show", "node").splitlines()))


def _standing(line: str) -> tuple[str, Standing]:
    name, said = _word(line, "NodeName"), {word.rstrip("*") for word in _word(line, "State").split("+")}
    if not name or not said - {""}:
        raise _unreadable(line, "scontrol")
    reason = re.search(r"\sReason=(.*?)(?: \[\S+@\S+\])?\s*(?:Comment=.*)?$", line)
    return name, Standing(not said & _BUSY, "DRAIN" in said, "" if reason is None else reason[1])


_BUSY = {"ALLOCATED", "MIXED", "COMPLETING"}
_PLAIN = ("partition", "account", "qos", "time", "reservation")
_ALIVE = {"PENDING", "CONFIGURING", "RUNNING", "SUSPENDED", "REQUEUED"}


def _split(line: str, count: int, program: str) -> list[str]:
    """Return the fields of a line; the last may hold what stands between the others."""
    fields = line.split("|", count - 1)
    if len(fields) != count:
        raise _unreadable(line, program)
    return fields


def _unreadable(line: str, program: str) -> EngineError:
    return EngineError(f"cannot read what {program} of Slurm says: {line[:120]!r}")


def _word(words: str, name: str) -> str:
    found = re.search(rf"(?:^|\s){name}=(\S*)", words)
    return "" if found is None else found[1]


def _ask(*words: str) -> str:
    """Return what a client program of Slurm prints."""
    try:
        done = subprocess.run(
            words, capture_output=True, timeout=ANSWER_S, stdin=subprocess.DEVNULL, check=False
        )
    except FileNotFoundError as error:
        msg = f"cannot reach Slurm: there is no {words[0]} here"
        raise MissingError(
            msg, hint="its Debian package is slurm-client; or run assay on a submit host"
        ) from error
    except subprocess.TimeoutExpired as error:
        msg = f"cannot reach Slurm: no answer to {words[0]} within {ANSWER_S:g} s"
        raise EngineError(msg, hint="scontrol ping") from error
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines()[-2:]
        said = "; ".join(line.removeprefix(f"{words[0]}: ").removeprefix("error: ") for line in lines)
        msg = f"cannot use {words[0]} of Slurm: {said or 'it said nothing'}"
        raise EngineError(msg, hint="scontrol ping")
    return done.stdout.decode(errors="replace")
