"""What whole commands take, from the start of the program to its end."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

_TAKEN = """
import os, resource, subprocess, sys, time
began = time.monotonic()
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)
"""
"""By a small process: the memory of what one starts counts for its first moment."""


def taken(home: Path, words: tuple[str, ...]) -> tuple[float, float]:
    """Return seconds and MiB that a command of assay takes in a home."""
    return taken_by([sys.executable, "-c", "from assay.cli import main; main()", *words], home)


def taken_by(command: list[str], home: Path) -> tuple[float, float]:
    """Return seconds and MiB that a command takes."""
    variables = {**os.environ, "ASSAY_HOME": str(home)}
    script = [sys.executable, "-c", _TAKEN, *command]
    done = subprocess.run(script, env=variables, capture_output=True, text=True, check=True)
    seconds, mib = map(float, done.stdout.split())
    return seconds, mib
