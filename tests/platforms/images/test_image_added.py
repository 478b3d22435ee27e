"""Disks of the user's as images: taken in whole, told apart by content, and given a seed."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from assay.model.errors import UnknownNameError
from assay.platforms.errors import PlatformError
from assay.platforms.guests import domain
from assay.platforms.guests.fat import fat_disk
from assay.platforms.guests.keys import make_keys, read_keys
from assay.platforms.guests.seed import LABEL, seed_files, write_seed
from assay.platforms.guests.spec import GuestSpec
from assay.platforms.guests.specfile import write_spec
from assay.platforms.images.adopt import Adopted, NoImageError, add_image
from assay.platforms.images.image import list_images, remove_image
from assay.platforms.images.stored import Login
from assay.platforms.leftovers.prune import prune_image, unused_images
from tests.platforms.guest_parts import program
from tests.platforms.guests.test_domain import TCG


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    path = tmp_path / "golden.qcow2"
    make = [program("qemu-img"), "create", "-q", "-f", "qcow2", str(path), "16M"]
    subprocess.run(make, check=True)
    return path


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def seeded(home: Path, disk: Path) -> GuestSpec:
    image = add_image(home, Adopted(disk, "el9", None))
    spec = replace(TCG, image=image, folder=home / "guests" / TCG.name)
    spec.folder.mkdir(parents=True)
    make_keys(spec.folder)
    return spec


def test_a_disk_is_copied_listed_by_its_name_and_removed_by_it(home: Path, disk: Path) -> None:
    before = disk.read_bytes()
    made = add_image(home, Adopted(disk, "el9", None))
    assert made.disk.stat().st_size == 16 * 1024**2
    assert (made.name, made.kernel, made.user, made.cloud_init) == ("el9", None, "root", True)
    assert list_images(home) == (made,)
    assert add_image(home, Adopted(disk, "el9", None)) == made
    assert remove_image(home, "el9") == made
    assert list_images(home) == ()
    assert disk.read_bytes() == before


def test_a_disk_with_a_login_keeps_its_key_for_root_alone(home: Path, disk: Path, tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text("a private key")
    made = add_image(home, Adopted(disk, "golden", Login("almalinux", key, "ssh-ed25519 AAAA")))
    assert (made.user, made.announces, made.keyed) == ("almalinux", False, False)
    assert made.login == Login("almalinux", made.folder / "id_ed25519", "ssh-ed25519 AAAA")
    assert made.login.identity.read_text() == "a private key"
    assert made.login.identity.stat().st_mode & 0o077 == 0


def test_another_content_under_a_name_and_another_name_for_a_content_are_refused(
    home: Path, disk: Path, tmp_path: Path
) -> None:
    add_image(home, Adopted(disk, "el9", None))
    with pytest.raises(NoImageError, match="is called el9 already"):
        add_image(home, Adopted(disk, "el9b", None))
    other = tmp_path / "other.raw"
    other.write_bytes(b"x" * 2 * 1024**2)
    with pytest.raises(NoImageError, match="is called el9 already"):
        add_image(home, Adopted(other, "el9", None))


@pytest.mark.parametrize(
    ("content", "said"),
    [(None, "no file"), (b"#!/bin/sh\n", "holds no system"), (b"VMDK", "expected qcow2 or raw, it is vmdk")],
)
def test_what_is_no_disk_is_refused_and_leaves_nothing(
    home: Path, tmp_path: Path, content: bytes | None, said: str
) -> None:
    file = tmp_path / "file"
    if content is not None:
        file.write_bytes(content)
    if content == b"VMDK":
        subprocess.run([program("qemu-img"), "create", "-q", "-f", "vmdk", str(file), "4M"], check=True)
    with pytest.raises(NoImageError, match=said):
        add_image(home, Adopted(file, "bad", None))
    assert list((home / "images").glob("[!.]*")) == []


def test_an_unknown_name_shows_those_there_are(home: Path, disk: Path) -> None:
    add_image(home, Adopted(disk, "el9", None))
    with pytest.raises(UnknownNameError, match="el9"):
        remove_image(home, "el8")


def test_prune_leaves_what_a_guest_stands_on_and_what_was_added(home: Path, disk: Path) -> None:
    spec = seeded(home, disk)
    assert unused_images(home, current="", added=False) == ()
    assert unused_images(home, current="", added=True) == (spec.image,)
    write_spec(spec)
    assert unused_images(home, current="", added=True) == ()
    prune_image(home, spec.image)
    assert list_images(home) == ()


def test_a_seed_lets_in_the_guests_key_and_says_when_the_guest_is_ready(home: Path, disk: Path) -> None:
    spec = seeded(home, disk)
    files = seed_files(spec)
    assert files["user-data"].startswith(b"#cloud-config\n")
    user = json.loads(files["user-data"].partition(b"\n")[2])
    keys = read_keys(spec.folder)
    assert user["ssh_keys"] == {
        "ed25519_private": keys.host_private.decode(),
        "ed25519_public": keys.host_public,
    }
    assert user["users"][0]["ssh_authorized_keys"] == [keys.authorized]
    assert "ASSAY READY" in user["runcmd"][0][2]
    assert json.loads(files["meta-data"])["local-hostname"] == spec.name
    networks = json.loads(files["network-config"])["ethernets"]
    assert networks["measured"]["addresses"] == ["198.18.0.3/24"]
    write_seed(spec)
    assert spec.seed.stat().st_mode & 0o077 == 0


def test_the_seed_is_a_file_system_that_others_know(home: Path, disk: Path) -> None:
    spec = seeded(home, disk)
    write_seed(spec)
    asked = [program("blkid"), "-p", "-o", "export", str(spec.seed)]
    reported = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    assert f"LABEL={LABEL}" in reported
    assert "TYPE=vfat" in reported


def test_files_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="do not fit"):
        fat_disk({"user-data": b"x" * 2 * 1024**2}, label=LABEL)


def test_words_for_a_kernel_that_its_own_boot_loader_starts_are_refused() -> None:
    spec = replace(TCG, image=replace(TCG.image, kernel=None, initrd=None, name="el9"))
    draft = domain.draft_guest(spec)
    draft.kernel_words.append("nosmt")
    with pytest.raises(PlatformError, match="its own boot loader"):
        domain._finish(draft, spec)
