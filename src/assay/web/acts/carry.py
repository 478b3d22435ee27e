"""What carries requests out: each becomes one command of ``assay``, by an argument list."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

from assay.model.errors import AssayError, Exit, MissingError
from assay.model.files.program import Ended, run_program
from assay.scenes.find import check_scene_name
from assay.web.access.audit import Audit
from assay.web.access.person import Person, require_role
from assay.web.acts.planner import Planner
from assay.web.acts.requests import Act, OfScene, PlanScene, SaveScene

WAIT_S = 180.0
"""Longest that a command may take whose end is waited for."""
BEGIN_S = 2.0
"""A command that goes on is taken for begun after this."""
AT_ONCE = 8
"""Commands whose end is waited for, at a time; one that goes on is waited for until it has begun."""


@dataclass(frozen=True)
class Done:
    """What came of a request.

    Attributes:
        code: Exit code of its command (docs/exit-codes.md); ``None`` while it goes on.
        said: What it said, for people.
        answer: What it printed as JSON; ``None`` where it printed none.
    """

    code: int | None
    said: str
    answer: dict[str, Any] | None = None


class FailedError(AssayError):
    """A request's command has failed.

    Args:
        done: What came of it.
    """

    def __init__(self, done: Done) -> None:
        lines = [line for line in done.said.splitlines() if line.strip()]
        hints = [line.removeprefix("hint: ") for line in lines if line.startswith("hint: ")]
        told = [line for line in lines if not line.startswith("hint: ")]
        message = told[-1].removeprefix("error: ") if told else f"the command ended with {done.code}"
        super().__init__(message, hint=hints[0] if hints else None)
        self.done = done
        self.exit_code = Exit(done.code) if done.code in set(Exit) else Exit.BUG


class Carrier(Protocol):
    """Carries requests out."""

    def carry_out(self, act: Act, person: Person) -> Done:
        """Carry a request out.

        Args:
            act: What is asked.
            person: Who asks.

        Raises:
            RefusedError: They may not.
            UnknownNameError: There is no scene of a name.
            MissingError: Too many commands run.
            FailedError: Its command has failed.
        """
        ...

    def close(self) -> None:
        """End what waits for the next request."""
        ...


class Machines(Protocol):
    """Tells which machines operators may use."""

    def check(self, act: Act, person: Person) -> None:
        """Make sure that all machines of a request are open to an operator; admins may use all.

        Raises:
            RefusedError: One is not.
        """
        ...


class Commands:
    """Carries requests out as the user who runs this process.

    Args:
        home: Folder of all state.
        audit: Where each request is written down.
        machines: Tells which machines operators may use; ``None`` is all.
    """

    def __init__(self, home: Path, audit: Audit, *, machines: Machines | None = None) -> None:
        self._home, self._audit, self._machines = home, audit, machines
        self._running = threading.BoundedSemaphore(AT_ONCE)
        self._planner = Planner(self._env())

    def carry_out(self, act: Act, person: Person) -> Done:
        """Carry a request out; as ``Carrier``. It is written down before its command begins, so that none is
        without a line, and again with what came of it.
        """
        try:
            self._check(act, person)
        except AssayError as error:
            self._audit.write(person, act, refused=error.message)
            raise
        try:
            self._audit.write(person, act)
            done = (self._begin if act.goes_on else self._run)(act, person)
        finally:
            self._running.release()
        if done.code is not None:
            self._audit.write(person, act, code=done.code)
        found = act.finds and done.answer is not None
        if done.code not in {None, Exit.DONE} and not found:
            raise FailedError(done)
        return done

    def close(self) -> None:
        """End the process that waits for the next plan; as ``Carrier``."""
        self._planner.close()

    def _check(self, act: Act, person: Person) -> None:
        """Make sure that a request may be carried out now, and count it among those that are."""
        check_allowed(act, person)
        if isinstance(act, OfScene):
            check_scene_name(act.scene, self._home)
        if self._machines is not None:
            self._machines.check(act, person)
        if not self._running.acquire(blocking=False):
            msg = f"cannot do that now: {AT_ONCE} commands run"
            raise MissingError(msg, hint="wait until one has ended")

    def _run(self, act: Act, person: Person) -> Done:
        if isinstance(act, PlanScene):
            return self._planned(act.words())
        if not isinstance(act, SaveScene):
            return self._ended(_words(act))
        with TemporaryDirectory(prefix="assay-") as folder:
            text = Path(folder, f"{act.name}.yaml")
            text.write_text(act.text, errors="surrogateescape")
            return self._ended([*_words(act), f"--by={person.name}", "--", act.name, str(text)])

    def _ended(self, words: list[str]) -> Done:
        return self._done(lambda: run_program(words, timeout_s=WAIT_S, variables=self._env()))

    def _planned(self, words: list[str]) -> Done:
        return self._done(lambda: self._planner.run(words, timeout_s=WAIT_S))

    def _done(self, run: Callable[[], Ended]) -> Done:
        try:
            ran = run()
        except subprocess.TimeoutExpired:
            return Done(int(Exit.MISSING), f"it took longer than {WAIT_S:.0f} s and was ended")
        return Done(ran.code, ran.stderr, _json(ran.stdout))

    def _begin(self, act: Act, person: Person) -> Done:
        """Start a command that goes on; what it says is kept, and told where it ends at once. Else its end is
        written down when it comes.
        """
        if (trial := act.trial_words()) is not None and (tried := self._planned(trial)).code:
            return tried
        folder = self._home / "serve"
        folder.mkdir(mode=0o700, exist_ok=True)
        log = folder / f"{act.kind}-{time.time_ns()}.log"  # type: ignore[attr-defined]
        with log.open("w+b") as said:
            begun = subprocess.Popen(
                _words(act), stdin=subprocess.DEVNULL, stdout=said, stderr=said, env=self._env(),
                start_new_session=True,
            )  # fmt: skip
            with contextlib.suppress(subprocess.TimeoutExpired):
                code = begun.wait(BEGIN_S)
                return Done(code, log.read_text(errors="replace"))
        threading.Thread(target=self._note_end, args=(begun, act, person), daemon=True).start()
        return Done(None, "begun")

    def _note_end(self, begun: subprocess.Popen[bytes], act: Act, person: Person) -> None:
        self._audit.write(person, act, code=begun.wait())

    def _env(self) -> dict[str, str]:
        return {**os.environ, "ASSAY_HOME": str(self._home), "NO_COLOR": "1", "COLUMNS": "200"}


def _words(act: Act) -> list[str]:
    return [sys.executable, "-P", "-m", "assay", *act.words()]


def check_allowed(act: Act, person: Person) -> None:
    """Make sure that a person may send a request.

    Raises:
        RefusedError: They may not.
    """
    require_role(person, act.role, "do that")


def _json(text: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
