"""What whole commands take, from the start of the program to its end."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

_TAKEN = """
import os, resource, subprocess, sys, time
began = time.monotonic()
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(time.monotonic() - began, used.ru_maxrss / 1024, used.ru_utime + used.ru_stime)
"""
"""By a small process: the memory of what one starts counts for its first moment."""


class Taken(NamedTuple):
    """What a command took from its start to its end.

    Attributes:
        seconds: Wall time.
        mib: Largest resident set, MiB.
        cpu_s: CPU time, with that of its children.
    """

    seconds: float
    mib: float
    cpu_s: float


def taken(home: Path, words: tuple[str, ...]) -> Taken:
    """Return what a command of assay takes in a home."""
    return taken_by([sys.executable, "-c", "from assay.cli import main; main()", *words], home)


def taken_by(command: list[str], home: Path) -> Taken:
    """Return what a command takes."""
    variables = {**os.environ, "ASSAY_HOME": str(home)}
    script = [sys.executable, "-c", _TAKEN, *command]
    done = subprocess.run(script, env=variables, capture_output=True, text=True, check=True)
    return Taken(*map(float, done.stdout.split()))
