"""A program of this machine, run to its end: by its argument list, in bounded time."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

SHORT_S = 60.0
"""For what answers at once on an idle machine."""
_LAST_WORDS = 600


@dataclass(frozen=True)
class Ended:
    """How a program ended.

    Attributes:
        stdout: All that it printed.
        stderr: What it printed on standard error.
        code: Its exit code, the negative number of a signal that ended it.
    """

    stdout: bytes
    stderr: str
    code: int

    @property
    def text(self) -> str:
        """What it printed, as text."""
        return self.stdout.decode(errors="replace")

    @property
    def words(self) -> str:
        """The end of what it said of its failure, on one line."""
        said = self.stderr.strip() or self.text.strip()
        return said[-_LAST_WORDS:].replace("\n", " ") or "nothing"


def run_program(
    argv: Sequence[str],
    *,
    stdin: bytes = b"",
    timeout_s: float = SHORT_S,
    variables: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> Ended:
    """Run a program to its end; one that does not come to it is killed.

    Args:
        argv: Program and arguments.
        stdin: What it reads.
        timeout_s: Seconds that it may take.
        variables: Its environment; ``None`` is that of this process.
        folder: Where it starts; ``None`` is where this process is.

    Raises:
        FileNotFoundError: It is not installed.
        OSError: It cannot be started.
        subprocess.TimeoutExpired: It did not end in time.
    """
    done = subprocess.run(
        list(argv),
        input=stdin,
        capture_output=True,
        check=False,
        env=variables,
        timeout=timeout_s,
        cwd=folder,
    )
    return Ended(done.stdout, done.stderr.decode(errors="replace"), done.returncode)
