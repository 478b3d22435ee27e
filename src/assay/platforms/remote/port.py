"""A TCP port of another machine that nobody uses at this moment.

Source: ``man 5 proc``, ``/proc/net/tcp``: local address and port in hexadecimal, second field.
"""

from __future__ import annotations

import secrets

from assay.platforms.errors import PlatformError
from assay.platforms.remote.door import RemoteDoor
from assay.platforms.remote.files import read_text, understood

_FIRST, _LAST = 20_000, 30_000
"""Below the ports that Linux gives to connections by itself (``ip_local_port_range``, 32768 on)."""


def pick_port_there(door: RemoteDoor) -> int:
    """Return a port that nothing on the machine listens on or uses."""
    tables = [read_text(door, f"/proc/net/{name}") or "" for name in ("tcp", "tcp6")]
    with understood(door, "a table of ports"):
        used = {port for table in tables for port in parse_ports(table)}
    free = [port for port in range(_FIRST, _LAST) if port not in used]
    if not free:
        msg = f"cannot reach a guest on {door.name}: it says that none of its ports is free"
        raise PlatformError(msg)
    return secrets.choice(free)


def parse_ports(table: str) -> frozenset[int]:
    """Return the local ports in a table of the kernel's."""
    rows = (line.split() for line in table.splitlines()[1:])
    return frozenset(int(row[1].rpartition(":")[2], 16) for row in rows if len(row) > 1)
