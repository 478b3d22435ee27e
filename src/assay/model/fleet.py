"""An activity on several machines: the same plan in a lane for each."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

LOCAL = "local"
"""Name of this machine in every inventory."""


@dataclass(frozen=True)
class Lane:
    """One machine's part of an activity, an activity of its own.

    Attributes:
        machine: The machine's name in the inventory.
        activity: Eight hexadecimal digits, which name the lane's folder.
    """

    machine: str
    activity: str


@dataclass(frozen=True)
class Drain:
    """How nodes of a batch system are drained while they are measured.

    Attributes:
        engine: The batch system, ``slurm`` or ``htcondor``.
        when_idle: A node with jobs is left to them, and drained once none is on it.
    """

    engine: str
    when_idle: bool

    @property
    def options(self) -> str:
        """Return the options of ``assay evaluate`` that ask for it."""
        return f"--drain {self.engine}" + (" --when-idle" if self.when_idle else "")


@dataclass(frozen=True)
class Fleet:
    """What an activity on several machines was asked to do; fixed when it is created.

    Attributes:
        id: Eight hexadecimal digits, also the result's name.
        scene: Name of the scene.
        title: The scene's title.
        scene_digest: Content hash of the scene, which says ``local`` for each lane's machine.
        scene_text: Its source text.
        scene_file: Path of the file that it was read from; its folder is where relative inputs start.
        scale: Scale of the scene; ``None`` is as written.
        command: The user's own command line where there is one.
        who: The words that named the machines.
        created_ns: Wall clock at creation, ns since 1970.
        seed: Seed from which that of each lane's order of trials comes.
        lanes: The machines, in the order of the inventory.
        drain: How their nodes are drained meanwhile; ``None`` leaves them to their batch system.
    """

    id: str
    scene: str
    title: str
    scene_digest: str
    scene_text: str
    scene_file: str
    scale: str | None
    command: str | None
    who: str
    created_ns: int
    seed: int
    lanes: tuple[Lane, ...]
    drain: Drain | None = None

    @property
    def measures_here(self) -> bool:
        """Whether a lane is the machine that conducts it."""
        return any(lane.machine == LOCAL for lane in self.lanes)


class Failure(StrEnum):
    """Why a lane did not go on."""

    UNREACHABLE = "unreachable"
    """The machine was lost, or could not be reached."""
    REFUSED = "refused"
    """Its host key is unknown or has changed, or it does not let us in."""
    NO_ROOM = "no-room"
    """A disk is nearly full, there or here."""
    BUSY = "busy"
    """Another activity measures it, or others use it."""
    NO_GUEST = "no-guest"
    """A guest did not boot, or is not as it was asked for."""
    NO_IMAGE = "no-image"
    """The image of a guest is gone, or could not be built."""
    CLOCK = "clock"
    """It answers so late that its clock cannot be compared: load there, or on the way."""
    MISSING = "missing"
    """It lacks what the scene needs: a program, memory, processors, a level of a factor."""
    WRONG = "wrong"
    """The scene cannot be run there, or its records cannot be read."""


@dataclass(frozen=True)
class Stop:
    """Why a lane was taken out, until it goes on.

    Attributes:
        failure: The kind.
        message: What was said.
        hint: What to do; ``None`` for nothing.
        tries: How often it was tried.
        at_ns: When it was taken out, ns since 1970.
        exit_code: What a command that ran this lane alone would have ended with.
    """

    failure: Failure
    message: str
    hint: str | None
    tries: int
    at_ns: int
    exit_code: int
