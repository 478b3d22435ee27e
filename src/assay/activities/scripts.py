"""Commands of the user's around trials: run where the trials run, with a time limit, their output kept.

Layout of an activity's folder::

    scripts/<visit>-<role>-<phase>.txt   what a command was, how it ended, and what it printed
    scripts/<visit>-<role>.left          while a machine that stands has been set up and not taken down
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from assay.activities.events import Watcher
from assay.activities.interrupts import Interrupts
from assay.activities.plan.kept_inputs import kept_inputs
from assay.activities.visits.visit import Visit
from assay.model.activity import ActivityPlan
from assay.model.errors import AssayError, MissingError
from assay.model.work.scripts import Phase, Role, Scripts
from assay.store.record import replace_file

FOLDER = "scripts"
MOST_BYTES = 1 << 20
"""Of a command's output that is kept: its end."""
MOST_SAID = 200
"""Letters of a command's last line in a message."""
GRACE_S = 5.0
_RUN = """\
cd "$1" || exit
limit=$2
shift 2
timeout -k 5 "$limit" "$@" </dev/null 2>&1
printf '\\n%s' "$?"
"""
"""For ``sh -c``: runs its further arguments in a folder, and prints the exit code behind their output.

Source: coreutils ``timeout``: 124 where it ended the command, 137 where it killed it.
"""
_ENDED = (124, 137)


@dataclass
class ScriptRunner:
    """Runs the commands around an activity's trials.

    Attributes:
        plan: The activity.
        folder: Its folder.
        interrupts: Holds signals while something is taken down.
        watcher: Is told of what does not end the activity.
    """

    plan: ActivityPlan
    folder: Path
    interrupts: Interrupts
    watcher: Watcher

    @cached_property
    def inputs(self) -> Mapping[str, Path]:
        """The activity's own copies of inputs, by their path."""
        return kept_inputs(self.folder)

    def of(self, role: Role) -> Scripts | None:
        """Return the commands of a role; ``None`` for none."""
        return next((one for one in self.plan.scripts if one.role is role), None)

    @contextmanager
    def around(self, visits: Sequence[Visit], role: Role, when: str, *, stands: bool) -> Iterator[None]:
        """Set up some machines and check them, and take them down at the end whatever happens.

        Args:
            visits: Where; the guests of a layout.
            role: Whose commands.
            when: For the names of what is kept, ``b003-1``: block and visit.
            stands: The machine is there before and after: what was set up is noted, so that it is taken down
                after a kill, too.

        Raises:
            AssayError: A command failed.
        """
        scripts = self.of(role)
        if scripts is None:
            yield
            return
        note = self._note(when, role)
        if stands and scripts.teardown:
            note.parent.mkdir(exist_ok=True)
            replace_file(note, f"{when}\n".encode())
        try:
            for phase in (Phase.SETUP, Phase.CHECK):
                self._each(visits, scripts, phase, when)
            yield
        finally:
            self._take_down(visits, scripts, when)
            note.unlink(missing_ok=True)

    def start(self, visits: Sequence[Visit], role: Role, when: str) -> None:
        """Run what is to run before a trial.

        Raises:
            AssayError: It failed.
        """
        scripts = self.of(role)
        if scripts is not None:
            self._each(visits, scripts, Phase.START, when)

    def left(self, role: Role) -> tuple[str, ...]:
        """Return the visits, as ``around`` was told, for which a machine was set up and not taken down."""
        notes = sorted((self.folder / FOLDER).glob(f"*-{role}.left"))
        return tuple(note.name.removesuffix(f"-{role}.left") for note in notes)

    def take_down_left(self, visit: Visit, role: Role, when: str) -> None:
        """Take down what a killed process had set up on a machine that stands."""
        scripts = self.of(role)
        if scripts is not None:
            self._take_down([visit], scripts, f"{when}-left")
        self._note(when, role).unlink(missing_ok=True)

    def _note(self, when: str, role: Role) -> Path:
        return self.folder / FOLDER / f"{when}-{role}.left"

    def _take_down(self, visits: Sequence[Visit], scripts: Scripts, when: str) -> None:
        for visit, name in _named(visits, when):
            try:
                with self.interrupts.held():
                    self._run(visit, scripts, Phase.TEARDOWN, name)
            except AssayError as error:  # what was measured is safe, and the next visit checks again
                self.watcher.warn(error.message)

    def _each(self, visits: Sequence[Visit], scripts: Scripts, phase: Phase, when: str) -> None:
        for visit, name in _named(visits, when):
            self._run(visit, scripts, phase, name)

    def _run(self, visit: Visit, scripts: Scripts, phase: Phase, when: str) -> None:
        command, role = scripts.command(phase), scripts.role
        if not command:
            return
        there = f"{visit.directory}/{FOLDER}-{role}"
        self._bring(visit, scripts, there)
        told = {
            "ASSAY_ACTIVITY": self.plan.id,
            "ASSAY_SCENE": self.plan.scene,
            "ASSAY_ROLE": str(role),
            "ASSAY_PHASE": str(phase),
            "ASSAY_MACHINE": visit.machine,
        }
        environment = ("env", *(f"{name}={value}" for name, value in told.items()))
        limit = f"{scripts.time_limit_s:g}"
        began = time.monotonic()
        output = visit.run(
            ("sh", "-c", _RUN, "sh", there, limit, *environment, *command),
            timeout_s=scripts.time_limit_s + 2 * GRACE_S,
        )
        printed, _, code = output.decode(errors="replace").rpartition("\n")
        kept = self.folder / FOLDER / f"{when}-{role}-{phase}.txt"
        kept.parent.mkdir(exist_ok=True)
        took_s = time.monotonic() - began
        head = f"$ {shlex.join(command)}\nexit code {code} after {took_s:.1f} s on {visit.machine}\n"
        replace_file(kept, f"{head}{printed[-MOST_BYTES:]}".encode())
        if code != "0":
            raise _failed(scripts, phase, visit, code=code, printed=printed, kept=kept)

    def _bring(self, visit: Visit, scripts: Scripts, there: str) -> None:
        """Bring the inputs of a role once to a visit."""
        if there in visit.prepared:
            return
        visit.probe.make(visit.directory)
        visit.run(("mkdir", "-p", there), timeout_s=60.0)
        for path in scripts.inputs:
            visit.put(self.inputs.get(path, Path(path)), f"{there}/{Path(path).name}")
        visit.prepared.add(there)


def _named(visits: Sequence[Visit], when: str) -> Iterator[tuple[Visit, str]]:
    """Yield each visit with a name for what is kept of it; of several guests it has their number."""
    for number, visit in enumerate(visits):
        yield visit, f"{when}-{number}" if len(visits) > 1 else when


def _failed(
    scripts: Scripts, phase: Phase, visit: Visit, *, code: str, printed: str, kept: Path
) -> AssayError:
    """Return that a command failed, with its last words."""
    said = next((line.strip() for line in reversed(printed.splitlines()) if line.strip()), "")[:MOST_SAID]
    words = f"; it said: {said}" if said else ""
    how = f"exit code {code}"
    if code.isdecimal() and int(code) in _ENDED:
        how = f"no end within {scripts.time_limit_s:g} s"
    if phase is Phase.CHECK:
        msg = f"cannot measure on {visit.machine}: the check of {scripts.role} failed ({how}){words}"
        return MissingError(msg, hint=f"all that it printed: {kept}")
    msg = f"cannot go on: the {phase} of {scripts.role} failed on {visit.machine} ({how}){words}"
    return AssayError(msg, hint=f"all that it printed: {kept}")
