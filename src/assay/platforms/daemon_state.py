"""What we know of the daemons that we started: ``/run/assay/daemon.json``, or beside a user's own daemon.

One libvirtd serves the whole machine, or all of a user's activities, whatever folder an activity keeps its
state in: so all share it.
"""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from assay.platforms.device import Ownership
from assay.platforms.durable import read_json, write_json
from assay.platforms.hypervisor import runtime_folder
from assay.platforms.process import ProcessMark, is_alive

MACHINE = Path("/run/assay")
"""Of the machine, not of a home; a reboot empties it as it ends what it tells of."""


@dataclass(frozen=True)
class DaemonState:
    """Daemons of ours and who uses them.

    Attributes:
        daemons: virtlogd, libvirtd and their subreapers, in the order of their start.
        users: Processes of assay that hold a connection, one entry a connection.
        kvm: To whom ``/dev/kvm`` belonged before; ``None`` where it was left alone.
    """

    daemons: tuple[ProcessMark, ...] = ()
    users: tuple[ProcessMark, ...] = ()
    kvm: Ownership | None = None

    @property
    def running(self) -> bool:
        """Tell whether any of the daemons still runs."""
        return any(is_alive(mark) for mark in self.daemons)

    @property
    def live_users(self) -> tuple[ProcessMark, ...]:
        """Return the users that still run."""
        return tuple(mark for mark in self.users if is_alive(mark))

    def joined(self, user: ProcessMark) -> DaemonState:
        """Return the state with one more connection, dead users dropped."""
        return replace(self, users=(*self.live_users, user))

    def left(self, user: ProcessMark) -> DaemonState:
        """Return the state with one connection of a user less, dead users dropped."""
        users = list(self.live_users)
        if user in users:
            users.remove(user)
        return replace(self, users=tuple(users))


def read_state() -> DaemonState | None:
    """Return the remembered state; ``None`` where no daemon of ours was left running."""
    value = read_json(state_file())
    return None if value is None else parse_state(value)


def parse_state(value: dict[str, Any]) -> DaemonState:
    """Return the state that a JSON object of ``write_state`` holds."""
    kvm = value["kvm"]
    return DaemonState(
        daemons=tuple(ProcessMark(**mark) for mark in value["daemons"]),
        users=tuple(ProcessMark(**mark) for mark in value["users"]),
        kvm=None if kvm is None else Ownership(**kvm),
    )


def write_state(state: DaemonState) -> None:
    """Remember a state; it is on the disk when this returns."""
    write_json(state_file(), asdict(state))


def forget_state() -> None:
    """Remove the state's file: no daemon of ours runs and the device is back."""
    state_file().unlink(missing_ok=True)


def state_file() -> Path:
    """Return the path of the state's file: of the machine for root, else of the user."""
    folder = machine_folder() if os.geteuid() == 0 else runtime_folder() / "assay"
    return folder / "daemon.json"


def daemon_folder(home: Path) -> Path:
    """Return the folder of what is noted of this machine's settings: root's is the machine's."""
    return machine_folder() if os.geteuid() == 0 else home / "run"


def machine_folder() -> Path:
    """Return root's folder, which anybody may look into."""
    return MACHINE
