"""Names of files that are not whole yet: who writes one can be told, so that what was cut off can
be removed.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import socket
from pathlib import Path

_LONGEST = 200
"""Characters of a file's name that its part keeps: with the rest they fit into the 255 of a name."""


def part_name(name: str) -> str:
    """Return the name under which this process writes a file until it is whole."""
    return f".{name[:_LONGEST]}.{_controller()}.{os.getpid()}.{secrets.token_hex(4)}.part"


def is_abandoned(candidate: str, name: str) -> bool:
    """Tell whether a file is a part of that name whose writer, a process of this machine, is gone.

    Args:
        candidate: The file's name, on this machine or on another.
        name: Name of the file that was to come of it.
    """
    pattern = rf"\.{re.escape(name[:_LONGEST])}\.{_controller()}\.(\d+)\.[0-9a-f]{{8}}\.part"
    match = re.fullmatch(pattern, candidate)
    return match is not None and not Path("/proc", match[1]).exists()


def _controller() -> str:
    """Return what tells this machine from others that write to the same one."""
    return hashlib.sha256(socket.gethostname().encode()).hexdigest()[:8]
