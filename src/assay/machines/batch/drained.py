"""Machines by SSH that are nodes of a batch system, drained while they are measured.

A node is noted before it is drained, in ``run/drained`` of the home, and who measures it holds the lock of
the note. A note that nobody holds is of an assay that was killed: ``undrain_left`` gives its node back.
"""

from __future__ import annotations

import hashlib
import json
import os
import socket
from pathlib import Path
from typing import TextIO

from assay.machines.batch.engine import Engine, QueuedError
from assay.machines.batch.engines import engine_named
from assay.machines.batch.lock import open_lock, take_lock
from assay.machines.batch.taken import taken
from assay.model.errors import AssayError, UnknownNameError
from assay.model.fleet import Drain
from assay.model.machines.machine import Machine

_NOTES = ("run", "drained")


class DrainedError(AssayError):
    """A node is drained by others."""


class Drained:
    """The nodes that a process has drained; they are its own until it ends.

    Args:
        drain: By which batch system, and how.
        home: Where they are noted.
    """

    def __init__(self, drain: Drain, *, home: Path) -> None:
        self._drain, self._home = drain, home
        self._held: dict[str, TextIO] = {}
        self._nodes: dict[str, str] = {}  # by machine: a lane that waits asks every few seconds

    def take(self, machine: Machine) -> None:
        """Drain a machine's node, and go on once no job is on it.

        Raises:
            QueuedError: Jobs are on it: it is to be asked for again later.
            DrainedError: It is drained by others.
            UnknownNameError: The batch system has no such node.
            EngineError: The batch system refuses, or does not answer.
        """
        _, engine = engine_named(self._drain.engine)
        if machine.name not in self._nodes:
            self._nodes[machine.name] = node_of(machine, engine)
        node, ours = self._nodes[machine.name], _mark(self._home)
        now = engine.standing(node)
        if now.drained and ours not in now.reason:
            why = now.reason or "no reason is said"
            msg = f"cannot drain {node} of {engine.name}: it is drained already: {why}"
            raise DrainedError(msg, hint="whoever has drained it gives it back")
        if self._drain.when_idle and not now.empty:
            self.give_back(machine)
            msg = f"{machine.name} is left to its jobs, and taken once none is on it"
            raise QueuedError(msg)
        if machine.name not in self._held:
            self._held[machine.name] = _noted(self._home, machine.name, self._drain.engine, node)
        if not now.drained:
            engine.drain(node, f"assay measures it ({ours})")
            now = engine.standing(node)
        if not now.empty:
            msg = f"{machine.name} is drained, and still has jobs"
            raise QueuedError(msg)

    def give_back(self, machine: Machine) -> None:
        """Give a machine's node back, if this process has drained it.

        Raises:
            EngineError: The batch system refuses, or does not answer.
        """
        if machine.name in self._held:
            _undrain(self._home, self._held[machine.name])
            self._held.pop(machine.name).close()


def node_of(machine: Machine, engine: Engine) -> str:
    """Return the node that a machine is: of its name, of its address, or of the first word of that.

    Raises:
        UnknownNameError: There is none.
    """
    host = machine.host or machine.name
    known = {node.name for node in engine.nodes()}
    for name in (machine.name, host, host.partition(".")[0]):
        if name in known:
            return name
    raise UnknownNameError(kind=f"node of {engine.name}", name=machine.name, known=known)


def left(home: Path) -> tuple[str, ...]:
    """Return the machines whose nodes an assay of this home has drained that runs no more."""
    return tuple(one.machine for one in taken(home) if one.job is None and not one.used)


def undrain_left(home: Path, machine: str) -> bool:
    """Give back a node that ``left`` names; tell whether it was: somebody may measure it again.

    Raises:
        EngineError: The batch system refuses, or does not answer.
    """
    with _opened(home, machine) as note:
        if not take_lock(note):
            return False
        _undrain(home, note)
        return True


def _mark(home: Path) -> str:
    """Return the word by which a home knows what it has drained itself."""
    host = socket.gethostname()
    return f"{host}:{hashlib.sha256(f'{host} {home.resolve()}'.encode()).hexdigest()[:12]}"


def _noted(home: Path, machine: str, engine: str, node: str) -> TextIO:
    """Note a node before it is drained; return the note, locked.

    Raises:
        QueuedError: Another assay of this home has it.
    """
    note = _opened(home, machine)
    if not take_lock(note):
        note.close()
        msg = f"{machine} is drained by another assay of this home"
        raise QueuedError(msg)
    note.truncate()
    json.dump({"machine": machine, "engine": engine, "node": node}, note)
    note.flush()
    os.fsync(note.fileno())
    return note


def _undrain(home: Path, note: TextIO) -> None:
    """Give back the node of a note that is locked, unless others have drained it meanwhile; forget it."""
    note.seek(0)
    if text := note.read():
        said = json.loads(text)
        _, engine = engine_named(said["engine"])
        now = engine.standing(said["node"])
        if now.drained and _mark(home) in now.reason:
            engine.undrain(said["node"])
    note.truncate(0)


def _opened(home: Path, machine: str) -> TextIO:
    return open_lock(home.joinpath(*_NOTES, f"{machine}.json"))
