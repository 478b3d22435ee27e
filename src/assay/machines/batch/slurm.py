"""Slurm: nodes held by jobs of its command line, of version 20.11 and later.

Source: ``man sbatch``, ``squeue``, ``srun``, ``sinfo``, ``scancel``, ``sacct`` of Slurm 22.05.
"""

from __future__ import annotations

import getpass
import re
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

from assay.machines.batch.engine import EngineError, Job, Node, Options
from assay.model.errors import MissingError

SCRIPT = Path(__file__).with_name("hold.sh")
ANSWER_S = 30.0
"""A controller that has not answered by then is taken for lost."""
ENDS_S, LOOK_S = 5.0, 0.2
CLOSING_S = 30
"""A job is told so long before its time limit that it ends."""
_CODES = {
    "41": "there is no /usr/sbin/sshd on the node",
    "42": "there is no ssh-keygen or flock on the node",
    "43": "a folder for its keys cannot be made in /tmp of the node",
}


class Slurm:
    """Slurm by its command line (``Engine``)."""

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

    def nodes(self) -> tuple[Node, ...]:
        """Return all nodes by name."""
        found: dict[str, Node] = {}
        for line in _ask("sinfo", "--noheader", "--Node", "--format=%N|%R|%f|%T|%c").splitlines():
            name, partition, features, state, cpus = line.split("|")
            words = () if features == "(null)" else tuple(features.split(","))
            before = found[name].partitions if name in found else ()
            both = tuple(sorted({*before, partition}))
            found[name] = Node(name, both, tuple(sorted(words)), state.rstrip("*~#$@+-"), int(cpus))
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
        return _ask(*call, str(SCRIPT), *words).strip().partition(";")[0]

    def find(self, name: str) -> Job | None:
        """Return our job of that name that has not ended, the newest of several."""
        user = f"--user={getpass.getuser()}"
        told = _ask("squeue", "--noheader", user, f"--name={name}", "--format=%i|%T|%r")
        rows = [line.split("|", 2) for line in told.splitlines()]
        jobs = [Job(job, state == "RUNNING", why) for job, state, why in rows if state in _ALIVE]
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
            while time.monotonic() < until and _ask("squeue", "--noheader", f"--jobs={job}"):
                time.sleep(LOOK_S)
        try:
            _ask("scancel", "--quiet", job)
        except EngineError as error:
            if "Invalid job id" not in error.message:
                raise

    def inside(self, job: str, words: Sequence[str]) -> list[str]:
        """Return the step of a job that is a command, its standard files passed on byte by byte."""
        step = ["--overlap", "--nodes=1", "--ntasks=1", "--cpu-bind=none", "--unbuffered", "--quiet"]
        return ["srun", f"--jobid={job}", *step, *words]


_PLAIN = ("partition", "account", "qos", "time", "reservation")
_ALIVE = {"PENDING", "CONFIGURING", "RUNNING", "SUSPENDED", "REQUEUED"}


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
