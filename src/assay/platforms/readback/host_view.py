"""A started guest seen from its host: what factors are verified by.

Source: QEMU QMP reference, ``man 5 proc`` (``smaps``, ``task``, ``fd``), ``man 1 qemu-img``.
Limits: QEMU's monitor is asked through libvirt, which marks the domain as tainted.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from assay.factors.base.evidence import Host, Thread
from assay.model.files.packages import install_command
from assay.platforms.errors import PlatformError
from assay.platforms.filesystems.extents import unwritten_bytes
from assay.platforms.filesystems.host_filesystem import shown_filesystem
from assay.platforms.filesystems.placed import seen_places
from assay.platforms.filesystems.superblock import root_filesystem
from assay.platforms.host_command import host_command
from assay.platforms.mounts import Mount, read_mounts
from assay.platforms.process import stat_fields
from assay.platforms.readback.control_group import group_folder, read_group
from assay.platforms.readback.cpu import PROC, parse_cpu_list, parse_status, process_of_thread
from assay.platforms.readback.monitor import ask, parse_vcpu_threads, tell
from assay.platforms.readback.smaps import parse_ram

if TYPE_CHECKING:
    from libvirt import virDomain

MOST_EXTENTS = 1000
_POLICY = 38
"""Index of the scheduler in a ``stat`` line, counted from the state on."""


class HostView:
    """Evidence of one guest (``factors.base.evidence.Evidence``), each part read once, when it is first asked
    for.

    Args:
        domain: A domain that runs or is paused.
        host: The machine that carries it: this one.
        disk: The file of its disk.
        proc: The folder of its process's folder.
    """

    def __init__(self, domain: virDomain, *, host: Host, disk: Path, proc: Path = PROC) -> None:
        self.host = host
        self._domain, self._disk, self.proc = domain, disk, proc

    @cached_property
    def live(self) -> Element:
        """libvirt's XML of the running domain."""
        return ElementTree.fromstring(str(self._domain.XMLDesc(0)))  # noqa: S314 (libvirt's own)

    @cached_property
    def pid(self) -> int:
        """Number of the QEMU process."""
        return process_of_thread(min(parse_vcpu_threads(self.ask("query-cpus-fast"))), proc=self.proc)

    @cached_property
    def command(self) -> tuple[str, ...]:
        """Words of the QEMU process's command line."""
        return tuple((self.process_file("cmdline") or "").rstrip("\0").split("\0"))

    @property
    def threads(self) -> tuple[Thread, ...]:
        """All threads of the QEMU process, as they are now."""
        threads = (self._thread(folder) for folder in (self.proc / str(self.pid) / "task").glob("*"))
        return tuple(
            sorted((thread for thread in threads if thread is not None), key=lambda thread: thread.id)
        )

    @property
    def status(self) -> Mapping[str, str]:
        """Fields of ``/proc/PID/status``."""
        return parse_status(self.process_file("status") or "")

    @property
    def ram(self) -> Mapping[str, str]:
        """The mappings that hold the guest's memory, as one."""
        sizes = [int(device["size"]) for device in self.ask("query-memdev")]
        return parse_ram(self.process_file("smaps") or "", sizes)

    @cached_property
    def open_files(self) -> tuple[str, ...]:
        """What the links in ``/proc/PID/fd`` lead to; raises ``PlatformError`` where we may not look."""
        targets = (_target(link) for link in self._links())
        return tuple(str(target) for target in targets if target is not None)

    @cached_property
    def disk(self) -> Mapping[str, Any]:
        """What ``qemu-img`` tells of its disk, with what the kernel tells beside."""
        path = str(self._disk)
        unwritten = unwritten_bytes(self._disk)  # first: it brings the file's blocks to where they will be
        info = _qemu_img("info", path)
        return {
            **info,
            "allocated": self._disk.stat().st_blocks * 512,
            "map": _qemu_img("map", path)[:MOST_EXTENTS],
            "unwritten": unwritten,
            "direct": self._direct(),
            "root": root_filesystem(self._disk, info["format"]),
            "filesystem": shown_filesystem(self._disk.resolve(), self._mounts()),
            "places": seen_places(self._disk.resolve(), self._mounts()),
        }

    def ask(self, command: str, **arguments: Any) -> Any:
        """Return QEMU's answer to a QMP command."""
        return ask(self._domain, command, **arguments)

    def monitor(self, line: str) -> str:
        """Return what QEMU's human monitor prints."""
        return tell(self._domain, line)

    def group_file(self, name: str, group: str = "") -> str | None:
        """Return the text of a file of its control group, or of one below it."""
        cgroup, mounts = self.process_file("cgroup") or "", self.process_file("mounts") or ""
        folder = group_folder(cgroup, mounts, name.partition(".")[0])
        return None if folder is None else read_group(folder, group, name)

    def process_file(self, name: str) -> str | None:
        """Return the text of a file below ``/proc/PID``."""
        try:
            return (self.proc / str(self.pid) / name).read_text(errors="replace")
        except OSError:
            return None

    def _direct(self) -> bool | None:
        path = self._resolved()
        numbers = [link.name for link in self._links() if _target(link) == path]
        files = [self.process_file(f"fdinfo/{number}") for number in numbers]
        flags = [int(parse_status(text)["flags"], 8) for text in files if text]
        return all(flag & os.O_DIRECT for flag in flags) if flags else None

    def _resolved(self) -> Path:
        return self._disk.resolve()

    def _links(self) -> list[Path]:
        folder = self.proc / str(self.pid) / "fd"
        try:
            return sorted(folder.iterdir(), key=lambda path: int(path.name))
        except OSError as error:
            msg = f"cannot look at the guest's open files: {folder}, only root may look at QEMU's files"
            raise PlatformError(msg, hint=f"ls -l {folder}") from error

    def _mounts(self) -> tuple[Mount, ...]:
        try:
            return read_mounts(self.proc / str(self.pid) / "mountinfo")
        except OSError:
            return ()

    def _thread(self, folder: Path) -> Thread | None:
        try:
            status = parse_status((folder / "status").read_text())
            policy = int(stat_fields((folder / "stat").read_text())[_POLICY])
            name = (folder / "comm").read_text().strip()
        except (FileNotFoundError, ProcessLookupError):
            return None  # it ended meanwhile
        return Thread(int(folder.name), name, parse_cpu_list(status["Cpus_allowed_list"]), policy)


def _target(link: Path) -> Path | None:
    try:
        return link.readlink()
    except OSError:
        return None  # it was closed meanwhile


def _qemu_img(word: str, path: str) -> Any:
    command = ["qemu-img", word, "-U", "--output=json", path]
    cannot, missing = f"cannot look at the guest's disk: {path}", install_command("qemu-utils")
    return json.loads(host_command(command, cannot, missing=missing, hint=missing))
