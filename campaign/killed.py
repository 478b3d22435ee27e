"""An assay whose acts are counted and which ends, or does something, at one of them.

``python -m campaign.killed --log FILE --at 'rename trial.settle<trial.collect<trial.run_trial' --nth 3 --by
SIGKILL -- evaluate scene.yaml`` ends by SIGKILL right before the third act of that kill point. Without
``--at`` acts of all kinds count; without ``--nth`` they are only written down.

Acts are what others see of a process: files synced, renamed, removed, folders made and removed, transactions
of the database, questions to a probe (before they are sent, and once they are answered), copies to and from
machines behind SSH, calls that change a domain, programs started. A kill point is the kind of an act and the
three functions of assay that lead to it, the innermost first.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil  # looks at the functions of os when it is imported: before they are wrapped  # noqa: F401
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import wraps
from types import FrameType
from typing import Any

DISK = {
    "fsync": "fsync",
    "fdatasync": "fsync",
    "rename": "rename",
    "replace": "rename",
    "unlink": "unlink",
    "remove": "unlink",
    "mkdir": "mkdir",
    "rmdir": "rmdir",
}
"""Functions of ``os`` by the kind of their act."""
LIBVIRT = {
    "virConnect": ("createXML", "defineXML", "restore", "restoreFlags"),
    "virDomain": ("create", "createWithFlags", "destroy", "destroyFlags", "undefineFlags", "setMetadata"),
}
DEEP = 3
"""Functions that name a kill point."""
PHASES = {
    "boot.wait_usable": "booting",
    "claims.claim": "claiming",
    "claims.release": "ending",
    "conductor.Conductor._judge": "between trials",
    "conductor.Conductor._keep": "collecting",
    "conductor.Conductor._recover": "bringing home",
    "conductor.Conductor._trial": "in a trial",
    "conductor.Conductor._visit": "between trials",
    "conductor.Conductor.run": "beginning and end",
    "daemon.libvirt_connection": "making",
    "database.open_database": "database",
    "environment.Environment.close": "ending",
    "environment.Environment.open": "opening",
    "environment.Environment.tidy": "ending",
    "environment.Environment.visit": "opening",
    "evaluate.create": "creating",
    "evaluate.prepare": "planning",
    "pages.write_page": "page",
    "guest.Guest.destroy": "ending",
    "guest.GuestPlace._booted": "making",
    "guest.start_guest": "making",
    "remote.RemoteSite.boot": "making",
    "settings.host_settings": "host settings",
    "site_floor.keep_campaigns": "page",
    "trial._start": "starting",
    "trial.collect": "collecting",
    "trial.ready": "laying out",
    "trial.run_trial": "in a trial",
    "trial.unprepared": "collecting",
    "visit.guest_visit": "booting",
}
"""The part of an activity that an act belongs to, by the innermost function that has one."""
OUTSIDE = "command"
"""The part that an act belongs to where no function has one."""


@dataclass
class Acts:
    """What a process has done so far.

    Attributes:
        log: File descriptor to which acts are written.
        at: Kill point; ``None`` is any.
        nth: Which of its acts is the end; 0 is none.
        end: What is done there.
    """

    log: int
    at: str | None
    nth: int
    end: Callable[[], object]
    _seen: Counter[str] = field(default_factory=Counter)
    _busy: bool = False

    def meet(self, kind: str) -> None:
        """Take note of an act that is about to be done; nothing where assay is not at work."""
        places = list(_places(sys._getframe(1)))  # noqa: SLF001 - there is no other way
        if self._busy or not places:
            return
        point = f"{kind} {'<'.join(places[:DEEP])}"
        self._seen[point] += 1
        row = {"point": point, "nth": self._seen[point], "phase": phase_of(places)}
        is_end = self.nth > 0 and self.nth == self._counted(point)
        os.write(self.log, f"{json.dumps({**row, 'end': is_end})}\n".encode())
        if is_end:
            self._busy = True
            self.end()
            self._busy = False

    def _counted(self, point: str) -> int:
        if self.at is None:
            return self._seen.total()
        return self._seen[point] if point == self.at else 0


def phase_of(places: Sequence[str]) -> str:
    """Return the part of an activity that functions belong to, the innermost first."""
    return next((PHASES[place] for place in places if place in PHASES), OUTSIDE)


def _places(frame: FrameType | None) -> Sequence[str]:
    """Return the functions of assay that are at work, the innermost first."""
    found = []
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        if module.startswith("assay.") and not frame.f_code.co_name.startswith("<"):
            name = frame.f_code.co_qualname.replace(".<locals>", "")
            found.append(f"{module.rpartition('.')[2]}.{name}")
        frame = frame.f_back
    return found


def watch(acts: Acts) -> None:
    """Count the acts of this process from now on."""
    import sqlalchemy as sa

    from assay.machines.ssh.door import SshDoor
    from assay.probe.conversation import Conversation

    for name, kind in DISK.items():
        _wrap(os, name, acts, lambda *_given, kind=kind: kind)
    _wrap(subprocess.Popen, "__init__", acts, lambda _self, words, *_rest: f"start {_program(words)}")
    for name in ("ask", "ask_patiently"):
        _wrap(Conversation, name, acts, _question, answer="answer")
    _wrap(SshDoor, "_wait", acts, lambda door, what, *_rest: f"copy {what.split()[0]} on {door.name}")
    sa.event.listen(sa.Engine, "commit", lambda _connection: acts.meet("commit"))
    with contextlib.suppress(ImportError):
        import libvirt

        for kind, names in LIBVIRT.items():
            for name in names:
                _wrap(getattr(libvirt, kind), name, acts, lambda *_given, name=name: f"libvirt {name}")


def _question(talk: Any, op: str, *_rest: object) -> str:
    machine = talk._machine  # noqa: SLF001 - only this knows who is asked
    return f"ask {op}" if machine == "local" else f"ask {op} on {machine}"


def _program(words: Any) -> str:
    first = words if isinstance(words, (str, bytes, os.PathLike)) else words[0]
    return os.path.basename(os.fsdecode(first))


def _wrap(
    owner: Any, name: str, acts: Acts, kind_of: Callable[..., str], *, answer: str | None = None
) -> None:
    """Put a function in a function's place that meets its act first, and one of its answer afterwards."""
    function = getattr(owner, name)

    @wraps(function)
    def watched(*given: Any, **named: Any) -> Any:
        kind = kind_of(*given)
        acts.meet(kind)
        result = function(*given, **named)
        if answer is not None:
            acts.meet(f"{answer} {kind.partition(' ')[2]}")
        return result

    setattr(owner, name, watched)


