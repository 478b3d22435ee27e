"""A file system that is soon full."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def small_disk(place: Path, options: str) -> Iterator[Path]:
    """Mount a file system in memory, by the options of ``man 5 tmpfs``; only root can."""
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", place], check=True)
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", place], check=True)
