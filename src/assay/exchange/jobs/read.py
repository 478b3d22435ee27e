"""A file of accounting: opened, recognised by its content, and read as it comes."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from assay.exchange.errors import TableError
from assay.exchange.given import NoFileError, open_given, read_given, read_stream
from assay.exchange.jobs.condor import read_condor
from assay.exchange.jobs.job import Damaged, EventsOf, Told
from assay.exchange.jobs.prmon import is_prmon, read_prmon
from assay.exchange.jobs.slurm import is_jobcomp, is_sacct, read_jobcomp, read_sacct

HEAD, LONGEST = 1 << 16, 1 << 16
"""Bytes by which a file is recognised; those of a line, of which the rest is a line of its own."""
GZIP = b"\x1f\x8b"
BOM = b"\xef\xbb\xbf"
HINT = (
    "sacct --parsable2 with its heading, condor_history -json, Slurm's jobcomp file, prmon.txt or "
    "prmon.json; docs/jobs.md has the commands"
)


@contextmanager
def open_jobs(path: Path, events: EventsOf) -> Iterator[tuple[str, Iterator[Told]]]:
    """Give what wrote a file (``sacct``, ``jobcomp``, ``condor_history``, ``prmon``) and what it tells.

    A file that is packed by gzip is unpacked on the way. Whatever its size, little of it is in memory.

    Args:
        path: The file.
        events: Events of a job.

    Raises:
        TableError: It cannot be read, or nothing of it is accounting; also while it is read.
    """
    try:
        with open_given(path) as file, _unpacked(file) as stream:
            yield _recognised(stream, path, events)
    except (OSError, EOFError, zlib.error, NoFileError) as error:
        got = error.strerror.lower() if isinstance(error, OSError) and error.strerror else str(error)
        got = error.got if isinstance(error, NoFileError) else got
        raise TableError(place=str(path), expected="a file that can be read", actual=got) from None


def _unpacked(file: BinaryIO) -> io.BufferedReader:
    packed = file.read(len(GZIP)) == GZIP
    file.seek(0)
    content = gzip.GzipFile(fileobj=file) if packed else file
    return io.BufferedReader(cast(io.RawIOBase, content), HEAD)


def _recognised(stream: io.BufferedReader, path: Path, events: EventsOf) -> tuple[str, Iterator[Told]]:
    head, name = stream.peek(HEAD), str(path)
    if head.startswith(BOM):
        stream.read(len(BOM))
        head = head[len(BOM) :]
    first = head.lstrip().partition(b"\n")[0].decode(errors="replace").strip()
    if is_prmon(head):
        return "prmon", _one(stream, path, events)
    if first[:1] in ("[", "{"):
        return "condor_history", read_condor(cast(BinaryIO, stream), name, events)
    if is_sacct(first):
        return "sacct", read_sacct(_lines(stream), name, events)
    if is_jobcomp(first):
        return "jobcomp", read_jobcomp(_lines(stream), name, events)
    got = f"'{first:.60}'" if first else "nothing"
    raise TableError(place=f"{path}:1", expected="accounting of jobs", actual=got, hint=HINT)


def _one(stream: io.BufferedReader, path: Path, events: EventsOf) -> Iterator[Told]:
    try:
        content = read_stream(cast(BinaryIO, stream))
        beside = path.with_suffix(".json")
        summary = read_given(beside) if path.suffix == ".txt" and beside.is_file() else None
    except NoFileError as error:
        yield Damaged(str(path), "prmon's files of one job", error.got)
        return
    yield read_prmon(content, path, events, summary)


def _lines(stream: io.BufferedReader) -> Iterator[tuple[int, str]]:
    """Yield lines that hold something, with their numbers."""
    at = 0
    while raw := stream.readline(LONGEST):
        at += 1
        text = raw.decode(errors="replace").strip("\r\n")
        if text.strip():
            yield at, text
