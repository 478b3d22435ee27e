"""How people write the address of a machine, ``user@host:port``, and what a machine may be called."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from typing import NoReturn

from assay.model.errors import AssayError, Exit

RESERVED_NAMES = ("guest", "local")
"""``local`` is this machine, ``guest`` is what a scene calls a virtual one."""

_NAME = re.compile(r"[a-z0-9][a-z0-9.-]*")
_USER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+$-]*")
# A host name, or the alias of an SSH configuration, which may hold underscores; never an option ("-o…").
_HOST = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
_PARTS = re.compile(r"(?:(?P<user>.*)@)?(?:\[(?P<six>[^\[\]]*)\]|(?P<host>[^:\[\]]*))(?::(?P<port>.*))?")


class AddressError(AssayError):
    """An address or a machine's name that cannot be understood."""

    exit_code = Exit.INPUT


@dataclass(frozen=True)
class Address:
    """The parts of an address; ``None`` leaves a part to the user's SSH configuration.

    Attributes:
        host: Name or address; an IPv6 address without its brackets.
        user: Account.
        port: TCP port, 1 to 65535.
    """

    host: str
    user: str | None = None
    port: int | None = None

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        user = f"{self.user}@" if self.user else ""
        return f"{user}{host}:{self.port}" if self.port else f"{user}{host}"


def parse_address(text: str) -> Address:
    """Return the parts of ``host``, ``user@host``, ``host:port``, ``user@[::1]:22`` or ``user@::1``.

    Raises:
        AddressError: A part is empty or not of its kind; the message names the part.
    """
    user, at, rest = text.rpartition("@")
    if _is_six(rest):
        text = f"{user}{at}[{rest}]"
    parts = _PARTS.fullmatch(text)
    if parts is None:
        _refuse(text, "expected user@host:port, an IPv6 address in brackets")
    if parts["user"] is not None and not _USER.fullmatch(parts["user"]):
        _refuse(text, f"no user name: '{parts['user']}'")
    return Address(host=_host(text, parts), user=parts["user"], port=_port(text, parts["port"]))


def check_name(name: str) -> str:
    """Return a machine's name if it may be given to one.

    Raises:
        AddressError: It is reserved, or not lower-case letters, digits, dots and hyphens.
    """
    if name in RESERVED_NAMES:
        msg = f"cannot name a machine '{name}': the name is reserved ({', '.join(RESERVED_NAMES)})"
        raise AddressError(msg, hint="choose another name")
    if not _NAME.fullmatch(name):
        msg = f"cannot name a machine '{name}': expected lower-case letters, digits, dots and hyphens"
        raise AddressError(msg, hint="a name like node01.site")
    return name


def _is_six(text: str) -> bool:
    try:
        return ipaddress.ip_address(text.partition("%")[0]).version == 6
    except ValueError:
        return False


def _host(text: str, parts: re.Match[str]) -> str:
    if parts["six"] is not None:
        if not _is_six(parts["six"]):
            _refuse(text, f"no IPv6 address between the brackets: '{parts['six']}'")
        return parts["six"]
    if not _HOST.fullmatch(parts["host"]):
        _refuse(text, f"no host name: '{parts['host']}'")
    return parts["host"]


def _port(text: str, port: str | None) -> int | None:
    if port is None:
        return None
    if not (port.isascii() and port.isdigit() and len(port) <= 5 and 1 <= int(port) <= 65535):
        _refuse(text, f"no port from 1 to 65535: '{port}'")
    return int(port)


def _refuse(text: str, why: str) -> NoReturn:
    msg = f"cannot understand the address '{text}': {why}"
    raise AddressError(msg, hint="write it like alice@node01:22 or alice@[2001:db8::1]:22")
