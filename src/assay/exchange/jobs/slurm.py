"""Slurm: ``sacct --parsable2``, and the file of ``jobcomp/filetxt``.

Source: sacct(1) and slurm.conf(5) of Slurm 22.05 to 24.11. ``TotalCPU`` is the CPU time that was used;
    ``CPUTime`` and ``CPUTimeRAW`` are elapsed time times cores, and never read here. A job's own line has the
    sum of its steps, whose lines are passed over.
Limits: jobcomp tells no CPU time, and its times are the controller's local ones. An elapsed time without
    suspension is sacct's own; jobcomp's has it inside.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

from assay.exchange.errors import TableError
from assay.exchange.jobs.job import Damaged, DamageError, EventsOf, Job, LeftOut, Told, above_zero, number

Lines = Iterator[tuple[int, str]]
"""Lines with their numbers."""
_DURATION = re.compile(r"(?:(?:(\d{1,6})-)?(\d{1,3}):)?(\d{1,3}):(\d{1,3}(?:\.\d{1,9})?)", re.ASCII)
_PAIR = re.compile(r"\b(\w+)=(.*?)(?= \w+=|$)")
_SEVERAL = re.compile(r"[\[,]")
_NOBODY = frozenset({"", "None assigned", "(null)", "None"})
_NEVER = frozenset({"", "Unknown", "None"})
STATES: Mapping[str, str | None] = {
    "COMPLETED": None,
    "FAILED": "failed",
    "CANCELLED": "cancelled",
    "TIMEOUT": "timed out",
    "DEADLINE": "timed out",
    "OUT_OF_MEMORY": "out of memory",
    "NODE_FAIL": "lost with its node",
    "BOOT_FAIL": "lost with its node",
    "LAUNCH_FAILED": "failed",
    "RECONFIG_FAIL": "failed",
    "PREEMPTED": "preempted",
    "REVOKED": "cancelled",
    **dict.fromkeys(
        ("PENDING", "RUNNING", "SUSPENDED", "REQUEUED", "RESIZING", "COMPLETING", "CONFIGURING", "SIGNALING",
         "STAGE_OUT", "STOPPED", "SPECIAL_EXIT", "REQUEUE_HOLD", "REQUEUE_FED", "RESV_DEL_HOLD", "EXPEDITING",
         "POWER_UP_NODE", "UPDATE_DB"),
        "not ended",
    ),
}  # fmt: skip
"""How a job ended, by its state; ``None`` is as it should."""


def is_sacct(first: str) -> bool:
    """Tell whether a file's first line is a heading of sacct's."""
    return "|" in first and "jobid" in first.lower().split("|")


def is_jobcomp(first: str) -> bool:
    """Tell whether a file's first line is one of jobcomp's."""
    return first.startswith("JobId=") and " JobState=" in first


def read_sacct(lines: Lines, file: str, events: EventsOf) -> Iterator[Told]:
    """Yield what the lines of ``sacct --parsable2`` tell, the heading first.

    Raises:
        TableError: A column is missing.
    """
    heading = next(lines)[1]
    names = [name.strip().lower() for name in heading.split("|")]
    columns = {name: at for at, name in enumerate(names) if name}
    _check(columns, file, events)
    for line, text in lines:
        cells = text.split("|")
        if text == heading or (len(cells) == len(names) and "." in cells[columns["jobid"]]):
            continue  # a second export, or a step
        try:
            if len(cells) != len(names):
                raise DamageError(expected=f"{len(names)} cells", actual=len(cells))
            yield _job(_Cells(columns, cells), events)
        except DamageError as error:
            yield Damaged(f"{file}:{line}", error.expected, error.actual)


def _check(columns: Mapping[str, int], file: str, events: EventsOf) -> None:
    needed = {"jobid": "JobID", "state": "State", "nodelist": "NodeList"}
    lacking = [word for name, word in needed.items() if name not in columns]
    if not {"elapsed", "elapsedraw"} & columns.keys():
        lacking.append("ElapsedRaw")
    if isinstance(events, str) and events.lower() not in columns:
        lacking.append(events)
    if lacking:
        expected, got = f"the columns {', '.join(lacking)}", f"{', '.join(columns):.200}"
        hint = "docs/jobs.md has the command of sacct that tells all that is read"
        raise TableError(place=f"{file}:1", expected=expected, actual=got, hint=hint)


class _Cells:
    """The cells of a line, by the names of their columns; one that is not there is empty."""

    def __init__(self, columns: Mapping[str, int], cells: Sequence[str]) -> None:
        self._columns, self._cells = columns, cells

    def __call__(self, *names: str) -> str:
        """Return the first cell of these columns that holds something."""
        for name in names:
            at = self._columns.get(name)
            if at is not None and self._cells[at]:
                return self._cells[at].strip()
        return ""


def _job(cell: _Cells, events: EventsOf) -> Job | LeftOut:
    code, node = cell("exitcode"), cell("nodelist")
    own = cell("jobidraw", "jobid")
    why = _why(cell("state"), code, node)
    if why is not None:
        return LeftOut(why, own)
    raw = cell("elapsedraw")
    wall = above_zero(number(raw, "seconds in ElapsedRaw") if raw else _duration(cell("elapsed"), "Elapsed"))
    if wall is None:
        return LeftOut("without wall time")
    cores = cell("alloccpus", "ncpus")
    return Job(
        name=cell("jobname"),
        node=node,
        cores=(int(number(cores, "a number in AllocCPUS")) or None) if cores else None,
        wall_s=wall,
        cpu_s=above_zero(_cpu(cell)),
        events=_events(cell(events.lower()) if isinstance(events, str) else "", events),
        start_s=_moment(cell("start"), "Start"),
        number=own,
    )


def _why(state: str, code: str, node: str) -> str | None:
    """Return why a job is left out; ``None`` where it is not."""
    word = state.partition(" ")[0].rstrip("+")
    if word not in STATES:
        raise DamageError(expected="a state of Slurm's", actual=state)
    why = STATES[word]
    if why is None and code not in ("", "0:0"):
        why = "failed"
    if why is None and node in _NOBODY:
        why = "without a node"
    return "on several nodes" if why is None and _SEVERAL.search(node) else why


def _cpu(cell: _Cells) -> float | None:
    if total := cell("totalcpu"):
        return _duration(total, "TotalCPU")
    user, system = cell("usercpu"), cell("systemcpu")
    return _duration(user, "UserCPU") + _duration(system, "SystemCPU") if user and system else None


def _duration(text: str, column: str) -> float:
    """Return the seconds of ``[[days-]hours:]minutes:seconds``, with or without decimals."""
    found = _DURATION.fullmatch(text)
    if found is None:
        raise DamageError(expected=f"a time like 1-02:03:04 in {column}", actual=text)
    days, hours, minutes = (int(part or 0) for part in found.groups()[:3])
    return ((days * 24 + hours) * 60 + minutes) * 60 + float(found[4])


def _moment(text: str, column: str) -> float | None:
    if text in _NEVER:
        return None
    try:
        moment = datetime.fromisoformat(text) if not text.isdigit() else None
    except ValueError:
        raise DamageError(expected=f"a time like 2026-05-01T12:00:00 in {column}", actual=text) from None
    if moment is None:
        return number(text, "a time since 1970")
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _events(text: str, events: EventsOf) -> float | None:
    if isinstance(events, str):
        return above_zero(number(text, f"a number of events in {events}")) if text else None
    return events


def read_jobcomp(lines: Lines, file: str, events: EventsOf) -> Iterator[Told]:
    """Yield what the lines of ``jobcomp/filetxt`` tell; ``NAME=VALUE`` is a column."""
    for line, text in lines:
        pairs = {name.lower(): value.strip() for name, value in _PAIR.findall(text.strip())}
        try:
            if "jobid" not in pairs or "jobstate" not in pairs:
                raise DamageError(expected="a line of jobcomp with JobId= and JobState=", actual=text)
            yield _completed(pairs, events)
        except DamageError as error:
            yield Damaged(f"{file}:{line}", error.expected, error.actual)


def _completed(pairs: Mapping[str, str], events: EventsOf) -> Job | LeftOut:
    node = pairs.get("nodelist", "")
    why = _why(pairs["jobstate"], pairs.get("exitcode", ""), node)
    if why is not None:
        return LeftOut(why, pairs["jobid"])
    start, end = (_moment(pairs.get(f"{name}time", ""), f"{name.title()}Time") for name in ("start", "end"))
    wall = above_zero(None if start is None or end is None else end - start)
    if wall is None:
        return LeftOut("without wall time")
    cores = pairs.get("proccnt", "")
    return Job(
        name=pairs.get("name", ""),
        node=node,
        cores=(int(number(cores, "a number in ProcCnt")) or None) if cores else None,
        wall_s=wall,
        cpu_s=None,
        events=_events(pairs.get(events.lower(), "") if isinstance(events, str) else "", events),
        start_s=start,
        number=pairs["jobid"],
    )
