"""HTCondor: nodes held by jobs of its command line, or drained.

Source: ``man condor_submit``, ``condor_q``, ``condor_history``, ``condor_rm``, ``condor_status``,
``condor_ssh_to_job``, ``condor_drain`` of HTCondor 23.9; the manual's job and machine ClassAd attributes.
"""

from __future__ import annotations

import getpass
import re
import shlex
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar

from assay.machines.batch.classads import CLIENT, Ad, arguments, ask_ads, checked, quoted, submitted
from assay.machines.batch.engine import EngineError, Job, Node, Options, QueuedError, Standing
from assay.machines.batch.hold import CODES, SCRIPT
from assay.machines.batch.shared import Shared
from assay.model.errors import MissingError, UnknownNameError

ENDS_S, LOOK_S = 5.0, 0.25
LEASE_S = 120
"""A job whose node is lost counts as running for as long; by default 2400 s, longer than a lane is tried."""
SCANNED = 20_000
"""So many ended jobs are looked through for one of ours, the newest first."""
_IDLE, _RUNNING, _REMOVED, _HELD, _SUSPENDED = 1, 2, 3, 5, 7
_ALIVE = {_IDLE, _RUNNING, _SUSPENDED}
_SSH = "ssh -F none -T -oBatchMode=yes -oLogLevel=ERROR"
"""What ``condor_ssh_to_job`` runs with options of its own: the user's settings of SSH are for other hosts."""


class HTCondor:
    """HTCondor by its command line (``Engine``); one object serves all threads."""

    name: ClassVar[str] = "HTCondor"
    drains_under_jobs: ClassVar[bool] = False
    options: ClassVar[Mapping[str, str]] = {
        "cores": "so many cores instead of the whole node",
        "memory": "memory of the job, as request_memory has it: 8 GB",
        "accounting-group": "accounting group that it is charged to",
        "max-runtime": "its attribute MaxRuntime, in seconds, which some sites end jobs by",
    }

    def __init__(self) -> None:
        self._queue, self._slots = Shared(_queued), Shared(_all_slots)

    def nodes(self) -> tuple[Node, ...]:
        """Return all nodes by name; the operating system and the architecture's level are their features."""
        slots: dict[str, list[Ad]] = {}
        for ad in _slots("true"):
            slots.setdefault(ad.text("Machine"), []).append(ad)
        return tuple(_node(name, slots[name]) for name in sorted(slots))

    def submit(self, name: str, node: str, options: Options, words: Sequence[str]) -> str:
        """Submit the job that holds a node, whole or some of its cores; return its id."""
        cores, memory = _room(node, options)
        lines = {
            "universe": "vanilla",
            "batch_name": name,
            "executable": submitted(str(SCRIPT)),
            "arguments": arguments(words, "$(ClusterId).$(ProcId)"),
            "should_transfer_files": "YES",
            "when_to_transfer_output": "ON_EXIT",
            "transfer_output_files": '""',
            "requirements": submitted(f"TARGET.Machine == {quoted(node)}"),
            "request_cpus": cores,
            "request_memory": memory,
            "periodic_remove": f"JobStatus == {_HELD}",  # nobody is to release it
            "job_lease_duration": str(LEASE_S),
            "notification": "never",
        }
        if group := options.get("accounting-group"):
            lines["accounting_group"] = checked("accounting-group", group, r"[\w.@+-]+", "a group's name")
        if limit := options.get("max-runtime"):
            lines["+MaxRuntime"] = checked("max-runtime", limit, *_COUNT)
        text = "".join(f"{word} = {value}\n" for word, value in lines.items())
        try:
            told = CLIENT.ask("condor_submit", "-terse", given=f"{text}queue\n")
        finally:
            self._queue.forget()
        found = re.search(r"\d+\.\d+", told)
        if found is None:
            raise CLIENT.unreadable(told, "condor_submit")
        return found[0]

    def find(self, name: str) -> Job | None:
        """Return our job of that name that has not ended, the newest of several; known for as long as an
        answer is shared.
        """
        rows = (row for row in self._queue.get() if row.name == name and row.status in _ALIVE)
        newest = max(rows, key=lambda row: row.number, default=None)
        return None if newest is None else Job(newest.job, newest.status == _RUNNING, newest.why)

    def ended(self, job: str) -> str | None:
        """Return how a job ended, or why it is on hold, which is its end: HTCondor removes it then."""
        try:
            found = ask_ads("condor_q", "-attributes", _ENDS, job) or _past(job)
        except EngineError:
            return None
        return _end(found[0]) if found else None

    def cancel(self, job: str) -> None:
        """End a job: its script removes its keys, and what does not end is killed by HTCondor."""
        try:
            CLIENT.ask("condor_rm", job)
        except EngineError:
            self._queue.forget()
            if self._has(job):
                raise
        self._queue.forget()
        until = time.monotonic() + ENDS_S
        with suppress(EngineError):
            while time.monotonic() < until and self._has(job):
                time.sleep(LOOK_S)

    def inside(self, job: str, words: Sequence[str]) -> list[str]:
        """Return a command of a session in a job, its standard files passed on byte by byte."""
        return ["condor_ssh_to_job", "-ssh", _SSH, job, shlex.join(words)]

    def standing(self, node: str) -> Standing:
        """Return how a node stands: as the collector knows it where jobs are on it, else as its startd says.

        The collector learns of a drain, and of its end, up to some seconds later.
        """
        every = self._slots.get()
        if node not in every:
            raise UnknownNameError(kind="node", name=node, known=every)
        known = _standing(every[node])
        return known if not (known.empty or known.drained) else _standing(_asked(node))

    def drain(self, node: str, reason: str) -> None:
        """Let no job start on a node that has none; only administrators may.

        Raises:
            QueuedError: A job, or another's drain, is on it.
        """
        if (count := len({ad.said("MyAddress") for ad in self._slots.get().get(node, ())})) > 1:
            msg = f"cannot drain {node} of HTCondor: it has {count} startds, condor_drain drains one of them"
            raise EngineError(msg, hint="in a job: assay evaluate --engine htcondor")
        try:
            _change(node, "-reason", reason, "-check", _IDLE_SLOT)
        except EngineError as error:
            if not any(word in error.message for word in _MEANWHILE):
                raise
            msg = f"{node} of HTCondor has a job, or is drained by others, since it was looked at"
            raise QueuedError(msg) from error

    def undrain(self, node: str) -> None:
        """Let jobs start on a node again; only administrators may."""
        _change(node, "-cancel")

    def _has(self, job: str) -> bool:
        return any(row.job == job for row in self._queue.get())


