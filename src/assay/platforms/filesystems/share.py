"""A folder of the host that a guest is given by 9p or virtiofs: its device, the server behind it, seen from
outside.

Source: https://libvirt.org/formatdomain.html#filesystems; QEMU ``docs/tools/virtiofsd.rst``.
Limits: libvirt 9 has no read-only virtiofs (its virtiofsd had no such option): there the guest's mount alone
    is
read-only. CPU time of virtiofsd, a process of its own, is not in QEMU's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from xml.etree.ElementTree import SubElement

from assay.factors.base.draft import Draft
from assay.factors.data.share import CACHE, NINE_P, VIRTIOFS
from assay.model.platforms.platform import SeenFactor
from assay.platforms.errors import PlatformError

TAG = "assay-data"
"""By which the guest knows the folder."""
_DRIVERS = {NINE_P: "path", VIRTIOFS: "virtiofs"}
_ACCESS = {NINE_P: "mapped", VIRTIOFS: "passthrough"}
"""libvirt's words. QEMU, which is another user, would keep owners of 9p's files in attributes; virtiofsd is
root.
"""


@dataclass(frozen=True)
class SharedFolder:
    """A folder of the host in a guest.

    Attributes:
        kind: ``9p`` or ``virtiofs``.
        folder: It on the host, readable by QEMU's user.
        cache: What virtiofsd lets the guest keep, ``none`` or ``always``; ``None`` is its own choice.
    """

    kind: str
    folder: Path
    cache: str | None = None


def add_share(draft: Draft, share: SharedFolder) -> None:
    """Put the device of a shared folder into a guest's draft."""
    device = draft.add("devices/filesystem", type="mount", accessmode=_ACCESS[share.kind])
    SubElement(device, "driver", type=_DRIVERS[share.kind])
    if share.cache is not None:
        SubElement(SubElement(device, "binary"), "cache", mode=share.cache)
    SubElement(device, "source", dir=str(share.folder))
    SubElement(device, "target", dir=TAG)
    if share.kind == NINE_P:
        SubElement(device, "readonly")


def mount_words(share: SharedFolder, place: str, options: str) -> tuple[tuple[str, ...], ...]:
    """Return the commands by which root of a guest mounts the folder, one after the other."""
    module = "9pnet_virtio" if share.kind == NINE_P else "virtiofs"
    return (
        ("modprobe", "-a", module, share.kind),
        ("mkdir", "-p", place),
        ("mount", "-t", share.kind, "-o", options, TAG, place),
    )


def see_share(
    share: SharedFolder, command: Sequence[str], servers: Sequence[Sequence[str]]
) -> tuple[SeenFactor, ...]:
    """Return how a guest has the folder, by command lines on its host.

    Args:
        share: As asked for.
        command: QEMU's command line.
        servers: Those of all virtiofsd.

    Raises:
        PlatformError: it is not in force, with what was found instead.
    """
    return tuple(_seen(share, command, [words for words in servers if serves(share, words)]))


def serves(share: SharedFolder, words: Sequence[str]) -> bool:
    """Tell whether a virtiofsd of some command line serves the folder."""
    options = _options(words)
    return str(share.folder) in {options.get("source"), options.get("shared-dir")}


def _seen(
    share: SharedFolder, command: Sequence[str], servers: Sequence[Sequence[str]]
) -> Iterator[SeenFactor]:
    if share.kind == NINE_P:
        _require(_exports(command, share), share, "QEMU exports no such folder, read-only")
        _require(_has(command, "virtio-9p-pci"), share, "QEMU has no such device")
        yield SeenFactor("data.access", NINE_P, "-fsdev and virtio-9p-pci on QEMU's command line")
        return
    _require(_has(command, "vhost-user-fs-pci"), share, "QEMU has no such device")
    _require(bool(servers), share, "no virtiofsd serves it")
    yield SeenFactor(
        "data.access", VIRTIOFS, "vhost-user-fs-pci on QEMU's command line, the folder on virtiofsd's"
    )
    if share.cache is not None:
        cache = _options(servers[0]).get("cache", "not said")
        _require(cache == share.cache, share, f"virtiofsd's cache is {cache}")
        yield SeenFactor(CACHE, share.cache, "virtiofsd's command line")


def _options(words: Sequence[str]) -> dict[str, str]:
    """Return the options of a virtiofsd by name: ``-o source=PATH,cache=none``, and later ones
    ``--cache=none``.
    """
    parts = (part.removeprefix("--") for word in words for part in word.split(","))
    return {name: value for name, sign, value in (part.partition("=") for part in parts) if sign}


def _exports(command: Sequence[str], share: SharedFolder) -> bool:
    exported = [word.split(",") for before, word in pairwise(command) if before == "-fsdev"]
    path = f"path={share.folder}"
    return any(path in parts and {"readonly", "readonly=on"} & {*parts} for parts in exported)


def _has(command: Sequence[str], device: str) -> bool:
    return any(device in word and TAG in word for word in command)


def _require(met: bool, share: SharedFolder, problem: str) -> None:
    if not met:
        msg = f"cannot share {share.folder} by {share.kind}: {problem}"
        raise PlatformError(msg, hint="tail /var/log/libvirt/qemu/*.log")
