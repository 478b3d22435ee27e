"""A file that comes whole or not at all, whatever it is written from."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.model.errors import MissingError


def write_whole(output: Path, pieces: bytes | Iterable[str]) -> None:
    """Write a file that a command was asked for; a device is written to as it is.

    Raises:
        MissingError: It cannot be written, or is a pipe.
    """
    if output.is_fifo():
        msg = f"cannot write {output}: it is a pipe"
        raise MissingError(msg, hint="without --output the report is printed")
    try:
        with _whole_or_not(output) as place:
            if isinstance(pieces, bytes):
                place.write_bytes(pieces)
                return
            with place.open("w", encoding="utf-8", newline="") as file:
                file.writelines(pieces)
    except OSError as error:
        msg = f"cannot write {output}: {(error.strerror or 'it cannot be written').lower()}"
        raise MissingError(msg, hint="name a file in a folder that is there, with free space") from error


@contextmanager
def _whole_or_not(output: Path) -> Iterator[Path]:
    """Give the place to write a file to that comes by its name once it is whole; of a device itself."""
    named = output.resolve()
    if named.exists() and not (named.is_file() and os.access(named.parent, os.W_OK)):
        yield named
        return
    # nobody else can have put a link in its place: the name is drawn, and the file made here
    part = named.with_name(f".assay-{secrets.token_hex(8)}.part")
    os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o666))
    try:
        yield part
        if named.exists():
            shutil.copymode(named, part)
        part.replace(named)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
