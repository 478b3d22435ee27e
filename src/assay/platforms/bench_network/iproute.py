"""Links and namespaces, by the ``ip`` program.

Source: ``man 8 ip``, ``ip-batch``, ``ip-netns``; what is there is read from ``/sys/class/net`` and
    ``/run/netns``.
"""

from __future__ import annotations

import os
from pathlib import Path

from assay.model.errors import MissingError
from assay.model.files.packages import install_command
from assay.platforms.host_command import host_command

_LINKS = Path("/sys/class/net")
_NAMESPACES = Path("/run/netns")


def ip_batch(lines: list[str], *, namespace: str | None = None) -> None:
    """Run ``ip`` commands in order in one process; the first that fails ends it.

    Raises:
        MissingError: not root, or ``ip`` is not installed.
        PlatformError: a command failed.
    """
    if os.getuid() != 0:
        msg = f"cannot set up the bench network: user {os.getuid()} may not make network interfaces"
        raise MissingError(msg, hint="run as root")
    where = ["-netns", namespace] if namespace else []
    host_command(
        ["ip", *where, "-batch", "-"],
        "cannot set up the bench network",
        missing=install_command("iproute2"),
        hint="assay platform clean",
        stdin="".join(f"{line}\n" for line in lines).encode(),
    )


def link_exists(name: str) -> bool:
    """Tell whether this namespace has a link of that name."""
    return (_LINKS / name).exists()


def has_carrier(name: str) -> bool:
    """Tell whether a link is up and somebody is at its other end; for a tap, a process that holds it open."""
    try:
        return (_LINKS / name / "carrier").read_text().strip() == "1"
    except OSError:  # not there, or down: the kernel then refuses the read
        return False


def ports(bridge: str) -> frozenset[str]:
    """Return the links on a bridge; none where there is no such bridge."""
    return frozenset(path.name for path in (_LINKS / bridge / "brif").glob("*"))


def lies_on(link: str) -> tuple[str, ...]:
    """Return the links that lie on a link, such as macvtaps, sorted."""
    return tuple(sorted(path.name.removeprefix("upper_") for path in (_LINKS / link).glob("upper_*")))


def links(prefix: str) -> tuple[str, ...]:
    """Return this namespace's links whose names start so, sorted."""
    return tuple(sorted(path.name for path in _LINKS.glob(f"{prefix}*")))


def namespace_exists(name: str) -> bool:
    """Tell whether there is a named network namespace."""
    return (_NAMESPACES / name).exists()


def namespaces(prefix: str) -> tuple[str, ...]:
    """Return the named network namespaces whose names start so, sorted."""
    return tuple(sorted(path.name for path in _NAMESPACES.glob(f"{prefix}*")))
