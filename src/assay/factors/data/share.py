"""A folder of the host in a guest, by 9p or virtiofs: how the guest mounts it, and what its kernel says of
that.

Source: Linux ``Documentation/filesystems/9p.rst`` and ``virtiofs.rst``, ``net/9p/trans_virtio.c`` (a request
    fits
125 pages: 512000 bytes), ``net/9p/client.c`` (which options ``/proc/mounts`` shows).
Limits: Linux 6.1 shows msize only where it is not its own default, 128 KiB.
"""

from __future__ import annotations

from collections.abc import Mapping

from assay.factors.base.evidence import Host
from assay.factors.base.versions import no_device
from assay.model.files.packages import install_command

NINE_P, VIRTIOFS = "9p", "virtiofs"
SHARES = (NINE_P, VIRTIOFS)
MSIZE, CACHE = "data.9p-msize", "data.virtiofs-cache"
MSIZES = {"8 KiB": 8192, "128 KiB": 131072, "512000 B": 512000}
"""Levels, and what the guest's mount is given."""
DEFAULT_MSIZE = 131072
"""Since Linux 5.15."""
_SERVERS = (
    "/usr/share/qemu/vhost-user/50-qemu-virtiofsd.json",
    "/usr/share/qemu/vhost-user/50-virtiofsd.json",
)
"""By which libvirt finds virtiofsd: QEMU's own until 7.2, and the one that is a program of its own."""


def needs_share(host: Host, level: str | None) -> str | None:
    """Return why guests of a host cannot have a level of ``data.access``."""
    if level == NINE_P:
        lack = no_device(host, "virtio-9p-pci")
        return lack and f"{lack} (Enterprise Linux's has none); data.access: {VIRTIOFS}"
    if level != VIRTIOFS or any(host.read(path) for path in _SERVERS):
        return None
    how = install_command("virtiofsd", has=host.has)
    return f"virtiofsd is not installed: {how}, or qemu-system-common before Debian 13"


def mount_options(level: str, settings: Mapping[str, str]) -> str:
    """Return the options by which a guest mounts the folder."""
    if level == VIRTIOFS:
        return "ro"
    size = settings.get(MSIZE)
    asked = [f"msize={MSIZES[size]}"] if size else []
    return ",".join(("ro", "trans=virtio", "version=9p2000.L", *asked))


def mounted_kind(mounts: str, place: str) -> str:
    """Return the kind of file system at a place, by the text of ``/proc/mounts``."""
    fields = _fields(mounts, place)
    if fields is None:
        return "nothing is mounted"
    return fields[2] if "ro" in fields[3].split(",") else f"{fields[2]} that can be written to"


def mounted_msize(mounts: str, place: str) -> str:
    """Return the level of ``data.9p-msize`` in force at a place, by the text of ``/proc/mounts``."""
    options = (_fields(mounts, place) or ["", "", "", ""])[3].split(",")
    sizes = [word.removeprefix("msize=") for word in options if word.startswith("msize=")]
    size = sizes[0] if sizes else str(DEFAULT_MSIZE)
    return next((level for level, count in MSIZES.items() if str(count) == size), f"{size} B")


def _fields(mounts: str, place: str) -> list[str] | None:
    lines = [line.split() for line in mounts.splitlines()]
    at_place = [fields for fields in lines if len(fields) > 3 and fields[1] == place]
    return at_place[-1] if at_place else None
