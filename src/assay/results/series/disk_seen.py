"""The disk that carried a trial's folder, from what is kept of its machine at that boot (``docs/facts.md``,
storage).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from assay.explain.sanity import Disk
from assay.model.errors import AssayError
from assay.store.confined import is_plain_name
from assay.store.fingerprints import read_kept_fingerprint

PhaseEvent = Mapping[str, object]


def disk_of(folder: Path, boot: str) -> Disk | None:
    """Return the disk below the folder of the trials of a boot; ``None`` where its machine does not tell, or
    there is none.

    Args:
        folder: The activity's folder, which keeps the facts of each boot.
        boot: Identity of the boot.
    """
    if not is_plain_name(boot):
        return None
    try:
        storage = read_kept_fingerprint(folder / "facts" / f"{boot}.json").groups.get("storage")
    except AssayError:  # there is none, or it is damaged: nothing is told of the disk
        return None
    return disk_from(storage or {})


def disk_from(storage: PhaseEvent) -> Disk | None:
    """Return the disk of a file system from the facts of storage; a partition's is the disk that it is part
    of.

    Limits: a volume over several disks has a name of its own, and is none of them.
    """
    disks, below = storage.get("disks"), storage.get("file_system")
    source = below.get("source") if isinstance(below, Mapping) else None
    if not isinstance(disks, Mapping) or not isinstance(source, str) or not source.startswith("/dev/"):
        return None
    device = source.removeprefix("/dev/")
    name = max((name for name in disks if _is_part(device, name)), key=len, default=None)
    reported = disks.get(name) if name is not None else None
    if name is None or not isinstance(reported, Mapping):
        return None
    model, rotational = reported.get("model"), reported.get("rotational")
    return Disk(
        name, model if isinstance(model, str) else None, rotational if isinstance(rotational, bool) else None
    )


def _is_part(device: str, disk: str) -> bool:
    """Tell whether a device is a disk, or one of its partitions: ``sda1`` of ``sda``, ``nvme0n1p2`` of
    ``nvme0n1``.
    """
    if not device.startswith(disk):
        return False
    rest = device.removeprefix(disk)
    return not rest or rest.isdigit() or (disk[-1].isdigit() and rest[0] == "p" and rest[1:].isdigit())
