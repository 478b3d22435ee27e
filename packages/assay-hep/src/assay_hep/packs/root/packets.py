"""The work in packets, and how workers take them: whoever is free takes the next one.

A packet is a range of events of one file, cut where its baskets end. It is taken by making a file of its name
in a folder that all workers of a job see; the kernel lets one of them make it (O_EXCL). So no process stands
between the workers, and copies that were started by somebody else share one job.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

PACKET_BYTES = 1_000_000
"""Of a file, all branches: some tenths of a second of work, so that workers end together."""


@dataclass(frozen=True)
class Packet:
    """A range of events.

    Attributes:
        file: Number of the file, from 0.
        start: First event.
        stop: The event behind the last.
    """

    file: int
    start: int
    stop: int


def cut(file: int, edges: Sequence[int], file_bytes: int) -> Iterator[Packet]:
    """Yield the packets of a file.

    Args:
        file: Its number.
        edges: Events where the baskets of all its branches end, from 0 to the last.
        file_bytes: Its size.
    """
    events = edges[-1]
    wanted = max(1, round(file_bytes / PACKET_BYTES))
    start = 0
    for edge in edges[1:]:
        if edge == events or edge - start >= events / wanted:
            if edge > start:
                yield Packet(file, start, edge)
            start = edge


def in_turn(packets: Sequence[Packet], share: float) -> Iterator[tuple[int, Packet]]:
    """Yield all packets with their numbers, beginning at a share of the whole: workers begin at other files.

    Args:
        packets: All of the job.
        share: Where to begin, 0 <= share < 1.
    """
    first = int(share * len(packets))
    for offset in range(len(packets)):
        index = (first + offset) % len(packets)
        yield index, packets[index]


def claimed(turn: Iterable[tuple[int, Packet]], folder: Path, user: int) -> Iterator[Packet]:
    """Yield those packets that nobody else of the same user has taken.

    Args:
        turn: Packets with their numbers.
        folder: Where taken packets are noted; seen by all workers of the job.
        user: Whose job it is.
    """
    folder.mkdir(exist_ok=True)
    for index, packet in turn:
        try:
            os.close(os.open(folder / f"{user}-{index}", os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            continue
        yield packet
