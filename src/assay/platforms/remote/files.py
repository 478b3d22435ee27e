"""Files of a hypervisor: read through its door, several at once where that matters.

Source: ``man 1 grep`` (``-H``, ``-Z``: each line with its file's name and a zero byte), ``man 5 proc``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.model.errors import AssayError, Exit
from assay.platforms.errors import PlatformError
from assay.platforms.remote.door import RemoteDoor

# What may be laid here: the names come from the other machine, and must not lead out of the folder.
_NAMES = re.compile(
    r"stat|status|cmdline|smaps|cgroup|mounts|mountinfo|task/[0-9]{1,10}/(?:stat|status|comm|sched)"
    r"|fdinfo/[0-9]{1,10}|fd/[0-9]{1,10}"
)
_LONGEST_PATH = 1000
"""Letters, of at most four bytes, of a link that this machine's kernel takes."""
STEP_S = 30.0
"""A command that only looks has this long."""
# Fixed texts: what differs from call to call is an argument of theirs. Threads and files that are gone
# meanwhile are no error.
_TEXTS = 'grep -asHZ "" -- "$@"; true'
_COUNTS = """\
cd "/proc/$1" 2>/dev/null || exit 0
grep -asHZ "" stat status
find task -mindepth 2 -maxdepth 2 \\( -name stat -o -name status \\) -exec grep -asHZ "" {} +
find task -mindepth 2 -maxdepth 2 -name sched -exec grep -asHZ "^se.nr_migrations" {} +
true"""
_WHOLE = """\
cd "/proc/$1" 2>/dev/null || exit 0
grep -asHZ "" stat status cmdline smaps cgroup mounts mountinfo
find task fdinfo -type f \\( -path "task/*/stat" -o -path "task/*/status" -o -path "task/*/comm" \\
  -o -path "fdinfo/*" \\) -exec grep -asHZ "" {} +
find fd -type l -printf '%p\\0%l\\n'
true"""


@contextmanager
def understood(door: RemoteDoor, what: str) -> Iterator[None]:
    """Say of a machine whose answer is none that it cannot be understood.

    Args:
        door: To it.
        what: What was expected, ``a list of processors``.

    Raises:
        PlatformError: Inside, a parser refused its answer.
    """
    try:
        yield
    except (ValueError, LookupError, TypeError, ArithmeticError, RecursionError) as error:
        if isinstance(error, AssayError):
            raise
        msg = f"cannot understand {door.name}: expected {what}, got another answer ({error!s:.80})"
        raise PlatformError(msg) from error


def read_text(door: RemoteDoor, path: str) -> str | None:
    """Return a file's text; ``None`` where it cannot be read.

    Raises:
        AssayError: The machine was lost.
    """
    try:
        return door.run(["cat", "--", path], timeout_s=STEP_S).decode(errors="replace")
    except AssayError as error:
        if error.exit_code is Exit.UNREACHABLE:
            raise
        return None


def read_texts(door: RemoteDoor, *paths: str) -> dict[str, str]:
    """Return the texts of those of several files that can be read and are not empty, by path."""
    return parse_texts(door.run(["sh", "-c", _TEXTS, "sh", *paths], timeout_s=STEP_S))


def copy_process(door: RemoteDoor, pid: int, into: Path, *, whole: bool) -> Path:
    """Lay the files of a process's folder in ``/proc`` into a folder here, as they are at this moment.

    Args:
        door: To the machine where it runs.
        pid: Its number there.
        into: An empty folder.
        whole: All that is looked at from outside; else the states, times and migrations of its threads alone.

    Returns:
        The folder that stands for ``/proc``; it is empty where the process is gone. A file that was not asked
        for is left out.
    """
    script = _WHOLE if whole else _COUNTS
    texts = parse_texts(door.run(["sh", "-c", script, "sh", str(pid)], timeout_s=STEP_S))
    own = into / str(pid)
    for name, text in texts.items():
        if _NAMES.fullmatch(name):
            _lay(own / name, text, link=name.startswith("fd/"))
    return into


def parse_texts(answer: bytes) -> dict[str, str]:
    """Return texts by name from lines of name, zero byte and content."""
    texts: dict[str, list[str]] = {}
    for line in answer.split(b"\n"):
        name, zero, text = line.partition(b"\0")
        if zero:
            texts.setdefault(name.decode(errors="replace"), []).append(text.decode(errors="replace"))
    return {name: "\n".join(lines) + "\n" for name, lines in texts.items()}


def _lay(path: Path, text: str, *, link: bool) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if link:
        path.symlink_to(text.rstrip("\n").replace("\0", "")[:_LONGEST_PATH] or "?")
    else:
        path.write_text(text, encoding="utf-8")
