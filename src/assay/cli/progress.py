"""What the conductor does, as a person sees it on stderr: a live line on a terminal, plain lines
elsewhere.
"""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any, Self

from assay.cli.output import say, spelled
from assay.model.trial import PlannedTrial, State, Trial
from assay.model.units import format_seconds

QUIET_S = 10.0
"""Off a terminal a step's fraction is said at most this often."""


class Lines:
    """A watcher for files and pipes: one line an event, with the time since the start."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._printed_at = 0.0
        self._step = ""
        self._remaining = ""
        self._label = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing to put back."""

    def step(self, text: str, *, fraction: float | None = None) -> None:
        """Say that something begins; its progress now and then."""
        now = time.monotonic()
        if text == self._step and now - self._printed_at < QUIET_S:
            return
        self._step, self._printed_at = text, now
        if fraction is not None:
            text = f"{text} ({fraction:.0%}{_left(self._began, fraction)})"
        self._say(f"{text} {self._remaining}".rstrip())

    def progress(self, *, done: int, total: int, remaining_s: float) -> None:
        """Keep what is said with the next trial."""
        self._remaining = f"[{done}/{total}, about {format_seconds(remaining_s)} left]"

    def trial_started(self, planned: PlannedTrial, label: str) -> None:  # noqa: ARG002 - the treaty's
        """Keep the arm's name for the end, which says it all."""
        self._label = label

    def trial_over(self, trial: Trial) -> None:
        """Say how a trial ended."""
        self._say(f"{trial_text(trial, self._label)} {self._remaining}".rstrip())

    def look(self, text: str) -> None:
        """Say what is known so far."""
        self._say(text)

    def warn(self, sentence: str) -> None:
        """Say what went wrong."""
        self._say(f"warning: {sentence}")

    def _say(self, text: str) -> None:
        say(f"{time.monotonic() - self._began:6.1f} s  {text}")


class Live:
    """A watcher for a terminal: trials scroll by above one live line with a bar and the remaining time."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}"),
        )
        self._progress = Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False)
        self._task = self._progress.add_task("", total=None, left="")
        self._began = time.monotonic()
        self._total, self._label = 0, ""

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _e: BaseException | None, _t: TracebackType | None
    ) -> None:
        self._progress.stop()

    def step(self, text: str, *, fraction: float | None = None) -> None:
        """Show what is going on."""
        self._update(description=spelled(text))
        if fraction is not None and not self._total:
            left = _left(self._began, fraction).removeprefix(", ")
            self._update(total=100, completed=100 * fraction, left=left)

    def progress(self, *, done: int, total: int, remaining_s: float) -> None:
        """Move the bar."""
        self._total = total
        self._update(total=total, completed=done, left=f"about {format_seconds(remaining_s)} left")

    def trial_started(self, planned: PlannedTrial, label: str) -> None:
        """Show which trial runs."""
        self._label = label
        self._update(description=spelled(f"block {planned.block}, {label}: {planned.workload}"))

    def trial_over(self, trial: Trial) -> None:
        """Let the trial scroll by."""
        self._print(trial_text(trial, self._label))

    def look(self, text: str) -> None:
        """Let what is known so far scroll by."""
        self._print(text)

    def warn(self, sentence: str) -> None:
        """Let the warning scroll by."""
        self._print(f"warning: {sentence}")

    def _update(self, **fields: Any) -> None:
        # no thread of rich's own: it would run on whatever core is free, a measured one too
        self._progress.update(self._task, refresh=True, **fields)

    def _print(self, text: str) -> None:
        self._progress.console.print(spelled(text), markup=False, highlight=False)


def _left(began: float, fraction: float) -> str:
    """Return the time left of work that began then, from the fraction done; empty where it is too early."""
    if fraction <= 0.02:
        return ""
    return f", about {format_seconds((time.monotonic() - began) * (1 - fraction) / fraction)} left"


def watcher() -> Lines | Live:
    """Return the watcher that fits where stderr goes; use it as a context."""
    return Live() if sys.stderr.isatty() else Lines()


def trial_text(trial: Trial, label: str) -> str:
    """Return one line on how a trial on the arm of that label ended."""
    planned = trial.planned
    from assay.report.tables.tables import plain

    seconds = (trial.ended_ns - trial.started_ns) / 1e9
    outcome = "ended" if trial.state is State.ENDED else f"failed: {plain(trial.cause or '')}"
    return f"block {planned.block} {label:6} {planned.workload:14} {outcome} ({seconds:.1f} s)"