def _end_of(by: str, words: Sequence[str]) -> Callable[[], object]:
    """Return what is done at the end: a signal to this process, or a command."""
    if words:
        return lambda: subprocess.run(words, check=True, stdin=subprocess.DEVNULL)
    return lambda: os.kill(os.getpid(), signal.Signals[by])


def main() -> None:
    """Run assay with the words after ``--``."""
    at = sys.argv.index("--")
    parser = argparse.ArgumentParser(
        prog="python -m campaign.killed", description="an assay that ends at an act"
    )
    parser.add_argument("--log", required=True, help="file that acts are written to, one JSON object a line")
    parser.add_argument("--at", metavar="POINT", help="kill point, as the log names it")
    parser.add_argument("--nth", type=int, default=0, help="which of its acts; 0: none")
    parser.add_argument("--by", default="SIGKILL", choices=("SIGKILL", "SIGTERM", "SIGINT"))
    parser.add_argument(
        "--run", type=json.loads, default=[], metavar="WORDS", help="a command instead, as JSON"
    )
    given = parser.parse_args(sys.argv[1:at])
    log = os.open(given.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    watch(Acts(log, given.at, given.nth, _end_of(given.by, given.run)))
    from assay.cli.entry import main as assay

    assay(sys.argv[at + 1 :])


if __name__ == "__main__":
    main()
