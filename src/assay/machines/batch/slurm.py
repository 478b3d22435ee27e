"""Slurm: nodes held by jobs of its command line, of version 20.11 and later.

Source: ``man sbatch``, ``squeue``, ``srun``, ``sinfo``, ``scancel``, ``sacct`` of Slurm 22.05.
"""

from __future__ import annotations

import getpass
import re
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar

from assay.machines.batch.client import Client
from assay.machines.batch.engine import EngineError, Job, Node, Options, Standing
from assay.machines.batch.hold import CODES, SCRIPT
from assay.machines.batch.shared import Shared
from assay.model.errors import MissingError, UnknownNameError

ENDS_S, LOOK_S = 5.0, 0.25
CLOSING_S = 30
"""A job is told so long before its time limit that it ends."""
_CLIENT = Client(
    "Slurm",
    package="its Debian package is slurm-client",
    state="scontrol ping; SLURM_CONF names a configuration that is not in /etc/slurm",
)


class Slurm:
    """Slurm by its command line (``Engine``); one object serves all threads."""

    name: ClassVar[str] = "Slurm"
    drains_under_jobs: ClassVar[bool] = True
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
        self._queue, self._nodes = Shared(_queued), Shared(_standings)

    def nodes(self) -> tuple[Node, ...]:
        """Return all nodes by name."""
        found: dict[str, Node] = {}
        for line in _CLIENT.ask("sinfo", "--noheader", "--Node", "--format=%N|%P|%T|%c|%f").splitlines():
            name, partition, state, cpus, features = _split(line, 5, "sinfo")
            words = () if features == "(null)" else tuple(features.split(","))
            before = found.get(name)
            default = partition.endswith(_DEFAULT)
            partitions = {partition.removesuffix(_DEFAULT), *(before.partitions if before else ())}
            if not cpus.isdecimal():
                raise _CLIENT.unreadable(line, "sinfo")
            found[name] = Node(
                name,
                tuple(sorted(partitions)),
                tuple(sorted(words)),
                state.rstrip("*~#$@+-^"),
                int(cpus),
                by_default=default or (before is not None and before.by_default),
            )
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
            return _CLIENT.ask(*call, str(SCRIPT), *words).strip().partition(";")[0]
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
        """Return how a job ended: by its accounting, else as long as the controller remembers it.

        The controller is asked as well where accounting has not been told of the end yet.
        """
        try:
            told = _CLIENT.ask(
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
        if not state or state in _ALIVE:
            try:
                words = _CLIENT.ask("scontrol", "--oneliner", "show", "job", job)
            except EngineError:
                return None
            state, code = (_word(words, name) for name in ("JobState", "ExitCode"))
        if state in _ALIVE:
            return None
        return CODES.get(code.partition(":")[0]) or state

    def cancel(self, job: str) -> None:
        """End a job: its script removes its keys, and what does not end is killed by Slurm."""
        with suppress(EngineError):  # one that waits has no script yet
            _CLIENT.ask("scancel", "--batch", "--signal=TERM", job)
            until = time.monotonic() + ENDS_S
            while time.monotonic() < until and any(row.job == job for row in self._queue.get()):
                time.sleep(LOOK_S)
        try:
            _CLIENT.ask("scancel", "--quiet", job)
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
            _CLIENT.ask("scontrol", "update", f"nodename={node}", *words)
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


def _queued() -> tuple[_Row, ...]:
    told = _CLIENT.ask("squeue", "--noheader", f"--user={getpass.getuser()}", "--format=%i|%T|%r|%j")
    return tuple(_Row(*_split(line, 4, "squeue")) for line in told.splitlines())


def _standings() -> Mapping[str, Standing]:
    # sinfo of 22.05 may call a node mixed for ever that scontrol calls idle, once it was drained
    return dict(map(_standing, _CLIENT.ask("scontrol", "--oneliner", "show", "node").splitlines()))


def _standing(line: str) -> tuple[str, Standing]:
    name, said = _word(line, "NodeName"), {word.rstrip("*") for word in _word(line, "State").split("+")}
    if not name or not said - {""}:
        raise _CLIENT.unreadable(line, "scontrol")
    reason = re.search(r"\sReason=(.*?)(?: \[\S+@\S+\])?\s*(?:Comment=.*)?$", line)
    return name, Standing(not said & _BUSY, "DRAIN" in said, "" if reason is None else reason[1])


_DEFAULT = "*"
"""Stands after the partition of jobs that ask for none."""
_BUSY = {"ALLOCATED", "MIXED", "COMPLETING"}
_PLAIN = ("partition", "account", "qos", "time", "reservation")
_ALIVE = {"PENDING", "CONFIGURING", "RUNNING", "SUSPENDED", "REQUEUED"}


def _split(line: str, count: int, program: str) -> list[str]:
    """Return the fields of a line; the last may hold what stands between the others."""
    fields = line.split("|", count - 1)
    if len(fields) != count:
        raise _CLIENT.unreadable(line, program)
    return fields


def _word(words: str, name: str) -> str:
    found = re.search(rf"(?:^|\s){name}=(\S*)", words)
    return "" if found is None else found[1]
