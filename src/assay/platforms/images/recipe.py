"""What a guest's image is made of; two recipes of one digest give guests that behave the same."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from importlib.resources import files

from assay.platforms.host_command import host_command
from assay.platforms.images.initrd import Drivers
from assay.platforms.images.root_disk import CARRIED_IF_THERE, CARRIED_MODULES
from assay.platforms.images.sources import Source, machine_sources

VERSION = 2
"""Counts changes of how an image is put together that no field of the recipe shows."""

PACKAGES = ("busybox-static", "fio", "iperf3", "kmod", "openssh-server", "sysbench", "usr-is-merged")
"""In every guest beside the essential packages; ``usr-is-merged`` saves perl, which ``usrmerge`` needs."""

DPKG_OPTIONS = (
    "force-unsafe-io",
    "path-exclude=/usr/share/man/*",
    "path-exclude=/usr/share/locale/*",
    "path-exclude=/usr/share/doc/*",
)
"""No ``fsync`` while installing (a build that is cut off is thrown away), nothing that nobody reads."""

DISK_BYTES = 4 * 1024**3
"""Sparse; leaves about 3 GiB to workloads."""

MKFS_OPTIONS = ("-L", "assay-root", "-m", "0", "-E", "lazy_itable_init=0,lazy_journal_init=0,root_owner=0:0")
"""mke2fs's own features. Not lazy: else the guest's kernel would write inode tables beside a workload."""

DRIVERS = Drivers(
    ("virtio_pci", "virtio_blk", "ext4", "virtio_net", "virtio_rng"),
    # what udev would load for the processor and ext4 uses for its checksums: a slower one would be a loss of
    # ours
    loaded_if_there=("crc32c_intel",),
    carried=CARRIED_MODULES,
    carried_if_there=CARRIED_IF_THERE,
)
"""What the initrd holds and loads."""

APPLETS = ("halt", "ip", "mount", "poweroff", "reboot", "umount")
"""busybox's, where no package brings the command. No more of them: a workload must not find by chance
another program in the guest than the one it finds on the host."""


@dataclass(frozen=True)
class Recipe:
    """All that determines what is in an image.

    Attributes:
        suite: Codename of the release, ``bookworm``.
        architecture: Debian's word for it, ``amd64``.
        sources: APT entries, one line each.
        suites: ``(codename, component)`` of each entry: the part of it that decides the content.
        packages: Packages to install, sorted.
        kernel: Package of the kernel.
        files: SHA-256 of the files of ours that go into it and of the options of the tools.
        foreign: It is not the release of the machine, whose APT has no lists of it.
        version: ``VERSION``.
    """

    suite: str
    architecture: str
    sources: tuple[str, ...]
    suites: tuple[tuple[str, str], ...]
    packages: tuple[str, ...]
    kernel: str
    files: str
    foreign: bool = False
    version: int = VERSION

    @property
    def digest(self) -> str:
        """16 hexadecimal digits; mirrors' names and packages' versions have no part in it."""
        parts = [
            self.suite,
            self.architecture,
            self.suites,
            self.packages,
            self.kernel,
            self.files,
            self.version,
        ]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


def current_recipe(
    extra_packages: Sequence[str] = (), *, release: str | None = None, apt_options: Sequence[str] = ()
) -> Recipe:
    """Return the recipe for this machine's release, or for another one of its distribution.

    Args:
        extra_packages: Names of packages beside ``PACKAGES``; not looked up here.
        release: Codename of another release; not looked up here. ``None`` is the machine's.
        apt_options: Further options for ``apt-get``, to read other sources than the machine's.

    Raises:
        MissingError: APT has no sources of the running distribution, or the tools are not there.
    """
    sources = machine_sources(apt_options, release=release)
    architecture = _architecture()
    kernel = chosen_kernel(extra_packages, architecture)
    return Recipe(
        suite=_suite(sources),
        architecture=architecture,
        sources=tuple(source.line for source in sources),
        suites=tuple(sorted({(source.codename, source.component) for source in sources})),
        packages=tuple(sorted({*PACKAGES, *extra_packages} - {kernel})),
        kernel=kernel,
        files=_digest_of_ours(),
        foreign=release is not None,
    )


def chosen_kernel(packages: Sequence[str], architecture: str) -> str:
    """Return the package of the kernel: Debian's cloud kernel, or its full one where that is asked for.

    The full one has drivers and file systems that the other lacks (``sata``, 9p).
    """
    full = f"linux-image-{architecture}"
    return full if full in packages else f"linux-image-cloud-{architecture}"


def has_full_kernel(packages: Sequence[str]) -> bool:
    """Tell whether an image with these packages has Debian's full kernel, whatever the architecture."""
    return any(re.fullmatch(r"linux-image-[a-z0-9]+", name) for name in packages)


def own_file(name: str) -> bytes:
    """Return a file of ours that goes into images."""
    return (files("assay.platforms") / "image" / name).read_bytes()


OWN_FILES = (
    "acpi-power",
    "fstab",
    "init",
    "initrd-init",
    "inittab",
    "kernel-hook",
    "power-button",
    "sshd_config",
)


def _suite(sources: Sequence[Source]) -> str:
    return min((source.codename for source in sources), key=lambda name: (len(name), name))


def _architecture() -> str:
    cannot, on = "cannot plan a guest image", "guest images are built on Debian and its relatives"
    return host_command(["dpkg", "--print-architecture"], cannot, missing=on, hint=on).strip()


def _digest_of_ours() -> str:
    whole = hashlib.sha256()
    options = [DPKG_OPTIONS, DISK_BYTES, MKFS_OPTIONS, astuple(DRIVERS), APPLETS]
    whole.update(json.dumps(options).encode())
    for name in OWN_FILES:
        content = own_file(name)
        whole.update(f"\0{name}\0{len(content)}\0".encode() + content)
    return whole.hexdigest()
