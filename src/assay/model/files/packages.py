"""The command that installs packages on a machine: Debian's, or that of Enterprise Linux and Fedora."""

from __future__ import annotations

import os
from collections.abc import Callable

_ON_ENTERPRISE_LINUX = {
    "btrfs-progs": None,
    "dash": "bash",
    "docker.io": None,
    "glusterfs-client": "glusterfs-fuse",
    "iozone3": None,
    "iproute2": "iproute",
    "libvirt-clients": "libvirt-client",
    "libvirt-daemon-system": "libvirt",
    "libvirt-dev": "libvirt-devel",
    "mount": "util-linux",
    "openssh-client": "openssh-clients",
    "pkg-config": "pkgconf-pkg-config",
    "qemu-system-x86": "qemu-kvm",
    "qemu-utils": "qemu-img",
    "runsc": None,
    "user-mode-linux": None,
    "xrootd-plugins": "xrootd-server-libs",
}
"""Debian's packages that have another name there; ``None`` where its repositories have none. The rest are
called as on Debian.
"""
_REPOSITORIES = {
    "bonnie++": "EPEL",
    "libvirt-devel": "CRB",
    "netperf": "EPEL",
    "sysbench": "EPEL",
    "xrootd-client": "EPEL",
    "xrootd-server": "EPEL",
    "xrootd-server-libs": "EPEL",
}
"""What is not in the repositories that are enabled from the start (``packages.fedoraproject.org``)."""


def install_command(*packages: str, has: Callable[[str], bool] | None = None) -> str:
    """Return what to type to install packages, for a hint.

    Args:
        packages: By Debian's names.
        has: Tells whether the machine has a program; ``None`` for this machine.

    Returns:
        ``apt install NAME``; where the machine has ``dnf`` and no ``apt-get``, ``dnf install NAME`` by
        Enterprise Linux's names, with the repository of a package that is not in its own, and with the
        packages that it lacks.
    """
    there = _is_here if has is None else has
    if there("apt-get") or not there("dnf"):
        return f"apt install {' '.join(packages)}"
    known = {name: _ON_ENTERPRISE_LINUX.get(name, name) for name in packages}
    names = dict.fromkeys(name for name in known.values() if name is not None)
    from_others = [f"{name} is in {_REPOSITORIES[name]}" for name in names if name in _REPOSITORIES]
    lacking = [f"{name} is not in Enterprise Linux" for name, other in known.items() if other is None]
    command = [f"dnf install {' '.join(names)}"] if names else []
    return "; ".join([*command, *from_others, *lacking])


def _is_here(program: str) -> bool:
    return os.access(f"/usr/bin/{program}", os.X_OK)
