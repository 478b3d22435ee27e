"""A guest on another machine seen from that machine: what factors are verified by.

QEMU answers through libvirt; the kernel's files of its process are copied here at one moment and read as
those of a process of this machine are.

Source: ``man 8 filefrag`` (``-s``, ``-v``, ``-b1``: extents in bytes, with their flags).
Limits: where ``filefrag`` is not installed, extents that were never written are not told, so falloc and full
    are not
told apart.
"""

from __future__ import annotations

import re
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.factors.base.evidence import Host
from assay.model.errors import AssayError, Exit
from assay.model.files.json_text import check_numbers, parse_json
from assay.platforms.errors import PlatformError
from assay.platforms.readback.control_group import group_folder
from assay.platforms.readback.host_view import MOST_EXTENTS, HostView
from assay.platforms.remote.door import RemoteDoor
from assay.platforms.remote.files import STEP_S, read_texts, understood

if TYPE_CHECKING:
    from libvirt import virDomain

_EXTENT = re.compile(r"\s*\d+:")


class RemoteHostView(HostView):
    """Evidence of a guest on another machine.

    Args:
        domain: A domain that runs or is paused.
        host: The machine that carries it.
        disk: The file of its disk there.
        proc: Folder here that holds the files of its QEMU process, as they were at one moment.
        pid: Number of that process there.
        door: To the machine.
    """

    def __init__(
        self, domain: virDomain, *, host: Host, disk: Path, proc: Path, pid: int, door: RemoteDoor
    ) -> None:
        super().__init__(domain, host=host, disk=disk, proc=proc)
        self._number, self._door = pid, door

    @cached_property
    def pid(self) -> int:
        """Number of the QEMU process there."""
        return self._number

    @cached_property
    def disk(self) -> dict[str, Any]:
        """What ``qemu-img`` tells of its disk there, with what the kernel tells beside."""
        path = str(self._disk)
        unwritten = self._unwritten(path)  # first: it brings the file's blocks to where they will be
        with understood(self._door, "what qemu-img and stat tell of a disk"):
            blocks, unit = self._output("stat", "-c", "%b %B", "--", path).split()
            reported = {
                **self._qemu_img("info", path),
                "allocated": int(blocks) * int(unit),
                "map": self._qemu_img("map", path)[:MOST_EXTENTS],
            }
            check_numbers(reported)
        return {
            **reported,
            "unwritten": unwritten,
            "direct": self._direct(),
            "root": None,
            "filesystem": None,
        }

    def group_file(self, name: str, group: str = "") -> str | None:
        """Return the text of a file of its control group, or of one below it."""
        cgroup, mounts = self.process_file("cgroup") or "", self.process_file("mounts") or ""
        folder = group_folder(cgroup, mounts, name.partition(".")[0])
        if folder is None:
            return None
        places = [str(folder / below / group / name) for below in ("", "libvirt")]
        texts = read_texts(self._door, *places)
        return next((texts[place].strip() for place in places if place in texts), None)

    def _unwritten(self, path: str) -> int | None:
        try:
            with understood(self._door, "extents of a file"):
                unwritten = parse_unwritten(self._output("filefrag", "-s", "-v", "-b1", "--", path))
                check_numbers(unwritten)
                return unwritten
        except PlatformError:
            return None

    def _resolved(self) -> Path:
        return self._disk  # over there it is without links

    def _qemu_img(self, word: str, path: str) -> Any:
        return parse_json(self._output("qemu-img", word, "-U", "--output=json", path))

    def _output(self, *argv: str) -> str:
        try:
            return self._door.run(argv, timeout_s=STEP_S).decode(errors="replace")
        except AssayError as error:
            if error.exit_code is Exit.UNREACHABLE:
                raise
            msg = f"cannot look at the guest's disk on {self._door.name}: {error.message}"
            raise PlatformError(msg, hint=error.hint) from error


def parse_unwritten(text: str) -> int:
    """Return the bytes of a file that have room and were never written, from ``filefrag -v -b1``."""
    rows = (line.split(":") for line in text.splitlines() if _EXTENT.match(line))
    return sum(int(row[3]) for row in rows if "unwritten" in row[-1])
