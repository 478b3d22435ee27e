"""What to type to install packages: Debian's command, or that of Enterprise Linux and Fedora."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from assay.model.files.packages import install_command

SOURCES = Path(__file__).parents[2] / "src" / "assay"


def on(*programs: str, packages: str) -> str:
    return install_command(*packages.split(), has=programs.__contains__)


@pytest.mark.parametrize("programs", [(), ("apt-get",), ("apt-get", "dnf")])
def test_debian_and_an_unknown_machine_are_told_debians_command_and_names(programs: tuple[str, ...]) -> None:
    assert on(*programs, packages="qemu-utils iproute2") == "apt install qemu-utils iproute2"


@pytest.mark.parametrize(
    ("packages", "command"),
    [
        ("podman runc", "dnf install podman runc"),
        (
            "libvirt-daemon-system qemu-system-x86 qemu-utils",
            "dnf install libvirt qemu-kvm qemu-img",
        ),
        ("libvirt-dev gcc", "dnf install libvirt-devel gcc; libvirt-devel is in CRB"),
        ("mount util-linux", "dnf install util-linux"),
        ("xrootd-client", "dnf install xrootd-client; xrootd-client is in EPEL"),
    ],
)
def test_enterprise_linux_is_told_its_own_names_and_the_repository(packages: str, command: str) -> None:
    assert on("dnf", packages=packages) == command


def test_a_package_that_enterprise_linux_lacks_is_not_in_the_command() -> None:
    assert on("dnf", packages="btrfs-progs") == "btrfs-progs is not in Enterprise Linux"
    assert (
        on("dnf", packages="xfsprogs btrfs-progs")
        == "dnf install xfsprogs; btrfs-progs is not in Enterprise Linux"
    )


def test_no_other_code_names_debians_command() -> None:
    found = [
        str(path.relative_to(SOURCES))
        for path in SOURCES.rglob("*.py")
        if re.search(r"\bapt(-get)? install\b", path.read_text())
    ]
    assert found == ["model/files/packages.py"]
