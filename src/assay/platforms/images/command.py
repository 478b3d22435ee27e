"""A long-running program of an image's build: its output goes to a log, and it never outlives us."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import IO

from assay.model.errors import MissingError
from assay.model.files.packages import install_command
from assay.platforms.process import PATH

_ENCLOSURE = (
    *("setpriv", "--pdeathsig", "KILL", "--"),
    *("unshare", "--mount", "--pid", "--fork", "--kill-child=KILL", "--mount-proc", "--"),
)
"""A program in process and mount namespaces of its own: when it is killed, or this process is, by whatever
signal, the kernel ends all that it started and undoes all that it mounted. mmdebstrap alone would leave
the guest's ``/proc``, ``/sys`` and ``/dev`` mounted (seen after a SIGTERM)."""


class CommandError(Exception):
    """A program of the build failed.

    Args:
        command: Its argument list.
        code: Its exit code, negative for a signal.
        tail: The last lines that it printed.
    """

    def __init__(self, command: Sequence[str], code: int, tail: Sequence[str]) -> None:
        self.command, self.code, self.tail = tuple(command), code, tuple(tail)
        super().__init__(f"{command[0]} ended with {code}: {' | '.join(tail)}")


def require_programs(packages: Mapping[str, str], *, what: str) -> None:
    """Check that programs are installed.

    Args:
        packages: Name of each program and Debian's package that brings it.
        what: What they are needed for, ``build a guest image``.

    Raises:
        MissingError: some are not; it names them all and the command that installs them.
    """
    missing = [name for name in packages if shutil.which(name, path=PATH) is None]
    if missing:
        msg = f"cannot {what}: not installed: {', '.join(missing)}"
        raise MissingError(msg, hint=install_command(*sorted({packages[name] for name in missing})))


def run_command(
    command: Sequence[str],
    *,
    log: IO[str],
    variables: Mapping[str, str] | None = None,
    watch: Callable[[str], None] = lambda _: None,
) -> None:
    """Run a program to its end; on an exception here, Ctrl-C included, end it and all its children first.

    Args:
        command: Argument list.
        log: Gets its output and errors.
        variables: Added to its environment.
        watch: Is called with each line.

    Raises:
        CommandError: it ended with an exit code other than 0.
    """
    process = _start(command, variables or {})
    tail: deque[str] = deque(maxlen=8)
    try:
        for line in process.stdout or ():
            log.write(line)
            tail.append(line.strip())
            watch(line)
        code = process.wait()
    except BaseException:
        process.kill()
        process.wait()
        raise
    finally:
        if process.stdout is not None:
            process.stdout.close()
    if code:
        raise CommandError(command, code, [line for line in tail if line])


def _start(command: Sequence[str], variables: Mapping[str, str]) -> subprocess.Popen[str]:
    # The caller's environment may hold a proxy that APT needs; all else of it must not reach a guest.
    proxies = {name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")}
    environment = {"PATH": PATH, "HOME": "/root", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
    return subprocess.Popen(
        [*_ENCLOSURE, *command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**environment, **proxies, **variables},
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
        umask=0o022,
    )
