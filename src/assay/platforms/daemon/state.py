"""What we know of the daemons that we started: ``/run/assay/daemon.json``, or beside a user's own daemon.

One libvirtd serves the whole machine, or all of a user's activities, whatever folder an activity keeps its
state in: so all share it.
"""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

from assay.model.files.json_text import parse_json
from assay.platforms.daemon.device import Ownership
from assay.platforms.durable import free_place, write_json
from assay.platforms.errors import DamagedJournalError
from assay.platforms.hypervisor import runtime_folder
from assay.platforms.process import ProcessMark, is_alive

_ASIDE = ".damaged"
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
    """Return the remembered state; ``None`` where no daemon of ours was left running.

    Raises:
        DamagedJournalError: it cannot be read; it is left where it is.
    """
    try:
        return parse_state(state_file().read_bytes())
    except FileNotFoundError:
        return None


def read_or_keep_aside() -> DaemonState | None:
    """Return what ``read_state`` does, and move a damaged state out of the way; the caller holds the lock.

    Raises:
        DamagedJournalError: the state was damaged; it is kept aside, as ``kept_aside`` finds it.
    """
    try:
        return read_state()
    except DamagedJournalError as error:
        aside = free_place(error.file, _ASIDE)
        error.file.rename(aside)
        raise DamagedJournalError(error.file, error.why, kept=aside) from error


def kept_aside() -> tuple[Path, ...]:
    """Return the damaged states that are kept aside, until somebody removes them."""
    return tuple(sorted(state_file().parent.glob(f"{state_file().name}{_ASIDE}*")))


def parse_state(data: bytes) -> DaemonState:
    """Return the state that a file of ``write_state`` holds.

    Raises:
        DamagedJournalError: it does not fit, or would give the device another mode than permission bits.
    """
    from pydantic import TypeAdapter, ValidationError  # 0.1 s: only where a daemon of ours was started

    try:
        reported = parse_json(data)
        state = TypeAdapter(DaemonState).validate_json(data, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = "".join(f"{part}." for part in first["loc"])
        raise DamagedJournalError(
            state_file(), f"{place[:-1] or 'the file'}: {first['msg'].lower()}"
        ) from error
    except ValueError as error:
        raise DamagedJournalError(state_file(), f"the file: {error}") from error
    absent = sorted({field.name for field in fields(DaemonState)} - reported.keys())
    if absent:
        raise DamagedJournalError(state_file(), f"{absent[0]}: field required")
    if state.kvm is not None and not 0 <= state.kvm.mode <= 0o777:
        raise DamagedJournalError(state_file(), f"kvm.mode: expected permission bits, got {state.kvm.mode:o}")
    return state


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
