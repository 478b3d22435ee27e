"""Containers by podman, with runc below it and a storage of their own.

Source: ``podman(1)``, ``podman-run(1)``, ``man 5 proc`` (mountinfo), Linux ``fs/fuse/dir.c``.
Limits: podman's own default of limits is higher than a machine may allow, and starts nothing there; so those
that the probe gives to every job are asked for. crun refuses hybrid control groups, so runc is.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from assay.platforms.containers.ask import ask
from assay.platforms.containers.bundle import PERIOD_US, make_bundle, top_folders
from assay.platforms.containers.kernel_view import PSEUDO
from assay.platforms.containers.oci import STATE
from assay.platforms.containers.spec import ContainerSpec
from assay.platforms.process import PATH

CLEANED_S = 10.0
"""podman's own tidying takes half a second."""
MOUNTS = Path("/proc/self/mountinfo")
_WAITING = "autofs"
_ALONE = (
    *("--storage-driver", "vfs", "--cgroup-manager", "cgroupfs"),
    *("--runtime", "runc", "--events-backend", "none"),
)
# SELinux would keep a container out of files that are not labelled for containers; those seen here are the
# machine's own, and their labels are not changed, so that its separation is off.
_RUN = (
    *("--rm", "--interactive", "--log-driver", "none", "--no-hosts"),
    *("--security-opt", "no-new-privileges", "--security-opt", "label=disable"),
    *("--read-only", "--read-only-tmpfs=false"),
    *("--tmpfs", "/tmp:rw,mode=1777,notmpcopyup", "--tmpfs", "/run:rw,mode=755,notmpcopyup"),  # noqa: S108
    *("--ulimit", "nofile=1024:1024", "--ulimit", "nproc=1000:1000"),
)


def enclose(spec: ContainerSpec, argv: Sequence[str]) -> tuple[str, ...]:
    """Make a container's empty root for a program, and return what runs it in the foreground."""
    folders, links = top_folders()
    root = make_bundle(spec, {}, links) / "root"
    places = seen_places(MOUNTS.read_text(), folders)
    seen = [word for place in places for word in _bind(place, read_only=True)]
    return (
        *(
            *_program(spec.folder),
            "run",
            "--name",
            spec.name,
            "--hostname",
            spec.hostname,
            *_RUN,
            *_limits(spec),
        ),
        *("--network", f"ns:/run/netns/{spec.network}" if spec.network else "host"),
        *(*seen, *_bind(str(spec.work), read_only=False), "--rootfs", str(root), *argv),
    )


def seen_places(
    mountinfo: str, folders: Sequence[str], *, look: Callable[[str], object] = os.stat
) -> tuple[str, ...]:
    """Return the folders at the top and where file systems on storage are mounted below, parents first.

    Each is bound for itself: what podman binds with all that is mounted below is read-only at its top alone
    (a disk mounted under ``/var`` stayed writable with podman 4.3). Left out is what cannot be bound: what
    waits for being mounted (autofs), another user's FUSE, which root may not look at, and what is gone.

    Args:
        mountinfo: Text of ``/proc/self/mountinfo``; of two mounts on one point the later one counts.
        folders: Names of the folders at the top.
        look: Raises ``OSError`` where a path cannot be looked at.
    """
    lines = (line.partition(" - ") for line in mountinfo.splitlines())
    kinds = {before.split()[4]: after.split()[0] for before, _, after in lines}
    tops = [f"/{name}" for name in folders]
    below = (place for place, kind in kinds.items() if kind not in PSEUDO and place.split("/")[1] in folders)
    places = dict.fromkeys((*tops, *sorted(place for place in below if "\\" not in place)))
    return tuple(place for place in places if kinds.get(place) != _WAITING and _can_be(look, place))


def _can_be(look: Callable[[str], object], place: str) -> bool:
    try:
        look(place)
    except OSError:
        return False
    return True


def find_pid(folder: Path, name: str) -> int | None:
    """Return the first process of a container; ``None`` where there is none: asking alone makes a storage."""
    if not (folder / "storage").is_dir():
        return None
    reported = ask((*_program(folder), "inspect", "--type", "container", "--format", "{{.State.Pid}}", name))
    return None if reported is None else int(reported) or None


def remove(folder: Path, name: str) -> None:
    """End a container and undo podman's mounts for it; one that is gone is no error."""
    if shutil.which("podman", path=PATH) is not None:
        ask((*_program(folder), "rm", "--force", "--time", "0", "--ignore", name))
        _wait_cleaned(folder)
    shutil.rmtree(_run_root(folder), ignore_errors=True)


def _wait_cleaned(folder: Path) -> None:
    """Wait until no process works on a container's storage: its monitor has podman tidy up after its end."""
    wanted, deadline = f"{folder}/storage".encode(), time.monotonic() + CLEANED_S
    while any(wanted in line for line in _command_lines()) and time.monotonic() < deadline:
        time.sleep(0.05)


def _command_lines() -> Iterator[bytes]:
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            yield file.read_bytes()


def _program(folder: Path) -> tuple[str, ...]:
    run = _run_root(folder)
    places = ("--root", str(folder / "storage"), "--runroot", f"{run}/run", "--tmpdir", f"{run}/own")
    return (shutil.which("podman", path=PATH) or "podman", *places, *_ALONE)


def _run_root(folder: Path) -> str:
    return f"{STATE}/podman/{folder.name}"


def _bind(path: str, *, read_only: bool) -> tuple[str, str]:
    return (
        "--mount",
        f"type=bind,source={path},destination={path},bind-nonrecursive=true,ro={str(read_only).lower()}",
    )


def _limits(spec: ContainerSpec) -> Iterator[str]:
    yield from ("--cgroup-parent", f"/{spec.name}", "--cpuset-cpus", ",".join(map(str, spec.cpus)))
    if spec.cpu_quota is not None:
        quota = round(spec.cpu_quota * len(spec.cpus) * PERIOD_US)
        yield from ("--cpu-period", str(PERIOD_US), "--cpu-quota", str(quota))
    if spec.memory_bytes is not None:
        yield from ("--memory", f"{spec.memory_bytes}b")
