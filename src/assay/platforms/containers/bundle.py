"""The bundle of an OCI runtime: the machine's own file system, read-only, and one folder to write to.

Source: https://github.com/opencontainers/runtime-spec/blob/v1.0.2/config.md and ``config-linux.md``.
Limits: programs that live below ``/run``, ``/tmp``, ``/dev`` or ``/sys`` are not seen inside.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assay.platforms.containers.spec import ContainerSpec
from assay.platforms.process import PATH

OWN = ("dev", "lost+found", "proc", "run", "sys", "tmp")
"""What a container has for itself, or not at all."""
PERIOD_US = 100_000
"""The kernel's own period of CPU quotas (``Documentation/scheduler/sched-bwc.rst``)."""
NAMESPACES = ("pid", "ipc", "uts", "mount")
CAPABILITIES = tuple(
    f"CAP_{word}"
    for word in [
        "CHOWN",
        "DAC_OVERRIDE",
        "FSETID",
        "FOWNER",
        "MKNOD",
        "NET_RAW",
        "SETGID",
        "SETUID",
        "SETFCAP",
        "SETPCAP",
        "NET_BIND_SERVICE",
        "SYS_CHROOT",
        "KILL",
        "AUDIT_WRITE",
    ]
)
"""Those that Docker leaves to a container (moby, ``oci/caps/defaults.go``)."""
_TMPFS = ["nosuid", "nodev", "mode=1777"]
_PSEUDO: tuple[dict[str, Any], ...] = (
    {"destination": "/proc", "type": "proc", "source": "proc"},
    {
        "destination": "/dev",
        "type": "tmpfs",
        "source": "tmpfs",
        "options": ["nosuid", "strictatime", "mode=755"],
    },
    {
        "destination": "/dev/pts",
        "type": "devpts",
        "source": "devpts",
        "options": ["nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620"],
    },
    {"destination": "/dev/shm", "type": "tmpfs", "source": "shm", "options": _TMPFS},  # noqa: S108
    {
        "destination": "/sys",
        "type": "sysfs",
        "source": "sysfs",
        "options": ["nosuid", "noexec", "nodev", "ro"],
    },
    {"destination": "/run", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "nodev", "mode=755"]},
    {"destination": "/tmp", "type": "tmpfs", "source": "tmpfs", "options": _TMPFS},  # noqa: S108
)


def top_folders(root: Path = Path("/")) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the folders at the top of a file system that a container sees, and the links with
    their targets.
    """
    entries = sorted((entry for entry in os.scandir(root) if entry.name not in OWN), key=lambda e: e.name)
    links = {entry.name: os.readlink(entry.path) for entry in entries if entry.is_symlink()}
    return tuple(e.name for e in entries if e.is_dir(follow_symlinks=False)), links


def oci_config(
    spec: ContainerSpec, argv: Sequence[str], *, folders: Sequence[str], read_only: str
) -> dict[str, Any]:
    """Return the configuration of a container that runs one program.

    Args:
        spec: What it is asked to be.
        argv: The program, absolute, and its arguments; it is the container's first process.
        folders: Names of the folders at the top of the machine's file system.
        read_only: The runtime's word for a read-only mount: ``rro`` holds for what is mounted below, too.
    """
    seen = [_bind(f"/{name}", read_only) for name in folders]
    return {
        "ociVersion": "1.0.2",
        "process": _process(argv),
        "root": {"path": "root", "readonly": True},
        "hostname": spec.hostname,
        "mounts": [*_PSEUDO, *seen, _bind(str(spec.work), "rw")],
        "annotations": {"assay.activity": spec.activity, "assay.home": str(spec.work.parent)},
        "linux": {
            "namespaces": _namespaces(spec),
            "cgroupsPath": f"/{spec.name}",
            "resources": _resources(spec),
        },
    }


def make_bundle(spec: ContainerSpec, config: dict[str, Any], links: dict[str, str]) -> Path:
    """Write a bundle below a container's folder, and return where it lies."""
    bundle = spec.folder / "bundle"
    root = bundle / "root"
    root.mkdir(parents=True, exist_ok=True)
    for name, target in links.items():
        if not (root / name).is_symlink():
            (root / name).symlink_to(target)
    (bundle / "config.json").write_text(json.dumps(config), encoding="utf-8")
    return bundle


def _bind(path: str, access: str) -> dict[str, Any]:
    return {"destination": path, "type": "bind", "source": path, "options": ["rbind", access]}


def _process(argv: Sequence[str]) -> dict[str, Any]:
    return {
        "terminal": False,
        "user": {"uid": 0, "gid": 0},
        "args": list(argv),
        "env": [f"PATH={PATH}"],
        "cwd": "/",
        "capabilities": {kind: list(CAPABILITIES) for kind in ("bounding", "effective", "permitted")},
        "noNewPrivileges": True,
    }


def _namespaces(spec: ContainerSpec) -> list[dict[str, str]]:
    own = [{"type": kind} for kind in NAMESPACES]
    return [*own, {"type": "network", "path": f"/run/netns/{spec.network}"}] if spec.network else own


def _resources(spec: ContainerSpec) -> dict[str, Any]:
    cpu: dict[str, Any] = {"cpus": ",".join(map(str, spec.cpus))}
    if spec.cpu_quota is not None:
        cpu |= {"period": PERIOD_US, "quota": round(spec.cpu_quota * len(spec.cpus) * PERIOD_US)}
    memory = {} if spec.memory_bytes is None else {"memory": {"limit": spec.memory_bytes}}
    return {"cpu": cpu, **memory}
