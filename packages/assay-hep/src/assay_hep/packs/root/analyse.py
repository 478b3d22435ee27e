"""A job of several workers and users, or one copy of a job whose workers the probe has started."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import PackError
from .sums import Sums
from .work import Part, work

SCHEMA = "assay.root-analysis/1.0"


@dataclass(frozen=True)
class Job:
    """What is analysed, and by whom.

    Attributes:
        files: The ROOT files.
        branches: ``all``, ``few`` or a share.
        tree: Name of the tree; ``None`` finds it.
        workers: Worker processes of each user, beside those of other copies.
        users: Jobs at once, each over all files.
        weights: Of each user, at least 1: all workers are dealt out by them. Empty gives each copy
            ``workers`` of every user.
    """

    files: tuple[str, ...]
    branches: str = "all"
    tree: str | None = None
    workers: int = 1
    users: int = 1
    weights: tuple[int, ...] = ()


def analyse(job: Job, started: Sequence[str]) -> dict[str, Any]:
    """Run the workers of a job and return its report.

    Where the probe runs several copies, each is one worker of one job, and the folder above them is where
    they note what they have taken.

    Args:
        job: What to do.
        started: The command by which this program was started, for its workers.

    Raises:
        PackError: a file is not what it should be, or a worker failed.
    """
    with ExitStack() as stack:
        copy, copies = _env_number("ASSAY_COPY", 0), _env_number("ASSAY_COPIES", 1)
        claims = Path("..") if copies > 1 else Path(stack.enter_context(tempfile.TemporaryDirectory()))
        workers, taken = copies * job.workers, claims.absolute() / "taken"
        numbers = range(copy * job.workers, (copy + 1) * job.workers)
        if job.weights:
            parts = [dealt(number, workers, job.weights, taken) for number in numbers]
        else:
            users = range(job.users)
            parts = [Part(number, workers, user, job.users, taken) for number in numbers for user in users]
        if len(parts) == 1:
            done = [work(list(job.files), parts[0], branches=job.branches, tree=job.tree)]
        else:
            done = _at_once(job, parts, started)
    return report(job, done)


def dealt(number: int, workers: int, weights: Sequence[int], taken: Path) -> Part:
    """Return which user a worker is of, where all workers are dealt out by weights.

    Args:
        number: Of the worker among all, from 0.
        workers: How many there are.
        weights: Of each user.
        taken: Folder where taken packets are noted.

    Raises:
        PackError: they cannot be dealt out exactly.
    """
    hands, rest = divmod(workers, sum(weights))
    if rest:
        shares = ":".join(map(str, weights))
        msg = f"cannot share {workers} workers as {shares}: expected a multiple of {sum(weights)}"
        raise PackError(msg)
    turn = [user for user, weight in enumerate(weights) for _ in range(weight)]
    hand, seat = divmod(number, len(turn))
    user = turn[seat]
    own = hand * weights[user] + turn[:seat].count(user)
    return Part(own, hands * weights[user], user, len(weights), taken)


def report(job: Job, done: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return what workers did, together."""
    sums = Sums()
    for one in done:
        sums.add(Sums(**one["found"]))
    seconds = max(one["ended_s"] for one in done) - min(one["started_s"] for one in done)
    events = sum(one["events"] for one in done)
    asked = sum(one["asked_bytes"] for one in done)
    return {
        "schema": SCHEMA,
        "branches": job.branches,
        "users": len(job.weights) or job.users,
        "files": len(job.files),
        "events": events,
        "asked_bytes": asked,
        "loop_s": seconds,
        "events_per_s": events / seconds if seconds else None,
        "asked_bytes_per_s": asked / seconds if seconds else None,
        "digest": sums.digest,
        "workers": list(done),
    }


def _at_once(job: Job, parts: Sequence[Part], started: Sequence[str]) -> list[dict[str, Any]]:
    running = [_start(job, part, started, tells=_tells(job, part, parts)) for part in parts]
    ended = [(process, *process.communicate()) for process in running]
    for process, _, stderr in ended:
        if process.returncode != 0:
            words = stderr.decode(errors="replace").strip().splitlines() or ["it said nothing"]
            raise PackError(words[0].removeprefix("error: "), code=max(process.returncode, 1))
    return [json.loads(reported) for _, reported, _ in ended]


def _tells(job: Job, part: Part, parts: Sequence[Part]) -> bool:
    """Tell whether a worker tells phases: one alone of a copy does, so that they do not mix."""
    if job.weights:
        return part is parts[0]
    return part.user == 0 and part.worker == part.worker // job.workers * job.workers


def _start(job: Job, part: Part, started: Sequence[str], *, tells: bool) -> subprocess.Popen[bytes]:
    """Start a worker."""
    options = ("--branches", job.branches, *(("--tree", job.tree) if job.tree else ()))
    numbers = (part.worker, part.workers, part.user, part.users)
    command = (
        *started,
        "work",
        *options,
        "--part",
        ",".join(map(str, numbers)),
        "--claims",
        str(part.claims),
    )
    listening = os.environ.get("ASSAY_PHASE_FD") if tells else None
    environment = {name: value for name, value in os.environ.items() if name != "ASSAY_PHASE_FD" or tells}
    return subprocess.Popen(
        (*command, "--", *job.files),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        pass_fds=(int(listening),) if listening else (),
    )


def _env_number(name: str, usual: int) -> int:
    """Return a number that the probe tells a copy in its environment.

    Raises:
        PackError: it is none.
    """
    text = os.environ.get(name, str(usual))
    if re.fullmatch(r"[0-9]{1,9}", text) is None:
        msg = f"cannot analyse: expected a number in {name}, got '{text:.40}'"
        raise PackError(msg, hint="it is set where assay runs several copies")
    return int(text)
