"""One activity at a time measures a machine: two homes, or two controllers, would measure each other."""

from __future__ import annotations

import os
import socket
from pathlib import Path

from assay.platforms.errors import WAIT, ClaimedError
from assay.probe import Probe

_OURS = ("activity", "home", "controller")
"""By these a claim is known as ours; the probe of a connection that was cut may hold it for a while."""


def claim_machine(name: str, probe: Probe, activity: str, home: Path) -> None:
    """Hold a machine for an activity as long as its probe serves; its own other visits share it.

    Args:
        name: The machine's name.
        probe: The probe there.
        activity: The activity.
        home: Folder of all state.

    Raises:
        ClaimedError: Another activity measures it, of another home or from another machine.
    """
    us: dict[str, str | int] = {
        "activity": activity,
        "home": str(home),
        "controller": socket.gethostname(),
        "pid": os.getpid(),
    }
    by = probe.claim(us)
    if by is None or all(by.get(name) == us[name] for name in _OURS):
        return
    who = f"activity {by.get('activity', '(unknown)')} under {by.get('home', '(unknown)')}"
    where = f"on {by.get('controller', '(unknown)')}, process {by.get('pid', '(unknown)')}"
    msg = f"cannot start: {name} is measured by {who} ({where}), and would be measured with it"
    raise ClaimedError(msg, hint=WAIT)
