"""Factors of how the host reads and writes a guest's disk."""

from __future__ import annotations

from assay.factors.base.draft import Draft
from assay.factors.base.evidence import Evidence, Host
from assay.factors.base.factor import BOSS_TUNING, Effect, Factor, Hazard
from assay.factors.base.levels import Size, Words, spell_bytes
from assay.factors.base.versions import too_old
from assay.factors.disk import seen as disk_seen
from assay.model.units import parse_bytes

_MODES = {
    # (write cache, direct, no flush), from QEMU's manual, -drive cache=
    (True, True, False): "none",
    (True, False, False): "writeback",
    (False, False, False): "writethrough",
    (False, True, False): "directsync",
    (True, False, True): "unsafe",
}
_IO_URING_DISABLED = "/proc/sys/kernel/io_uring_disabled"
_DRIVER = "devices/disk/driver"


def _cache(draft: Draft, level: str) -> None:
    draft.at(_DRIVER, cache=level)


def _actual_cache(seen: Evidence, _wanted: str) -> str:
    # the write cache is the device's, the rest the format's: a filter between them (copy on read) has none
    write_cache = bool(disk_seen.block(seen)["inserted"]["cache"]["writeback"])
    cache = disk_seen.node(seen)["cache"]
    flags = (write_cache, bool(cache["direct"]), bool(cache["no-flush"]))
    mode = _MODES.get(flags, f"write cache, direct, no flush are {flags}")
    opened = seen.disk.get("direct")
    if opened in (None, flags[1]):
        return mode
    return f"{mode} for QEMU, and the file is open {'with' if opened else 'without'} O_DIRECT"


def _io(draft: Draft, level: str) -> None:
    draft.at(_DRIVER, io=level)


def _actual_io(seen: Evidence, _wanted: str) -> str:
    # QEMU may use io_uring for its own loop, so what it was told for the disk comes first
    reported = disk_seen.storage(seen)
    if reported is None:
        return "not told"
    way = str(reported.get("aio", "threads"))
    return way if way == "threads" else _witnessed(seen, way)


def _witnessed(seen: Evidence, way: str) -> str:
    maps = seen.process_file("maps")
    if maps is None:
        return "not told"  # who may not read them may not read the open files either
    there = "/[aio]" in maps if way == "native" else "anon_inode:[io_uring]" in seen.open_files
    return way if there else f"{way} for QEMU, and it has none open"


def _needs_io(host: Host, level: str | None) -> str | None:
    if level != "io_uring":
        return None
    if host.read(_IO_URING_DISABLED) not in (None, "0"):
        return f"this kernel forbids io_uring; echo 0 > {_IO_URING_DISABLED}"
    return too_old(host, libvirt=(6, 3, 0), qemu=(5, 0, 0))


def _metadata_cache(draft: Draft, level: str) -> None:
    draft.at(f"{_DRIVER}/metadata_cache/max_size", unit="bytes").text = str(parse_bytes(level))


def _actual_metadata_cache(seen: Evidence, _wanted: str) -> str:
    sizes = [one["cache-size"] for one in disk_seen.options(seen) if "cache-size" in one]
    return spell_bytes(int(sizes[0])) if sizes else "QEMU's own"


def _needs_metadata_cache(host: Host, _level: str | None) -> str | None:
    return too_old(host, libvirt=(7, 0, 0))


FACTORS = (
    Factor(
        "disk.cache",
        "how the host caches the guest's disk",
        Words(("none", "writeback", "writethrough", "directsync", "unsafe")),
        "none",
        "devices/disk/driver/@cache",
        "QMP query-block (write cache), query-named-block-nodes (direct, no flush); O_DIRECT in "
        "/proc/PID/fdinfo",
        _actual_cache,
        edit=_cache,
        hazards=(Hazard.DATA, Hazard.MIGRATION),
        effects=(Effect("10 % between writeback and writethrough", "I/O", "JUNO 2017 2.4"), BOSS_TUNING),
        note="under writeback a guest's reads come from the host's memory: compare bytes at the "
        "host's device",
    ),
    Factor(
        "disk.io",
        "how QEMU hands the disk's requests to the kernel",
        Words(("threads", "native", "io_uring")),
        "threads",
        "devices/disk/driver/@io",
        "QEMU's command line, aio of the storage's -blockdev; /proc/PID/fd (io_uring), "
        "/proc/PID/maps (native)",
        _actual_io,
        edit=_io,
        needs=_needs_io,
    ),
    Factor(
        "disk.metadata_cache",
        "memory that QEMU may take for a qcow2 disk's tables",
        Size("1 MiB", "1 GiB", ("1 MiB", "8 MiB", "32 MiB")),
        "QEMU's own: 32 MiB, enough for 256 GiB of 64 KiB clusters",
        "devices/disk/driver/metadata_cache/max_size",
        "QEMU's command line, cache-size of the format's -blockdev (QMP is silent)",
        _actual_metadata_cache,
        edit=_metadata_cache,
        hazards=(Hazard.MEMORY,),
        needs=_needs_metadata_cache,
        effects=(
            Effect("500 to 16,000 IOPS where it covers the disk", "random 4K writes", "QEMU commit b70d082"),
        ),
    ),
)
