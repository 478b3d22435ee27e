"""The door to a machine: this one, or another by SSH; how an address is written; what to say when it is shut.

Here belongs how bytes and programs get to a machine and back. What is run there, and what its answers
mean, belongs to the rooms that use a door; a door knows neither the probe nor a trial.
"""

from typing import TYPE_CHECKING, Any

from assay.machines.address import RESERVED_NAMES, Address, AddressError, check_name, parse_address
from assay.machines.errors import CommandError, HostKeyError, TimedOutError, TransferError, UnreachableError
from assay.machines.inside import InsideDoor
from assay.machines.open import open_door

__all__ = [
    "RESERVED_NAMES",
    "Address",
    "AddressError",
    "CommandError",
    "HostKeyError",
    "InsideDoor",
    "SshDoor",
    "TimedOutError",
    "TransferError",
    "UnreachableError",
    "check_name",
    "open_door",
    "parse_address",
]

if TYPE_CHECKING:
    from assay.machines.ssh.door import SshDoor
else:

    def __getattr__(name: str) -> Any:
        if name == "SshDoor":  # it loads asyncssh
            from assay.machines.ssh.door import SshDoor

            return SshDoor
        msg = f"module 'assay.machines' has no attribute '{name}'"
        raise AttributeError(msg)
