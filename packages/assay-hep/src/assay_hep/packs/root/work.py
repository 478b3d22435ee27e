"""One worker of one user's job: initialization, then packets until none is left."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..phases import tell
from .opened import Opened, open_file
from .packets import claimed, in_turn
from .sums import Sums, sums_of


@dataclass(frozen=True)
class Part:
    """Which part of the work a worker has.

    Attributes:
        worker: Its number among those of its user, from 0.
        workers: How many there are.
        user: Whose job it is, from 0.
        users: How many there are.
        claims: Folder where taken packets are noted.
    """

    worker: int
    workers: int
    user: int
    users: int
    claims: Path


def work(files: list[str], part: Part, *, branches: str, tree: str | None) -> dict[str, Any]:
    """Do a worker's part and return what it did, times in seconds on CLOCK_MONOTONIC.

    Every worker opens every file at first, as all must know the packets; all take packets in the same order,
    each beginning at another place.

    Raises:
        PackError: a file is not what it should be.
    """
    began = time.monotonic()
    opened = [open_file(path, number, branches=branches, tree=tree) for number, path in enumerate(files)]
    packets = [packet for file in opened for packet in file.packets]
    share = (part.worker / part.workers + part.user / (part.users * part.workers)) % 1
    tell("phase event-loop")
    started = time.monotonic()
    sums, asked, done = Sums(), 0, 0
    for packet in claimed(in_turn(packets, share), part.claims, part.user):
        file = opened[packet.file]
        arrays = _read(file, packet.start, packet.stop)
        asked += file.asked_bytes(packet)
        sums.add(sums_of(arrays, packet.stop - packet.start))
        done += 1
        tell(f"events {sums.events}")
    ended = time.monotonic()
    tell("phase end")
    times = {"began_s": began, "started_s": started, "ended_s": ended}
    did = {"events": sums.events, "packets": done, "asked_bytes": asked}
    truth = _truths(opened)
    return {
        "user": part.user,
        "worker": part.worker,
        **times,
        **did,
        "branches_read": len(opened[0].names),
        "job_packets": len(packets),
        "job_events": sum(file.tree.num_entries for file in opened),
        "found": asdict(sums),
        "truth": None if truth is None else asdict(truth),
    }


def _read(file: Opened, start: int, stop: int) -> dict[str, Any]:
    arrays: dict[str, Any] = file.tree.arrays(
        list(file.names), entry_start=start, entry_stop=stop, array_cache=None, library="ak", how=dict
    )
    return arrays


def _truths(opened: list[Opened]) -> Sums | None:
    """Return what all files say is in them; ``None`` where one does not tell."""
    every = Sums()
    for file in opened:
        if file.truth is None:
            return None
        every.add(file.truth)
    return every