@dataclass(frozen=True)
class _Row:
    """A job of ours in the queue."""

    job: str
    number: tuple[int, int]
    status: int
    why: str
    name: str


_ROWS = "ClusterId,ProcId,JobStatus,JobBatchName,LastRejMatchReason"
_OURS = 'regexp("^assay-[0-9a-f]+$", JobBatchName)'
_ENDS = "JobStatus,ExitCode,ExitBySignal,ExitSignal,RemoveReason,HoldReason,LastHoldReason"
_SLOTS = "Machine,SlotType,State,NumDynamicSlots,TotalSlotCpus,TotalSlotMemory,OpSysAndVer,Microarch"
_COUNT = (r"[1-9][0-9]{0,9}", "a whole number")


_STANDING = "Machine,MyAddress,SlotType,State,Draining,DrainReason"
_FREE = {"Unclaimed", "Owner", "Drained"}
_IDLE_SLOT = '(State == "Unclaimed" || State == "Owner") && SlotType =!= "Dynamic"'
"""What holds for each slot of a node without jobs; one that HTCondor cannot parse would be ignored."""
_MEANWHILE = ("check expression is false", "Draining already in progress")


def _all_slots() -> Mapping[str, Sequence[Ad]]:
    """Return all slots by node, parts of others too."""
    slots: dict[str, list[Ad]] = {}
    for ad in ask_ads("condor_status", "-attributes", _STANDING):
        slots.setdefault(ad.text("Machine"), []).append(ad)
    return slots


def _asked(node: str) -> Sequence[Ad]:
    """Return a node's slots as its startd itself knows them, now."""
    found = ask_ads("condor_status", "-attributes", _STANDING, "-direct", node)
    if not found:
        raise CLIENT.unreadable(said="", program="condor_status")
    return found


