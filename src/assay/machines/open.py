"""The one way to a machine's door."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from assay.machines.local import LocalDoor
from assay.model.machines.machine import Machine, Reach

if TYPE_CHECKING:
    from assay.machines.ssh.door import SshDoor


def open_door(
    machine: Machine, *, home: Path, connect_timeout_s: float = 15.0, through: SshDoor | None = None
) -> LocalDoor | SshDoor:
    """Open the door to a machine; the caller closes it.

    Args:
        machine: Which one, and how it is reached.
        home: Our folder here; this machine's work lies in its ``work``.
        connect_timeout_s: From the first packet to the end of the login, name look-up included. A guest
            under emulation needs several seconds for the key exchange alone.
        through: Open door of a machine from which this one is reached, and which outlives it; ``None``
            reaches it from here, or by the machine that it is a guest of.

    Raises:
        UnreachableError: It cannot be reached or does not let us in (``HostKeyError``: its key is refused).
        QueuedError: A batch system gives it, and its job waits.
        MissingError: It lacks SFTP, or its folder for us cannot be used.
    """
    if machine.reach is Reach.LOCAL:
        return LocalDoor(machine.name, home / "work")
    from assay.machines.ssh.door import SshDoor

    if machine.reach is not Reach.SSH:
        return _held(machine, home=home, connect_timeout_s=connect_timeout_s)

    carrier = machine.carrier
    if through is not None or carrier is None or carrier.reach is Reach.LOCAL:
        return SshDoor(machine, connect_timeout_s=connect_timeout_s, through=through)
    if carrier.reach is Reach.SSH:
        between = SshDoor(carrier, connect_timeout_s=connect_timeout_s)
    else:
        between = _held(carrier, home=home, connect_timeout_s=connect_timeout_s)
    try:
        door = SshDoor(machine, connect_timeout_s=connect_timeout_s, through=between)
    except BaseException:
        between.close()
        raise
    door.closes(between)
    return door


def _held(machine: Machine, *, home: Path, connect_timeout_s: float) -> SshDoor:
    from assay.machines.batch.held import open_held

    return open_held(machine, home=home, connect_timeout_s=connect_timeout_s)
