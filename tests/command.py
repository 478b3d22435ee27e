"""The command line in the process of the tests: what a process of its own answers, without its start.

What a process alone shows (imports, signals, a closed pipe, other rights) is tested with a process.
"""

from __future__ import annotations

import io
import json
import os
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, chdir, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any
from unittest.mock import patch

from assay.cli.entry import main
from assay.model.files.home import is_home, mark_home

STREAMS = ("stdin", "stdout", "stderr")
"""By file descriptor."""


@dataclass(frozen=True)
class Done:
    """A command that has ended; ``seconds`` from its start to its end."""

    code: int
    out: str
    err: str
    seconds: float

    @property
    def page(self) -> Any:
        """Return the JSON on standard output, which holds nothing else."""
        return json.loads(self.out)


def run(
    *arguments: str,
    home: Path | None = None,
    variables: Mapping[str, str] | None = None,
    folder: Path | None = None,
    given: bytes = b"",
) -> Done:
    """Run the command to its end, with ``given`` on standard input."""
    own = {} if home is None else {"ASSAY_HOME": str(as_home(home))}
    return called(
        lambda: main(list(arguments)), variables=own | dict(variables or {}), folder=folder, given=given
    )


def as_home(folder: Path) -> Path:
    """Mark a folder as a home where a test has put files into it; one of an earlier assay marks itself."""
    if (folder / "assay.db").exists():
        return folder
    if folder.is_dir() and os.access(folder, os.W_OK) and any(folder.iterdir()) and not is_home(folder):
        mark_home(folder)
    return folder


def called(
    program: Callable[[], object],
    *,
    variables: Mapping[str, str] | None = None,
    folder: Path | None = None,
    given: bytes = b"",
) -> Done:
    """Call what a program calls and return what it would have answered.

    Environment, folder and standard streams are afterwards as they were.
    """
    began = time.monotonic()
    with ExitStack() as stack:
        stack.enter_context(patch.dict(os.environ, variables or {}))
        stack.enter_context(chdir(folder or Path.cwd()))
        files = [stack.enter_context(tempfile.TemporaryFile()) for _ in STREAMS]
        files[0].write(given)
        files[0].seek(0)
        with _streams(files):
            code = _exit_code(program)
        out, err = (_content(file) for file in files[1:])
    return Done(code, out, err, time.monotonic() - began)


def _exit_code(program: Callable[[], object]) -> int:
    """Return what the interpreter would exit with."""
    try:
        program()
    except SystemExit as end:
        return int(end.code or 0)
    except Exception:  # noqa: BLE001
        traceback.print_exc()
        return 1
    return 0


@contextmanager
def _streams(files: list[IO[bytes]]) -> Iterator[None]:
    """Put files in the place of the standard streams, also for processes that the command starts."""
    for name in STREAMS[1:]:
        getattr(sys, name).flush()
    kept = [os.dup(number) for number in range(3)]
    with patch.multiple(sys, **_put(files)):
        try:
            yield
        finally:
            for name in STREAMS[1:]:
                getattr(sys, name).flush()
            for number, former in enumerate(kept):
                os.dup2(former, number)
                os.close(former)


def _put(files: list[IO[bytes]]) -> dict[str, io.TextIOWrapper]:
    for number, file in enumerate(files):
        os.dup2(file.fileno(), number)
    return {name: _opened(number) for number, name in enumerate(STREAMS)}


def _opened(number: int) -> io.TextIOWrapper:
    """Return a stream as Python makes it at its start."""
    file = os.fdopen(number, "rb" if number == 0 else "wb", closefd=False)
    return io.TextIOWrapper(file, encoding="utf-8", line_buffering=number == 2)


def _content(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode()
