"""The output of ``strace -f -y -ttt -T -s 0`` as calls.

Source: strace(1) 6.1. Limits: what is mapped into memory (mmap) is read by page faults, which are no calls.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

_LINE = re.compile(r"(\d+)\s+(\d+\.\d+) (.*)")
_WHOLE = re.compile(r"(\w+)\((.*)\)\s+= (.*)")
_UNFINISHED = re.compile(r"(\w+)\((.*) <unfinished \.\.\.>")
_RESUMED = re.compile(r"<\.\.\. (\w+) resumed>(.*)\)\s+= (.*)")
_DESCRIPTOR = re.compile(r"(AT_FDCWD|-?\d+)<([^<>]*)>")
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
_SECONDS = re.compile(r"<(\d+\.\d+)>$")
_RESULT = re.compile(r"(-?\d+)(?:<([^<>]*)>)?")
_NUMBER = re.compile(r"\d+")


class Kind(StrEnum):
    """What a call asks for."""

    OPEN = "open"
    READ = "read"
    WRITE = "write"
    SYNC = "sync"
    SEEK = "seek"
    LOOK = "look"


KINDS = {
    **dict.fromkeys(("open", "openat", "openat2", "creat"), Kind.OPEN),
    **dict.fromkeys(("read", "pread64", "readv", "preadv", "preadv2"), Kind.READ),
    **dict.fromkeys(("write", "pwrite64", "writev", "pwritev", "pwritev2"), Kind.WRITE),
    **dict.fromkeys(("fsync", "fdatasync", "sync_file_range", "syncfs"), Kind.SYNC),
    "lseek": Kind.SEEK,
    **dict.fromkeys(
        (
            "access",
            "faccessat",
            "faccessat2",
            "stat",
            "lstat",
            "newfstatat",
            "statx",
            "readlink",
            "readlinkat",
        ),
        Kind.LOOK,
    ),
}
"""Calls by name; others are passed over."""
COPIES = {"copy_file_range": (0, 1), "sendfile": (1, 0)}
"""Calls that move bytes from one file to another: which of their descriptors is read, and which written."""
AT = ("pread64", "pwrite64", "preadv", "pwritev", "preadv2", "pwritev2")
"""Calls that say where in the file."""


@dataclass(frozen=True)
class Call:
    """A call of the kernel.

    Attributes:
        at_s: When it began, seconds since 1970 on the machine's clock.
        kind: What it asks for.
        path: The file; empty where that is none (a pipe, a socket).
        descriptor: Its number; -1 without one.
        result: What it returned; ``None`` where it never did, negative where it failed.
        seconds: How long it took.
        offset: Where in the file, where the call says it.
    """

    at_s: float
    kind: Kind
    path: str
    descriptor: int
    result: int | None
    seconds: float
    offset: int | None = None


def working_folder(lines: Iterable[str]) -> str | None:
    """Return the folder in which the traced program began, as its first call tells; ``None``: none did."""
    for line in lines:
        found = re.search(r"\(AT_FDCWD<([^<>]*)>", line)
        if found:
            return found[1]
    return None


def calls(lines: Iterable[str]) -> Iterator[Call]:
    """Yield the calls that ask something of files, in the order in which they ended.

    A call that another interrupted is put together again; one that never ended (its process was killed) and
    lines that are none are passed over.
    """
    begun: dict[tuple[str, str], tuple[float, str]] = {}
    for line in lines:
        found = _LINE.match(line.rstrip("\n"))
        if found is None:
            continue
        process, at_s, rest = found[1], float(found[2]), found[3]
        if unfinished := _UNFINISHED.fullmatch(rest):
            begun[process, unfinished[1]] = at_s, unfinished[2]
            continue
        if resumed := _RESUMED.fullmatch(rest):
            began = begun.pop((process, resumed[1]), None)
            if began is not None:
                yield from _call(began[0], resumed[1], began[1] + resumed[2], resumed[3])
            continue
        if whole := _WHOLE.fullmatch(rest):
            yield from _call(at_s, whole[1], whole[2], whole[3])


def _call(at_s: float, name: str, arguments: str, returned: str) -> Iterator[Call]:
    if name in COPIES:
        yield from _copied(at_s, name, arguments, returned)
    kind = KINDS.get(name)
    if kind is None:
        return
    seconds, result = _SECONDS.search(returned), _RESULT.match(returned)
    value = int(result[1]) if result else None
    first = _DESCRIPTOR.match(arguments)
    if kind is Kind.OPEN and result and result[2] is not None:
        path, descriptor = result[2], int(result[1])
    else:
        path, descriptor = _place(arguments, first)
    if not path.startswith("/"):
        path = ""
    took = float(seconds[1]) if seconds else 0.0
    yield Call(at_s, kind, path, descriptor, value, took, _offset(name, arguments))


def _copied(at_s: float, name: str, arguments: str, returned: str) -> Iterator[Call]:
    """Yield a copy from one file to another as a call that reads, and one that writes and took the time."""
    seconds, result = _SECONDS.search(returned), _RESULT.match(returned)
    named = _DESCRIPTOR.findall(arguments)
    if result is None or len(named) < 2:
        return
    took = float(seconds[1]) if seconds else 0.0
    for kind, at, spent in ((Kind.READ, COPIES[name][0], 0.0), (Kind.WRITE, COPIES[name][1], took)):
        number, path = named[at]
        yield Call(at_s, kind, path if path.startswith("/") else "", int(number), int(result[1]), spent)


def _place(arguments: str, first: re.Match[str] | None) -> tuple[str, int]:
    """Return the path that a call names, and the number of its descriptor."""
    name = _STRING.search(arguments) if first is None or first[1] == "AT_FDCWD" else None
    if name is not None:
        below = first[2] if first is not None else ""
        return (name[1] if name[1].startswith("/") else f"{below}/{name[1]}"), -1
    return ("", -1) if first is None else (first[2], -1 if first[1] == "AT_FDCWD" else int(first[1]))


def _offset(name: str, arguments: str) -> int | None:
    if name not in AT:
        return None
    words = arguments.split(", ")
    number = _NUMBER.fullmatch(words[-2 if name.endswith("v2") else -1])
    return int(number[0]) if number else None
