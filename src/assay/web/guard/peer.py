"""Whose connection a request came by, on a machine's own loopback."""

from __future__ import annotations

import ipaddress
import socket
import struct
from collections.abc import Iterator
from pathlib import Path

_TABLES = {4: Path("/proc/net/tcp"), 6: Path("/proc/net/tcp6")}
_LOCAL, _REMOTE, _UID, _INODE = 1, 2, 7, 9
"""Columns of the kernel's table of connections (``man 5 proc``)."""


def peer_uid(client: tuple[str, int], server: tuple[str, int]) -> int | None:
    """Return the user whose process holds the other end of a connection on this machine.

    A socket whose process has closed it is listed as root's, with no inode: it is nobody's here, so that a
    request which is sent and left at once is not taken for root's.

    Args:
        client: Address and port of the other end.
        server: Address and port of this end.

    Returns:
        The uid; ``None`` where no process of this machine holds it any more.

    Source:
        ``Documentation/networking/proc_net_tcp.rst``; ``net/ipv4/tcp_ipv4.c``: ``get_tcp4_sock``.
    """
    wanted = (_coded(*client), _coded(*server))
    for row in _rows(ipaddress.ip_address(client[0]).version):
        if (row[_LOCAL], row[_REMOTE]) == wanted and row[_INODE] != "0":
            return int(row[_UID])
    return None


def _rows(version: int) -> Iterator[list[str]]:
    try:
        lines = _TABLES[version].read_text().splitlines()[1:]
    except OSError:
        return
    for line in lines:
        if len(row := line.split()) > _INODE:
            yield row


def _coded(host: str, port: int) -> str:
    """Return an address as the kernel's table has it: 32-bit words in the machine's own order, in hex."""
    address = ipaddress.ip_address(host)
    packed = socket.inet_pton(socket.AF_INET if address.version == 4 else socket.AF_INET6, str(address))
    words = struct.unpack(f"={len(packed) // 4}I", packed)
    return "".join(f"{word:08X}" for word in words) + f":{port:04X}"
