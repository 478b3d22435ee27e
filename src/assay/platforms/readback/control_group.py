"""Files of the control group of a guest, in either version.

Source: ``man 7 cgroups`` (``/proc/PID/cgroup``), ``man 5 proc`` (``/proc/PID/mounts``); libvirt
``docs/cgroups.rst``: QEMU's main thread is in ``emulator`` below the guest's group; beside an init system, a
group ``libvirt`` lies between.
"""

from __future__ import annotations

from pathlib import Path

_INNER = ("emulator", "libvirt")
_TYPES = {1: "cgroup", 2: "cgroup2"}


def group_folder(cgroup: str, mounts: str, controller: str) -> Path | None:
    """Return the folder of the control group that is a guest's own, for one controller.

    Args:
        cgroup: Content of ``/proc/PID/cgroup`` of its QEMU process.
        mounts: Content of ``/proc/PID/mounts``.
        controller: ``cpu``.

    Returns:
        ``None`` where the controller is not mounted or the process is in the root group.
    """
    for version, path in _paths(cgroup, controller):
        top, own = _mounted(mounts, controller, version=version), _own(path)
        if top is not None:
            return None if own == "/" else top / own.lstrip("/")
    return None


def read_group(folder: Path, group: str, name: str) -> str | None:
    """Return the text of a file of a guest's group, or of the group below it; ``None`` where
    there is none.
    """
    for place in (folder / group, folder / "libvirt" / group):
        try:
            return (place / name).read_text().strip()
        except OSError:
            continue
    return None


def _paths(cgroup: str, controller: str) -> list[tuple[int, str]]:
    lines = [line.split(":", 2) for line in cgroup.splitlines()]
    first = [(1, path) for _, names, path in lines if controller in names.split(",")]
    return first or [(2, path) for number, names, path in lines if (number, names) == ("0", "")]


def _own(path: str) -> str:
    for name in _INNER:
        path = path.removesuffix(f"/{name}")
    return path or "/"


def _mounted(mounts: str, controller: str, *, version: int) -> Path | None:
    for line in mounts.splitlines():
        _, place, kind, options, *_ = line.split()
        if kind == _TYPES[version] and (version == 2 or controller in options.split(",")):
            return Path(place)
    return None
