"""What went wrong in an activity so far, the newest first: trials that failed, and doubts about trials."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from assay.activities.following import Part
from assay.model.trial import State, Trial
from assay.report.doubts import worded

LOG = "conductor.log"
"""In an activity's folder: what the process said that conducts it unattended."""
TAIL_BYTES = 8192


@dataclass(frozen=True)
class FailedTrial:
    """A trial that failed.

    Attributes:
        machine: Name of the machine whose part it belongs to.
        trial: What it was: block, arm and workload.
        cause: Why it failed; ``None`` where its record does not say.
    """

    machine: str
    trial: str
    cause: str | None


@dataclass(frozen=True)
class TrialDoubt:
    """A doubt about a trial, or about the plan from the start.

    Attributes:
        code: Its stable word.
        sentence: One full sentence.
        machine: Name of the machine whose part it belongs to.
        trial: The newest trial that raised it; ``None`` for the plan.
        times: How many trials of that machine raised it.
    """

    code: str
    sentence: str
    machine: str
    trial: str | None
    times: int


def failed_trials(parts: Iterable[Part]) -> tuple[FailedTrial, ...]:
    """Return the trials that failed, the newest first."""
    failed = [
        (record.ended_ns, FailedTrial(part.machine, _named(part, record), record.cause))
        for part in parts
        for record in part.records
        if record.state is State.FAILED
    ]
    return tuple(one for _, one in sorted(failed, key=lambda pair: pair[0], reverse=True))


def trial_doubts(parts: Iterable[Part]) -> tuple[TrialDoubt, ...]:
    """Return the doubts of each part, each code once in the words of its newest trial, the newest first."""
    found = [one for part in parts for one in _doubts(part)]
    return tuple(one for _, one in sorted(found, key=lambda pair: pair[0], reverse=True))


def _doubts(part: Part) -> Iterator[tuple[int, TrialDoubt]]:
    newest: dict[str, tuple[Trial, str]] = {}
    times: dict[str, int] = {}
    for record in part.records:
        doubts = {doubt.code: doubt for doubt in map(worded, record.doubts)}
        for code, doubt in doubts.items():
            newest[code] = (record, doubt.sentence)
            times[code] = times.get(code, 0) + 1
    for code, (record, sentence) in newest.items():
        yield record.ended_ns, TrialDoubt(code, sentence, part.machine, _named(part, record), times[code])
    for code, sentence in part.plan.doubts:
        yield part.plan.created_ns, TrialDoubt(code, sentence, part.machine, None, 0)


def _named(part: Part, record: Trial) -> str:
    planned = record.planned
    return f"block {planned.block} {part.plan.arm_of(planned).label} {planned.workload}"


def log_tail(folder: Path, lines: int) -> tuple[str, ...]:
    """Return the last lines that the process said which conducts an activity; none where no log is kept."""
    try:
        with (folder / LOG).open("rb") as file:
            end = file.seek(0, 2)
            file.seek(max(0, end - TAIL_BYTES))
            text = file.read(TAIL_BYTES).decode(errors="replace")
    except OSError:
        return ()
    told = [line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n")]
    whole = told[1:] if end > TAIL_BYTES else told
    return tuple([line for line in whole if line.strip()][-lines:])
