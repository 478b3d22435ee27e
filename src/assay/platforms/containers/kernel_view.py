"""What the kernel shows of a container's processes: namespaces, control group, processors, mounts.

Source: ``namespaces(7)``, ``cgroups(7)``, ``proc(5)`` (``status``, ``mountinfo``), Linux
``Documentation/admin-guide/cgroup-v1/`` and ``cgroup-v2.rst``. Everything is read below ``proc`` and
``groups``, so that recorded machines are read alike.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

LEAVE_S = 5.0
"""A container's last process leaves its group a moment after its runtime says that it is gone."""
_NO_LIMIT = 1 << 60
"""Version 1 writes "no limit" as the largest number of pages, in bytes."""
PSEUDO = ("tmpfs", "proc", "sysfs", "devpts", "mqueue", "cgroup", "cgroup2", "devtmpfs")


@dataclass(frozen=True)
class KernelView:
    """Where the kernel's files are.

    Attributes:
        proc: ``/proc``.
        groups: ``/sys/fs/cgroup``.
    """

    proc: Path = Path("/proc")
    groups: Path = Path("/sys/fs/cgroup")

    def namespaces(self, pid: int) -> tuple[str, ...]:
        """Return the kinds of namespace that a process does not share with the caller, sorted."""
        ours = {link.name: str(link.readlink()) for link in (self.proc / "self/ns").iterdir()}
        theirs = {link.name: str(link.readlink()) for link in (self.proc / str(pid) / "ns").iterdir()}
        kinds = (kind for kind in theirs if not kind.endswith("_for_children"))
        return tuple(sorted(kind for kind in kinds if theirs[kind] != ours.get(kind)))

    def group(self, pid: int, controller: str) -> Path | None:
        """Return the folder of a process's control group, the controller's own or the unified one."""
        unified = None
        for line in (self.proc / str(pid) / "cgroup").read_text().splitlines():
            number, names, path = line.split(":", 2)
            if controller in names.split(","):
                return self.groups / names / path.lstrip("/")
            unified = path if number == "0" else unified
        mixed = self.groups / "unified"
        top = mixed if mixed.is_dir() else self.groups
        return None if unified is None else top / unified.lstrip("/")

    def processes(self, group: Path) -> tuple[int, ...]:
        """Return the processes of a control group and those below it, sorted."""
        folders = [group, *(path for path in group.rglob("*") if path.is_dir())]
        texts = [text for folder in folders if (text := _text(folder / "cgroup.procs")) is not None]
        return tuple(sorted({int(word) for text in texts for word in text.split()}))

    def cpus(self, pids: tuple[int, ...]) -> tuple[int, ...]:
        """Return the processors that any thread of some processes may run on, sorted."""
        allowed = (word for pid in pids for word in self._words(pid, "Cpus_allowed_list"))
        return tuple(sorted({cpu for word in allowed for cpu in parse_cpus(word)}))

    def traced(self, pids: tuple[int, ...]) -> bool:
        """Tell whether any of some processes has a tracer (``ptrace(2)``)."""
        return any(word != "0" for pid in pids for word in self._words(pid, "TracerPid"))

    def opened(self, pid: int, name: str) -> bool:
        """Tell whether a process has a file open whose name holds a word, such as ``kvm-vm``."""
        for link in (self.proc / str(pid) / "fd").iterdir():
            with contextlib.suppress(OSError):
                if name in str(link.readlink()):
                    return True
        return False

    def memory_limit(self, pid: int) -> int | None:
        """Return the limit on memory of a process's control group in bytes; ``None`` for none."""
        group = self.group(pid, "memory")
        text = _first(group, "memory.limit_in_bytes", "memory.max")
        return None if text in {None, "max"} or int(text or 0) >= _NO_LIMIT else int(text or 0)

    def cpu_quota(self, pid: int, cpus: int) -> float | None:
        """Return the share of so many processors that a process's control group may use; ``None`` for all."""
        group = self.group(pid, "cpu")
        quota, period = _first(group, "cpu.cfs_quota_us"), _first(group, "cpu.cfs_period_us")
        both = _first(group, "cpu.max")
        if both is not None:
            quota, period = both.split()
        if quota in {None, "max", "-1"} or period is None:
            return None
        return int(quota or 0) / int(period) / cpus

    def cpu_s(self, group: Path) -> float | None:
        """Return the CPU seconds that a control group has had, with all that ended in it."""
        if (usage := _text(group / "cpuacct.usage")) is not None:
            return int(usage) / 1e9
        stat = dict(line.split() for line in (_text(group / "cpu.stat") or "").splitlines())
        return int(stat["usage_usec"]) / 1e6 if "usage_usec" in stat else None

    def writable(self, pid: int) -> tuple[str, ...]:
        """Return the mount points of a process's file systems on storage that it may write to, sorted."""
        lines = (self.proc / str(pid) / "mountinfo").read_text().splitlines()
        return tuple(sorted(point for line in lines if (point := _writable(line)) is not None))

    def _words(self, pid: int, key: str) -> Iterator[str]:
        for file in (self.proc / str(pid) / "task").glob("*/status"):
            text = _text(file) or ""
            yield from (line.split()[1] for line in text.splitlines() if line.startswith(f"{key}:"))


def parse_cpus(text: str) -> tuple[int, ...]:
    """Return the numbers in the kernel's list form, ``0-2,5``."""
    ranges = (part.partition("-") for part in text.strip().split(",") if part)
    return tuple(cpu for low, _, high in ranges for cpu in range(int(low), int(high or low) + 1))


def remove_groups(groups: Path, name: str) -> None:
    """Remove the control groups of that name in every hierarchy and those below; waits 5 s for the last
    process.
    """
    deadline = time.monotonic() + LEAVE_S
    while tops := [top for place in (groups, *groups.glob("*")) if (top := place / name).is_dir()]:
        for top in tops:
            folders = sorted((path for path in top.rglob("*") if path.is_dir()), reverse=True)
            for folder in (*folders, top):
                with contextlib.suppress(OSError):  # a process is still leaving it
                    folder.rmdir()
        if time.monotonic() > deadline:
            return
        time.sleep(0.02)


def _writable(line: str) -> str | None:
    before, _, after = line.partition(" - ")
    point, options = before.split()[4:6]
    kind, _, top = after.split()[:3]
    ours = "rw" in options.split(",") and "rw" in top.split(",")
    return point if ours and kind not in PSEUDO else None


def _first(group: Path | None, *names: str) -> str | None:
    texts = (_text(group / name) for name in names) if group is not None else iter(())
    return next((text.strip() for text in texts if text is not None), None)


def _text(path: Path) -> str | None:
    try:
        return path.read_text()
    except OSError:
        return None
