"""The balloon of a guest that was just booted: its driver loaded, and waited for until it has taken what it
shall.

Limits: guests of our image have no udev that would load the driver by itself; where it is not there at all,
    nothing
moves, and that is what is read back.
"""

from __future__ import annotations

import time
from contextlib import suppress

from assay.machines.errors import CommandError
from assay.model.platforms.platform import Platform
from assay.platforms.errors import PlatformError
from assay.platforms.guests.guest import Guest
from assay.probe import Door

TAKEN_S = 20.0
"""Under emulation on one core a balloon took 0.5 GiB in about a second."""
_LOOK_S = 0.5
_LOAD_S = 30.0


def read_back(guest: Guest, door: Door) -> Platform:
    """Return what a booted guest is, once its balloon has moved where it has one to move.

    Raises:
        PlatformError: It is not what was asked for; of memory that a balloon shall take, after some seconds.
    """
    levels = dict(guest.spec.settings)
    if levels.get("memory.memballoon") == "virtio":
        with suppress(CommandError):  # it may be built in, or not there: what comes of it is looked at
            door.run(["modprobe", "virtio_balloon"], timeout_s=_LOAD_S)
    until = time.monotonic() + (TAKEN_S if "memory.currentMemory" in levels else 0.0)
    while True:
        try:
            return guest.platform()
        except PlatformError:
            if time.monotonic() >= until:
                raise
        time.sleep(_LOOK_S)
