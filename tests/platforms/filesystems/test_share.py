"""A folder of the host in a guest: how it is mounted there, and how it is seen from outside."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from assay.factors.data.share import mount_options, mounted_kind, mounted_msize, needs_share
from assay.model.platforms.platform import SeenFactor
from assay.platforms.errors import PlatformError
from assay.platforms.filesystems.share import SharedFolder, mount_words, see_share
from assay.platforms.filesystems.share_server import ShareServer, share_servers
from assay.platforms.guests.specfile import read_spec, write_spec
from assay.platforms.saved_states.saved import must_boot
from tests.factors.parts import FakeHost
from tests.platforms.guests.test_domain import TCG

DATA = Path("/var/lib/assay/work/data")
NINE_P, VIRTIOFS = SharedFolder("9p", DATA), SharedFolder("virtiofs", DATA, "always")
EXPORT = f"local,security_model=mapped,id=fsdev-fs0,path={DATA},readonly"
DEVICE = '{"driver":"virtio-9p-pci","id":"fs0","fsdev":"fsdev-fs0","mount_tag":"assay-data","bus":"pci.1","addr":"0x0"}'  # noqa: E501
VHOST = '{"driver":"vhost-user-fs-pci","id":"fs0","chardev":"chr-vu-fs0","tag":"assay-data","bus":"pci.1","addr":"0x0"}'  # noqa: E501
SERVER = ("/usr/lib/qemu/virtiofsd", "--fd=40", "-o", f"source={DATA},cache=always")
"""Recorded with libvirt 9.0.0 and QEMU 7.2.22; paths shortened."""


def test_9p_is_seen_in_force_on_qemus_command_line() -> None:
    command = ("qemu-system-x86_64", "-fsdev", EXPORT, "-device", DEVICE)
    assert see_share(NINE_P, command, ()) == (
        SeenFactor("data.access", "9p", "-fsdev and virtio-9p-pci on QEMU's command line"),
    )


def test_virtiofs_is_seen_in_qemu_and_in_the_process_that_serves_the_folder() -> None:
    other = ("/usr/lib/qemu/virtiofsd", "--fd=30", "-o", "source=/srv,cache=none")
    seen = see_share(VIRTIOFS, ("-device", VHOST), (other, SERVER))
    assert [(one.name, one.level) for one in seen] == [
        ("data.access", "virtiofs"),
        ("data.virtiofs-cache", "always"),
    ]


def test_a_virtiofsd_of_its_own_words_is_read_as_well() -> None:
    server = ("/usr/libexec/virtiofsd", "--fd=31", f"--shared-dir={DATA}", "--cache=always")
    assert see_share(VIRTIOFS, ("-device", VHOST), (server,))


@pytest.mark.parametrize(
    ("share", "command", "servers", "found"),
    [
        (
            NINE_P,
            ("-fsdev", EXPORT.replace(",readonly", ""), DEVICE),
            (),
            "exports no such folder, read-only",
        ),
        (NINE_P, ("-fsdev", EXPORT), (), "QEMU has no such device"),
        (VIRTIOFS, (), (SERVER,), "QEMU has no such device"),
        (VIRTIOFS, (VHOST,), (), "no virtiofsd serves it"),
        (VIRTIOFS, (VHOST,), ((*SERVER[:3], f"source={DATA},cache=none"),), "virtiofsd's cache is none"),
        (VIRTIOFS, (VHOST,), ((*SERVER[:3], f"source={DATA}"),), "virtiofsd's cache is not said"),
    ],
)
def test_what_is_not_in_force_is_an_error(
    share: SharedFolder, command: tuple[str, ...], servers: tuple[tuple[str, ...], ...], found: str
) -> None:
    with pytest.raises(PlatformError, match=found):
        see_share(share, command, servers)


def test_the_guest_mounts_it_read_only_with_the_size_of_its_requests() -> None:
    options = mount_options("9p", {"data.9p-msize": "512000 B"})
    assert options == "ro,trans=virtio,version=9p2000.L,msize=512000"
    assert mount_words(NINE_P, "/mnt/data", options)[-1] == (
        "mount", "-t", "9p", "-o", options, "assay-data", "/mnt/data",
    )  # fmt: skip
    assert mount_options("9p", {}) == "ro,trans=virtio,version=9p2000.L"
    assert mount_options("virtiofs", {}) == "ro"


def test_the_guests_own_kernel_tells_mount_and_msize() -> None:
    line = "assay-data /mnt/data 9p {} 0 0\n"
    default = line.format("ro,sync,dirsync,relatime,access=client,trans=virtio")
    asked = line.format("ro,sync,dirsync,relatime,access=client,msize=8192,trans=virtio")
    assert mounted_kind(default, "/mnt/data") == "9p"
    assert mounted_msize(default, "/mnt/data") == "128 KiB"
    assert mounted_msize(asked, "/mnt/data") == "8 KiB"
    assert mounted_msize(line.format("ro,msize=65536"), "/mnt/data") == "65536 B"
    assert mounted_kind(line.format("rw,trans=virtio"), "/mnt/data") == "9p that can be written to"
    assert mounted_kind(default, "/mnt") == "nothing is mounted"


def test_virtiofs_needs_its_server_on_the_host() -> None:
    assert needs_share(FakeHost(), "9p") is None
    assert needs_share(FakeHost(), "virtiofs") == (
        "virtiofsd is not installed: apt install virtiofsd, or qemu-system-common before Debian 13"
    )
    assert needs_share(FakeHost({"/usr/share/qemu/vhost-user/50-virtiofsd.json": "{}"}), "virtiofs") is None


def test_its_servers_are_found_by_their_command_lines(tmp_path: Path) -> None:
    for pid, words in ((7, SERVER), (8, ("sleep", "virtiofsd"))):
        (tmp_path / str(pid)).mkdir()
        (tmp_path / str(pid) / "cmdline").write_text("\0".join((*words, "")))
    (tmp_path / "9").mkdir()
    assert share_servers(tmp_path) == (ShareServer(7, SERVER),)


def test_a_guest_with_a_shared_folder_is_written_down_and_must_boot(tmp_path: Path) -> None:
    image = replace(TCG.image, folder=tmp_path / "image")
    spec = replace(TCG, image=image, folder=tmp_path, share=VIRTIOFS)
    write_spec(spec)
    assert json.loads((tmp_path / "spec.json").read_text())["share"] == {
        "kind": "virtiofs", "folder": str(DATA), "cache": "always",
    }  # fmt: skip
    assert read_spec(tmp_path) is None  # its image is not there
    assert must_boot(spec) == "QEMU does not save a guest with a folder shared by virtiofs"
