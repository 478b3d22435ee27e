"""A probe at work on a machine."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal, TypeVar

from assay.model.errors import MissingError
from assay.model.files.native import PROBE, how_to_get
from assay.model.machines.clock import ClockReading, Instant
from assay.model.machines.machine import Facts, Fingerprint
from assay.model.work.page_cache import Residency
from assay.model.work.workload import Program
from assay.probe.clock import Exchange, StartTime, read_clock, start_time
from assay.probe.content import MOST_BYTES, Content, write_content
from assay.probe.conversation import ANSWER_S, Conversation
from assay.probe.decode import decode
from assay.probe.door import Door
from assay.probe.errors import LostJobError, OverdueError, ProbeError, ProgramMissingError, ResultError
from assay.probe.facts import read_fingerprint
from assay.probe.result import RunResult, parse_result
from assay.probe.spec import PROTOCOL, Spec
from assay.probe.status import Hashed, HashedFile, JobState, Place, Space, Status, Version

T = TypeVar("T")

DIGEST_S = 300.0
"""Hashing an executable and its libraries takes an emulated processor a while."""
CACHE_S = 600.0
"""Files are read whole, or written out, at the pace of the storage."""
HELD_S = 30.0
"""A machine that is waited for gives a sign of life this often; of one that is silent nobody would learn."""
MOST_RESULT_BYTES = 256 << 20
"""Of a record: 4,096 copies with 100 phases each take 200 MB."""


class Probe:
    """A probe that serves on a machine; one channel for the life of the session.

    Each method is one question, asked once; ``UnreachableError`` of the door passes through all of them,
    and jobs go on meanwhile: attach again and ask on. Made by ``Probe.attach``.

    Attributes:
        path: Where the probe lies there; a workload may run it as ``{probe}``.
    """

    def __init__(self, door: Door, path: str, conversation: Conversation) -> None:
        self.path = path
        self._door, self._conversation = door, conversation
        self._carried: dict[str, str] = {}

    @classmethod
    def attach(cls, door: Door) -> Probe:
        """Ship the probe if the machine has not got this very one, and start it serving.

        Raises:
            MissingError: There is no probe here, or it cannot be run there.
            ProbeError: It speaks another protocol.
        """
        path = place_of(door, "probe", PROBE.sha256())
        words = ("serve", "--home", door.folder)
        channel = door.open_own(path, PROBE.sha256(), words)
        if channel is None:
            channel = door.open([ship(door), *words])
        probe = cls(door, path, Conversation(channel, door.name))
        try:
            probe._check_version()
        except BaseException:
            channel.close()
            raise
        return probe

    def version(self) -> Version:
        """Return what speaks there."""
        return self._read(Version, self._conversation.ask("version"), "the version")

    def facts(self) -> Facts:
        """Return what the probe sees of the machine."""
        return self.fingerprint().facts

    def fingerprint(self) -> Fingerprint:
        """Return all that the probe sees of the machine."""
        return read_fingerprint(self._conversation.ask("facts"), machine=self._door.name)

    def record(self, into: str) -> None:
        """Write what the probe reads of the machine into a new folder there, names stripped.

        Raises:
            ProbeError: The folder is there already, or cannot be written.
        """
        self._conversation.ask("record", into=into)

    def find(self, program: str) -> str:
        """Return where a program lies there; a name is looked up in ``PATH``, and nothing of it is read.

        Raises:
            ProgramMissingError: It is not there.
        """
        try:
            answer = self._conversation.ask("find", program=program)
        except MissingError as error:
            raise ProgramMissingError(program, self._door.name) from error
        return self._read(Place, answer, f"the place of {program}").path

    def digest(
        self, program: str, script: str | None = None, known: MutableMapping[str, HashedFile] | None = None
    ) -> Program:
        """Return an executable and its libraries by content; a name is looked up in ``PATH`` there.

        Args:
            program: Name, or absolute path.
            script: Absolute path of what it interprets: counted as a library where it is a file there.
            known: Files by path that machines with the same disk were seen to have: those that are the same
                still are read, but not hashed again. What is found is added.

        Raises:
            ProgramMissingError: It is not there.
        """
        try:
            reported = [asdict(file) for file in list((known or {}).values())]
            answer = self._conversation.ask(
                "digest", program=program, script=script, known=reported, timeout_s=DIGEST_S
            )
        except MissingError as error:
            raise ProgramMissingError(program, self._door.name) from error
        if known is not None:
            hashed = self._read(Hashed, answer, f"the digest of {program}")
            known.update((file.path, file) for file in (hashed.executable, *hashed.libraries))
        return self._read(Program, answer, f"the digest of {program}")

    def clock(self) -> Exchange:
        """Ask the time once."""
        real = time.time_ns()
        sent = time.monotonic_ns()
        answer = self._conversation.ask("clock")
        received = time.monotonic_ns()
        there = self._read(Instant, answer, "the time")
        return Exchange(
            sent_ns=sent,
            received_ns=received,
            real_ns=real + (received - sent) // 2,
            there_mono_ns=there.mono_ns,
            there_real_ns=there.real_ns,
        )

    def compare_clock(self, exchanges: int = 12) -> ClockReading:
        """Compare the machine's clock with this one's by the quickest of some exchanges."""
        return read_clock([self.clock() for _ in range(exchanges)])

    def start_at(self, here_ns: int) -> StartTime:
        """Return a moment of this process's monotonic clock on the machine's, compared just now.

        For a common start of jobs on several machines, give each machine's to its job as
        ``Start.at_mono_ns``; the moment must be far enough ahead for all of them to be started by then.

        Args:
            here_ns: The moment, as ``time.monotonic_ns`` tells it.
        """
        return start_time(self.compare_clock(), here_ns)

    def start(self, spec: Spec, into: str) -> None:
        """Start a job, detached; it writes to the folder ``into`` there, which nothing else may use.

        Raises:
            ProbeError: The spec is refused, or the folder holds a job already.
        """
        self._conversation.ask("run", spec=spec.as_json(), into=into)

    def status(self, into: str) -> Status:
        """Return where a job is."""
        return self._read(Status, self._conversation.ask("status", into=into), "the status")

    def wait(
        self,
        into: str,
        *,
        limit_s: float,
        on_tick: Callable[[], None] | None = None,
        tick_s: float = 0.5,
    ) -> None:
        """Wait until a job has ended; the machine is asked once and left alone until then, but for a sign of
        life.

        Args:
            into: The job's folder.
            limit_s: Give up after this.
            on_tick: Called about every ``tick_s``.
            tick_s: Time between two calls.

        Raises:
            LostJobError: Its supervisor is gone without a result, or there is no such job.
            OverdueError: It still runs after ``limit_s``.
        """
        deadline = time.monotonic() + limit_s
        while (state := self._held(into, deadline, on_tick or _nothing, tick_s).state) is JobState.RUNNING:
            if time.monotonic() >= deadline:
                msg = (
                    f"cannot wait for {into} on {self._door.name} any longer: it still runs after "
                    f"{limit_s:g} s"
                )
                raise OverdueError(msg, machine=self._door.name, hint="assay activity stop")
        if state is not JobState.ENDED:
            msg = f"cannot find the result of {into} on {self._door.name}: the job is {state}"
            hint = "was the machine restarted, or the probe killed?"
            raise LostJobError(msg, machine=self._door.name, hint=hint)

    def _held(self, into: str, deadline: float, tick: Callable[[], None], tick_s: float) -> Status:
        held_s = min(HELD_S, max(0.0, deadline - time.monotonic()))
        answer = self._conversation.ask_patiently(
            "wait", tick=tick, tick_s=tick_s, timeout_s=held_s + ANSWER_S, into=into, limit_s=held_s
        )
        return self._read(Status, answer, "the status")

    def stop(self, into: str) -> None:
        """Tell a job to stop: SIGTERM, SIGKILL after its grace; its result is still written.

        Raises:
            ProbeError: There is no such job.
        """
        self._conversation.ask("stop", into=into)

    def fetch(self, into: str, here: Path) -> RunResult:
        """Copy a job's folder and read its result; the folder there is left as it is.

        Raises:
            LostJobError: The job has left no result (it runs yet, or was lost).
            ResultError: The result is damaged or of a newer protocol.
        """
        self._copy(into, here)
        try:
            with (here / "probe.json").open("rb") as file:
                data = file.read(MOST_RESULT_BYTES + 1)
        except FileNotFoundError as error:
            msg = f"cannot read the result of {into} on {self._door.name}: no probe.json there"
            raise LostJobError(msg, machine=self._door.name, hint="has the job ended?") from error
        except OSError as error:
            msg = f"cannot read {here / 'probe.json'}: {error.strerror}"
            raise ResultError(msg) from error
        if len(data) > MOST_RESULT_BYTES:
            msg = f"cannot read {here / 'probe.json'}: expected at most {MOST_RESULT_BYTES >> 20} MiB"
            raise ResultError(msg)
        return parse_result(data, origin=str(here / "probe.json"))

    def _copy(self, into: str, here: Path) -> None:
        """Copy a folder here: packed into one answer, or file by file where that is too much."""
        try:
            answer = self._conversation.ask("content", path=into, most_bytes=MOST_BYTES)
        except (MissingError, ProbeError):
            self._door.get(into, here)  # which says what is wrong with it
            return
        what = f"the content of {into}"
        content = self._read(Content, answer, what)
        if content.packed is None:
            self._door.get(into, here)
            return
        try:
            write_content(content, here)
        except ValueError as error:
            name = self._door.name
            msg = f"cannot understand {what} on {name}: {error}"
            raise ProbeError(msg, machine=name) from error

    def carry(self, program: Path, *, sha256: str) -> str:
        """Put a program into the machine's folder under its content's name, once; return its path there.

        Args:
            program: Its file here, which keeps its name there.
            sha256: Digest of its content in hex.
        """
        if sha256 not in self._carried:
            self._carried[sha256] = lay(self._door, program, program.name, sha256=sha256)
        return self._carried[sha256]

    def size(self, path: str) -> int | None:
        """Return the bytes of a regular file there, or ``None`` if there is none."""
        return self._door.size(path)

    def bring(self, path: str, here: Path) -> None:
        """Copy a file or folder there to here; ``AssayError`` of the door passes through."""
        self._door.get(path, here)

    def make(self, path: str) -> None:
        """Make a folder and its parents."""
        self._conversation.ask("make", path=path)

    def remove(self, path: str) -> None:
        """Remove a file or folder below our folder there.

        Raises:
            ProbeError: It lies elsewhere, or something is mounted in it.
        """
        self._conversation.ask("remove", path=path)

    def space(self, path: str) -> Space:
        """Return the room on the file system of a path."""
        return self._read(Space, self._conversation.ask("space", path=path), "the space")

    def claim(self, by: Mapping[str, str | int]) -> Mapping[str, Any] | None:
        """Claim the machine for as long as this session lasts: one activity at a time measures it.

        Args:
            by: Who claims it, for whoever is refused.

        Returns:
            Who holds it; ``None`` where it is ours now.
        """
        held_by = self._conversation.ask("claim", by=dict(by)).get("held_by")
        return held_by if isinstance(held_by, dict) else None

    def cache(self, act: Literal["residency", "evict", "preload"], paths: Sequence[str]) -> Residency:
        """Take files there out of the page cache, or load them, and return what is then in memory.

        Files are written out before they are evicted. What a running process has mapped stays.

        Args:
            act: ``residency`` only looks.
            paths: Files and folders, absolute.

        Raises:
            MissingError: One of them is not there.
            ProbeError: One of them cannot be read.
        """
        answer = self._conversation.ask("cache", act=act, paths=list(paths), timeout_s=CACHE_S)
        return self._read(Residency, answer, "the page cache")

    def close(self) -> None:
        """End the session; jobs go on. The door stays open."""
        self._conversation.close()

    def _check_version(self) -> None:
        there = self.version()
        if there.protocol[0] != PROTOCOL[0]:
            msg = (
                f"cannot use the probe on {self._door.name}: "
                f"expected protocol {PROTOCOL[0]}, it speaks {there.protocol[0]}"
            )
            raise ProbeError(msg, machine=self._door.name, hint=how_to_get())

    def _read(self, kind: type[T], answer: object, what: str) -> T:
        name = self._door.name
        return decode(
            kind, answer, what=f"{what} of {name}", error=lambda message: ProbeError(message, machine=name)
        )


def ship(door: Door) -> str:
    """Put the probe into a machine's folder under its content's name, unless it lies there; return its path.

    Raises:
        MissingError: The probe has not been built.
    """
    return lay(door, PROBE.path(), "probe", sha256=PROBE.sha256())


def lay(door: Door, here: Path, name: str, *, sha256: str) -> str:
    """Put a program into a machine's folder under the name of its content, unless it lies there; return its
    path.

    What lies there is looked at each time: a name or a size could be anybody's.

    Args:
        door: To the machine.
        here: The program's file here.
        name: Beginning of its name there.
        sha256: Digest of its content in hex.
    """
    there = place_of(door, name, sha256)
    if door.digest(there) != sha256:
        door.put(here, there, executable=True)
    return there


def place_of(door: Door, name: str, sha256: str) -> str:
    """Return where a program lies in a machine's folder: under the name of its content."""
    return f"{door.folder}/{name}-{sha256[:16]}"


def _nothing() -> None:
    pass
