"""Images on the disk: found by digest, listed, removed; damaged ones are not images."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.model.errors import AssayError, UnknownNameError
from assay.platforms.images import packages
from assay.platforms.images.image import list_images, remove_image, site_packages
from assay.platforms.images.packages import UnknownPackageError, add_site_packages
from assay.platforms.images.stored import Login
from assay.platforms.leftovers.prune import prune_image, unused_images


def make(home: Path, digest: str, **changes: object) -> Path:
    folder = home / "images" / digest
    folder.mkdir(parents=True)
    for name in ("disk.raw", "vmlinux", "initrd"):
        (folder / name).write_bytes(b"x")
    manifest = {
        "format": 2, "packages": ["fio"],
        "kernel_release": "6.1", "size_bytes": 4, "built_s": 31.5,
    }  # fmt: skip
    (folder / "manifest.json").write_text(json.dumps({**manifest, **changes}))
    return folder


def test_whole_images_are_listed_by_digest(tmp_path: Path) -> None:
    make(tmp_path, "bbbb000000000000")
    make(tmp_path, "aaaa000000000000")
    make(tmp_path, ".build-xyz")
    assert [image.digest for image in list_images(tmp_path)] == ["aaaa000000000000", "bbbb000000000000"]


def test_an_image_without_its_disk_or_of_another_format_is_none(tmp_path: Path) -> None:
    (make(tmp_path, "aaaa000000000000") / "disk.raw").unlink()
    make(tmp_path, "bbbb000000000000", format=3)
    assert list_images(tmp_path) == ()


def test_an_image_of_an_earlier_assay_is_listed_while_it_has_its_key_and_is_pruned(tmp_path: Path) -> None:
    folder = make(tmp_path, "aaaa000000000000", format=1, host_key="ssh-ed25519 AAAA")
    assert list_images(tmp_path) == ()
    (folder / "id_ed25519").write_bytes(b"x")
    (image,) = list_images(tmp_path)
    assert image.login == Login("root", folder / "id_ed25519", "ssh-ed25519 AAAA")
    assert unused_images(tmp_path, current="bbbb000000000000", added=False) == (image,)
    prune_image(tmp_path, image)
    assert not folder.exists()


def test_an_image_is_removed_by_a_unique_start_of_its_digest(tmp_path: Path) -> None:
    kept, gone = make(tmp_path, "abcd000000000000"), make(tmp_path, "abce000000000000")
    with pytest.raises(AssayError, match="'abc' starts abcd000000000000, abce000000000000"):
        remove_image(tmp_path, "abc")
    assert remove_image(tmp_path, "abce").folder == gone
    assert kept.is_dir()
    assert sorted(path.name for path in (tmp_path / "images").iterdir()) == [".lock", "abcd000000000000"]


def test_an_unknown_digest_lists_the_known_ones(tmp_path: Path) -> None:
    make(tmp_path, "abcd000000000000")
    with pytest.raises(UnknownNameError, match="abcd000000000000"):
        remove_image(tmp_path, "9")
    with pytest.raises(UnknownNameError):
        remove_image(tmp_path, "")


@pytest.mark.long
def test_a_sites_packages_are_kept_and_added_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert site_packages(tmp_path) == ()
    assert add_site_packages(tmp_path, ["time"]) == ("time",)
    monkeypatch.setattr(packages, "resolve", lambda _: None)  # APT takes seconds, and has been asked once
    assert add_site_packages(tmp_path, ["bc", "time"]) == ("bc", "time")
    assert site_packages(tmp_path) == ("bc", "time")


@pytest.mark.parametrize("name", ["no-such-package", "bc-", "-o", "A b", "mail-transport-agent"])
def test_a_package_that_apt_does_not_know_is_named_and_not_kept(tmp_path: Path, name: str) -> None:
    with pytest.raises(UnknownPackageError) as caught:
        add_site_packages(tmp_path, ["time", name])
    assert caught.value.names == (name,)
    assert f"'{name}'" in caught.value.message
    assert site_packages(tmp_path) == ()
