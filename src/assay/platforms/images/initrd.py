"""The guest's first file system: busybox, the drivers of its disk and networks, and one script.

Source: Linux ``Documentation/driver-api/early-userspace/buffer-format.rst`` (cpio "newc").
"""

from __future__ import annotations

import gzip
import lzma
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from assay.platforms.errors import PlatformError
from assay.platforms.host_command import run


@dataclass(frozen=True)
class Entry:
    """One file of an archive.

    Attributes:
        name: Path without a leading slash.
        mode: Type and permissions as in ``st_mode``.
        content: A file's content or a link's target; empty for folders and devices.
        device: Major and minor number of a device file.
    """

    name: str
    mode: int
    content: bytes = b""
    device: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class Drivers:
    """Drivers of a first file system, by their modules' names; those built into the kernel are left out.

    Attributes:
        loaded: Loaded in this order.
        loaded_if_there: Loaded before them where the kernel has them as modules.
        carried: Loaded where the script is told to.
        carried_if_there: The same, of those that the kernel has as modules.
    """

    loaded: tuple[str, ...]
    loaded_if_there: tuple[str, ...] = ()
    carried: tuple[str, ...] = ()
    carried_if_there: tuple[str, ...] = ()


def archive(entries: Iterable[Entry]) -> bytes:
    """Return a cpio archive in the format that the kernel unpacks, all files owned by root."""
    listed = [*entries, Entry("TRAILER!!!", 0)]
    return b"".join(part for number, entry in enumerate(listed, 1) for part in _record(number, entry))


def make_initrd(root: Path, release: str, *, script: bytes, drivers: Drivers) -> bytes:
    """Return the initrd for a kernel of a guest's root.

    Args:
        root: The guest's root, with ``/bin/busybox`` and ``/lib/modules/<release>``.
        release: The kernel's release.
        script: What runs as the first process.
        drivers: What it holds and loads.

    Raises:
        ValueError: a driver that must be there is neither a module of this kernel nor built in.
    """
    folder = root / "lib" / "modules" / release
    table = dict(_dependencies((folder / "modules.dep").read_text()))
    names = {_name(path): path for path in table}
    wanted = [name for name in drivers.loaded_if_there if _plain(name) in names]
    wanted += [name for name in drivers.loaded if not _is_built_in(folder, name)]
    held = [*wanted, *(name for name in drivers.carried if not _is_built_in(folder, name))]
    held += [name for name in drivers.carried_if_there if _plain(name) in names]
    paths = [names.get(_plain(name)) or _refuse(name, folder) for name in held]
    needed = {each: table[each] for path in paths for each in (path, *table[path])}
    return archive([*_frame(root, script, wanted), *_module_entries(folder, needed)])


def _record(number: int, entry: Entry) -> tuple[bytes, ...]:
    name = entry.name.encode() + b"\0"
    fields = (number, entry.mode, 0, 0, 1, 0, len(entry.content), 0, 0, *entry.device, len(name), 0)
    header = b"070701" + b"".join(b"%08X" % field for field in fields)
    return header + name, _pad(len(header) + len(name)), entry.content, _pad(len(entry.content))


def _pad(length: int) -> bytes:
    return b"\0" * (-length % 4)


def _frame(root: Path, script: bytes, wanted: Iterable[str]) -> list[Entry]:
    folders = [Entry(name, stat.S_IFDIR | 0o755) for name in ("bin", "dev", "lib", "proc", "root")]
    busybox = (root / "bin" / "busybox").read_bytes()
    return [
        *folders,
        Entry("dev/console", stat.S_IFCHR | 0o600, device=(5, 1)),
        Entry("bin/busybox", stat.S_IFREG | 0o755, busybox),
        Entry("init", stat.S_IFREG | 0o755, script),
        Entry("modules", stat.S_IFREG | 0o644, " ".join(wanted).encode() + b"\n"),
    ]


def _is_built_in(folder: Path, name: str) -> bool:
    built_in = (folder / "modules.builtin").read_text().split()
    return _plain(name) in {_name(path) for path in built_in}


def _refuse(name: str, folder: Path) -> NoReturn:
    msg = f"no module and nothing built in named {name} in {folder}"
    raise ValueError(msg)


def _dependencies(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    for line in text.splitlines():
        path, _, needs = line.partition(":")
        yield path, tuple(needs.split())


def _module_entries(folder: Path, needed: dict[str, tuple[str, ...]]) -> Iterator[Entry]:
    base = Path("lib/modules") / folder.name
    yield Entry("lib/modules", stat.S_IFDIR | 0o755)
    yield Entry(str(base), stat.S_IFDIR | 0o755)
    for path in needed:
        yield Entry(str(base / _flat(path)), stat.S_IFREG | 0o644, _unpacked(folder / path))
    lines = [
        f"{_flat(path)}:{''.join(f' {_flat(need)}' for need in needs)}\n" for path, needs in needed.items()
    ]
    yield Entry(str(base / "modules.dep"), stat.S_IFREG | 0o644, "".join(lines).encode())


def _flat(path: str) -> str:
    return Path(path).name.split(".")[0] + ".ko"


def _name(path: str) -> str:
    return _plain(Path(path).name.split(".")[0])


def _plain(name: str) -> str:
    return name.replace("-", "_")  # the kernel and its tools take both for the same


def _unpacked(path: Path) -> bytes:
    # busybox's modprobe hands the file to the kernel as it is.
    if path.suffix == ".xz":
        return lzma.decompress(path.read_bytes())
    if path.suffix == ".gz":
        return gzip.decompress(path.read_bytes())
    if path.suffix == ".zst":
        ended = run(["zstd", "-dcq", str(path)])
        if ended.code:
            msg = f"cannot unpack {path}: zstd says: {ended.words}"
            raise PlatformError(msg, hint="reinstall the package of the kernel")
        return ended.stdout
    return path.read_bytes()
