"""What a job wrote, read from its record here: no more of it than readers take, however much there is."""

from __future__ import annotations

import os
from pathlib import Path

from assay.model.errors import AssayError
from assay.model.units import BYTES, format_bytes

MOST_BYTES = 64 * BYTES["MiB"]
"""Of a stream that figures or success are read from: as lines of text it takes several times as
much memory.
"""


class TooLongError(AssayError):
    """A stream holds more than is read of one."""


def read_stream(folder: Path, name: str) -> bytes:
    """Return all of a stream of a job.

    Args:
        folder: The files of the run.
        name: The stream's file, ``stdout.1``.

    Raises:
        TooLongError: It holds more than ``MOST_BYTES``.
        OSError: It cannot be read.
    """
    with (folder / name).open("rb") as file:
        content = file.read(MOST_BYTES + 1)
        size = os.fstat(file.fileno()).st_size
    if len(content) > MOST_BYTES:
        most = format_bytes(MOST_BYTES)
        msg = f"cannot read figures from {name}: it holds {format_bytes(size)}, at most {most} are read"
        raise TooLongError(msg, hint="print less, or read them from a file (metrics: {NAME: {file: …}})")
    return content


def end_of(folder: Path, name: str, size: int) -> bytes:
    """Return the last bytes of a stream of a job, at most so many.

    Raises:
        OSError: It cannot be read.
    """
    with (folder / name).open("rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - size))
        return file.read(size)
