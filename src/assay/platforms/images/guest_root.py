"""The guest's root as a folder: packages by mmdebstrap, then the few files of ours.

Source: ``man 1 mmdebstrap``. Its mode is root: no loop mount, no user namespace, works in a container too.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from assay.model.files.packages import install_command
from assay.platforms.host_command import host_command
from assay.platforms.images.command import run_command
from assay.platforms.images.recipe import APPLETS, DPKG_OPTIONS, Recipe, own_file

_MERGED_USR = "/usr/share/mmdebstrap/hooks/merged-usr"

_STEPS = (
    ("running apt-get update", "reading package lists", 0.0),
    ("downloading packages", "downloading packages", 0.07),
    ("extracting archives", "unpacking essential packages", 0.10),
    ("installing essential", "installing essential packages", 0.25),
    ("installing remaining", "installing packages", 0.43),
    ("running --customize-hook", "fetching the kernel", 0.92),
    ("cleaning package lists", "cleaning up packages", 0.99),
)
"""mmdebstrap's announcements, our words, and the share of its time before each (31 s on a quiet machine)."""

_PLACES = {
    "init": ("usr/lib/assay/init", 0o755),
    "power-button": ("usr/lib/assay/power-button", 0o755),
    "acpi-power": ("etc/assay/acpi/PWRF/00000080", 0o755),
    "sshd_config": ("etc/assay/sshd_config", 0o644),
    "inittab": ("etc/inittab", 0o644),
    "fstab": ("etc/fstab", 0o644),
}


def make_root(
    recipe: Recipe, folder: Path, *, packages_count: int, progress: Callable[[str, float], None], log: IO[str]
) -> Path:
    """Make a guest's root with its packages and its kernel and return its folder.

    Args:
        recipe: What goes into it.
        folder: An empty folder for it and for all temporary files.
        packages_count: How many packages will be installed, for the progress.
        progress: Is called with a step's name and the fraction done.
        log: Gets mmdebstrap's output.

    Raises:
        CommandError: mmdebstrap failed.
    """
    root = folder / "root"
    variables = {"TMPDIR": str(folder), "ASSAY_KERNEL": recipe.kernel}
    watch = _watch(packages_count, progress)
    run_command(list(_mmdebstrap(recipe, folder, root)), log=log, variables=variables, watch=watch)
    for name, (place, mode) in _PLACES.items():
        _put(root / place, own_file(name), mode=mode)
    _replace_host_names(root)
    _link_applets(root)
    return root


def kernel_release(root: Path) -> str:
    """Return the release of the kernel in a guest's root."""
    return max(path.name for path in (root / "lib" / "modules").iterdir())


def take_kernel(root: Path, release: str) -> bytes:
    """Return the kernel as Debian ships it, and take it and its symbols out of a guest's root."""
    image = (root / "boot" / f"vmlinuz-{release}").read_bytes()
    for path in (root / "boot").iterdir():
        if not path.name.startswith("config-"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    return image


def take_keys(root: Path) -> None:
    """Take the host keys that a package made out of a guest's root: each guest is brought its own at its
    start.
    """
    for key in (root / "etc" / "ssh").glob("ssh_host_*"):
        key.unlink()
    place = root / "root" / ".ssh"
    place.mkdir(exist_ok=True)
    place.chmod(0o700)


def installed_packages(root: Path) -> dict[str, str]:
    """Return name and version of each package in a guest's root."""
    command = [
        "dpkg-query",
        f"--admindir={root}/var/lib/dpkg",
        "--show",
        "--showformat=${Package} ${Version}\n",
    ]
    listed = host_command(
        command, "cannot read the guest's packages", missing=install_command("dpkg"), hint="dpkg-query --show"
    )
    return dict(line.split(" ", 1) for line in listed.splitlines())


def _mmdebstrap(recipe: Recipe, folder: Path, root: Path) -> Iterator[str]:
    sources, hook, settings = folder / "sources.list", folder / "kernel-hook", folder / "apt.conf"
    sources.write_text("".join(f"{line}\n" for line in recipe.sources), encoding="utf-8")
    settings.write_text(_machine_apt_settings(), encoding="utf-8")
    _put(hook, own_file("kernel-hook"), mode=0o755)
    yield from ("mmdebstrap", "--verbose", "--mode=root", "--format=directory", "--variant=essential")
    yield from (f"--architectures={recipe.architecture}", f"--include={','.join(recipe.packages)}")
    yield from ('--aptopt=Apt::Install-Recommends "false"', f"--aptopt={settings}")
    yield from (f"--dpkgopt={option}" for option in DPKG_OPTIONS)
    yield from (f"--hook-dir={_MERGED_USR}", f"--customize-hook={hook}")
    yield from (recipe.suite, str(root), str(sources))


def _machine_apt_settings() -> str:
    """Return the machine's own settings of how packages are fetched: proxies, certificates, retries."""
    command = ["apt-config", "dump", "--no-empty", "--format", '%f "%v";%n', "Acquire"]
    dumped = host_command(
        command, "cannot read APT's settings", missing=install_command("apt"), hint="apt-config dump"
    )
    kept = [line for line in dumped.splitlines() if re.match(r"Acquire::(https?|Retries|Check-)", line)]
    logins = ['Dir::Etc::netrc "/etc/apt/auth.conf";', 'Dir::Etc::netrcparts "/etc/apt/auth.conf.d";']
    return "\n".join([*kept, *logins, ""])


def _watch(packages_count: int, progress: Callable[[str, float], None]) -> Callable[[str], None]:
    name, base, width, seen = _STEPS[0][1], 0.0, 0.0, 0

    def watch(line: str) -> None:
        nonlocal name, base, width, seen
        for index, (announcement, step, share) in enumerate(_STEPS):
            if line.startswith(f"I: {announcement}"):
                following = _STEPS[index + 1][2] if index + 1 < len(_STEPS) else 1.0
                name, base, width, seen = step, share, following - share, 0
                progress(name, base)
        if line.startswith(("Unpacking ", "Setting up ")):
            seen += 1
            progress(name, base + width * min(1.0, seen / (2 * packages_count)))

    return watch


def _replace_host_names(root: Path) -> None:
    # mmdebstrap leaves copies of this machine's resolver and name for the packages' scripts.
    _put(root / "etc/resolv.conf", b"", mode=0o644)
    _put(root / "etc/hostname", b"assay-guest\n", mode=0o644)
    _put(root / "etc/hosts", b"127.0.0.1 localhost\n::1 localhost\n", mode=0o644)


def _link_applets(root: Path) -> None:
    for name in APPLETS:
        there = (root / folder / name for folder in ("usr/bin", "usr/sbin"))
        if not any(path.exists() or path.is_symlink() for path in there):
            (root / "usr/sbin" / name).symlink_to("../bin/busybox")


def _put(path: Path, content: bytes, *, mode: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_symlink():
        path.unlink()
    path.write_bytes(content)
    path.chmod(mode)
