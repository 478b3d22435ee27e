"""The disk that takes a guest's writes; the image below or behind it is never written to."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from assay.factors.base.draft import Draft
from assay.model.files.packages import install_command
from assay.platforms.host_command import HOUR_S, host_command

"""A copy of a large image, written in full: a minute was seen for 4 GiB on a slow disk."""


@dataclass(frozen=True)
class Maker:
    """What disks are made by, on the machine where they lie.

    Attributes:
        qemu_img: Runs ``qemu-img`` with words, for the disk at a path.
        flush: Brings a file onto its device.
    """

    qemu_img: Callable[[list[str], Path], None]
    flush: Callable[[Path], None]


def make_disk(draft: Draft, path: Path, *, image: Path, by: Maker | None = None) -> None:
    """Make a guest's disk: over its image's, or where a factor asks for another one, a copy of it.

    Args:
        draft: Tells format, options and depth.
        path: Where it shall lie; its folder must be there.
        image: The image's disk, raw.
        by: What makes it; ``None`` makes it here.

    Raises:
        MissingError: ``qemu-img`` is not installed; nothing was made.
        PlatformError: it could not be made.
    """
    maker = by or Maker(_run, flush)
    if draft.disk_depth == 0:
        kind = ["-f", "raw", "-O", draft.disk_format]
        maker.qemu_img(["convert", "-q", *kind, *_options(draft), str(image), str(path)], path)
        maker.flush(path)
    else:
        _stack(draft, path, base=image, run=maker.qemu_img)


def make_empty_disk(draft: Draft, path: Path, *, size_bytes: int) -> None:
    """Make an empty disk of a draft's format, options and depth; raises as ``make_disk``."""
    if draft.disk_depth == 0:
        _run(["create", "-q", "-f", draft.disk_format, *_options(draft), str(path), str(size_bytes)], path)
        flush(path)
    else:
        base = path.with_name("disk.base.img")
        base.touch()
        os.truncate(base, size_bytes)
        _stack(draft, path, base=base, run=_run)


def overlays_below(path: Path, depth: int) -> tuple[Path, ...]:
    """Return the overlays between a disk and what lies at the bottom, the lowest first."""
    return tuple(path.with_name(f"disk.{number}.img") for number in range(1, depth))


def flush(path: Path) -> None:
    """Bring a file onto its device: what is written back later would be a load beside a workload."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _stack(draft: Draft, path: Path, *, base: Path, run: Callable[[list[str], Path], None]) -> None:
    below, kind = base, "raw"
    for overlay in (*overlays_below(path, draft.disk_depth), path):
        over = ["-b", str(below), "-F", kind]
        run(["create", "-q", "-f", "qcow2", *_options(draft), *over, str(overlay)], path)
        below, kind = overlay, "qcow2"


def copy_disk(source: Path, path: Path) -> None:
    """Copy a disk that nobody writes to, holes and all; shared on the host where its file system can.

    Raises:
        PlatformError: it could not be copied, most often as the file system is full; or it took over an hour.
    """
    command = ["cp", "--reflink=auto", "--sparse=always", "--", str(source), str(path)]
    cannot, hint = f"cannot copy the guest's disk: {path}", f"df -h {path.parent}"
    host_command(command, cannot, missing=install_command("coreutils"), hint=hint, timeout_s=HOUR_S)


def _options(draft: Draft) -> list[str]:
    options = ",".join(f"{name}={value}" for name, value in draft.disk_options.items())
    return ["-o", options] if options else []


def _run(words: list[str], path: Path) -> None:
    cannot, hint = f"cannot make the guest's disk: {path}", f"df -h {path.parent}"
    host_command(
        ["qemu-img", *words], cannot, missing=install_command("qemu-utils"), hint=hint, timeout_s=HOUR_S
    )