def _standing(slots: Sequence[Ad]) -> Standing:
    empty = all(ad.text("State") in _FREE and ad.said("SlotType") != "Dynamic" for ad in slots)
    drained = [ad for ad in slots if ad.words.get("Draining") is True or ad.text("State") == "Drained"]
    reasons = [reason for ad in drained if (reason := ad.said("DrainReason"))]
    return Standing(empty, bool(drained), reasons[0] if reasons else "")


def _change(node: str, *words: str) -> None:
    """Drain a node, or end that.

    Raises:
        MissingError: This user may not: HTCondor only says that its command could not be started, as it does
            of a node that does not answer.
    """
    try:
        CLIENT.ask("condor_drain", *words, node)
    except EngineError as error:
        if "Failed to start" not in error.message:
            raise
        _asked(node)
        msg = f"cannot drain {node} of HTCondor: administrators of it may, {getpass.getuser()} may not"
        raise MissingError(msg, hint="in a job anybody may: assay evaluate --engine htcondor") from error


def _queued() -> tuple[_Row, ...]:
    return tuple(_row(ad) for ad in ask_ads("condor_q", "-attributes", _ROWS, "-constraint", _OURS))


def _row(ad: Ad) -> _Row:
    number, status = (ad.number("ClusterId"), ad.number("ProcId")), ad.number("JobStatus")
    why = "it is suspended" if status == _SUSPENDED else ad.said("LastRejMatchReason") or "it is idle"
    return _Row(f"{number[0]}.{number[1]}", number, status, why, ad.text("JobBatchName"))


def _past(job: str) -> list[Ad]:
    """Return what is known of a job that has left the queue; nothing where there is no history."""
    with suppress(EngineError):
        words = ("-limit", "1", "-scanlimit", str(SCANNED), "-attributes", _ENDS, job)
        return ask_ads("condor_history", *words)
    return []


def _end(ad: Ad) -> str | None:
    """Return how a job ended."""
    status = ad.number("JobStatus")
    if status in _ALIVE:
        return None
    if status == _HELD:
        return f"it was held: {ad.said('HoldReason') or 'no reason is told'}"
    if status == _REMOVED:
        held = ad.said("HoldReason") or ad.said("LastHoldReason")
        return f"it was held: {held}" if held else ad.said("RemoveReason") or "it was removed"
    if ad.words.get("ExitBySignal") is True:
        return f"signal {ad.words.get('ExitSignal')}"
    code = str(ad.words.get("ExitCode"))
    return CODES.get(code) or f"exit code {code}"


def _slots(constraint: str) -> list[Ad]:
    """Return the slots that are not parts of others."""
    whole = f'({constraint}) && SlotType =!= "Dynamic"'
    return ask_ads("condor_status", "-attributes", _SLOTS, "-constraint", whole)


def _node(name: str, slots: Sequence[Ad]) -> Node:
    features = {ad.said(word) for ad in slots for word in ("OpSysAndVer", "Microarch")} - {None}
    taken = any(ad.words.get("NumDynamicSlots") for ad in slots)
    state = "Claimed" if taken else slots[0].text("State")
    cpus = sum(ad.number("TotalSlotCpus") for ad in slots)
    return Node(name, (), tuple(sorted(map(str, features))), state, cpus)


def _room(node: str, options: Options) -> tuple[str, str]:
    """Return the cores and the memory that a job is to have, as ``condor_submit`` has them.

    Raises:
        EngineError: There is no such node, or it cannot be had whole.
    """
    slots = _slots(f"Machine == {quoted(node)}")
    if not slots:
        msg = f"cannot hold {node}: HTCondor has no machine of this name"
        raise EngineError(msg, hint="condor_status -compact")
    largest = max(slots, key=lambda ad: ad.number("TotalSlotCpus"))
    every, all_memory = largest.number("TotalSlotCpus"), largest.number("TotalSlotMemory")
    cores, memory = options.get("cores"), options.get("memory")
    if cores is None:
        if len(slots) > 1:
            msg = f"cannot hold {node} whole: HTCondor has divided it into {len(slots)} slots"
            raise EngineError(msg, hint=f"--job cores={every}")
        cores = str(every)
    count = int(checked("cores", cores, *_COUNT))
    if memory is None:
        return cores, str(max(1, all_memory * min(count, every) // max(1, every)))
    return cores, checked("memory", memory, r"[1-9][0-9]*(\.[0-9]+)? ?([KMGT]B?)?", "a size, 8 GB")
