"""Who may read what guests are made of, whatever the caller's umask; and who holds which key. No guest is
started.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from assay.machines import CommandError
from assay.machines.local import LocalDoor
from assay.model.files.marker import FILE as MARKER
from assay.model.files.marker import is_marked, make_marked
from assay.platforms.durable import write_json
from assay.platforms.errors import PlatformError
from assay.platforms.guests import guest as guests
from assay.platforms.guests.files import lay_keys, make_guest_folder
from assay.platforms.guests.guest import Guest, start_guest
from assay.platforms.guests.keys import copy_keys, has_keys, key_archive, login_of, make_keys, read_keys
from assay.platforms.guests.spec import GuestSpec
from assay.platforms.images.adopt import Adopted, add_image
from assay.platforms.images.initrd import Entry, archive
from assay.platforms.images.recipe import own_file
from assay.platforms.images.stored import Image, Login, images_folder, read_image
from assay.platforms.locks import locked
from assay.platforms.readers import FOLDER, PASSED, READ, SHOWN, give, group_of, make_way, qemu_group
from assay.platforms.remote import guest as remote
from assay.platforms.remote.host import RemoteHost
from assay.platforms.remote.hypervisor import Hypervisor, lend_there
from assay.platforms.saved_states import restore
from assay.platforms.saved_states.restore import restore_guest
from assay.platforms.saved_states.saved import holds_keys
from assay.platforms.saved_states.saved_store import SavedState, saved_folder
from tests.platforms.guest_parts import program, spec_of

GROUP = 64055 if os.geteuid() == 0 else os.getegid()
CAPABILITIES = f"""
<capabilities><host>
  <secmodel><model>apparmor</model><doi>0</doi></secmodel>
  <secmodel><model>dac</model><doi>0</doi><baselabel type='kvm'>+107:+{GROUP}</baselabel></secmodel>
</host></capabilities>"""
SESSION = "<capabilities><host><secmodel><model>none</model><doi>0</doi></secmodel></host></capabilities>"


class Connection:
    """libvirt, which is asked for nothing but its capabilities."""

    def __init__(self, text: str = CAPABILITIES) -> None:
        self.text, self.asked = text, 0

    def getCapabilities(self) -> str:
        self.asked += 1
        return self.text


@pytest.fixture(params=[0o000, 0o077], ids=["umask 000", "umask 077"])
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


@pytest.fixture
def libvirt(monkeypatch: pytest.MonkeyPatch) -> Connection:
    """Stand in for all that starts a guest."""
    domain = SimpleNamespace(isActive=lambda: True, resume=lambda: None)
    for module in (guests, restore):
        monkeypatch.setattr(module, "define_domain", lambda *_: domain)
        monkeypatch.setattr(module, "start_domain", lambda *_, **__: None)
    monkeypatch.setattr(guests, "wait_usable", lambda *_, **__: 1.0)
    monkeypatch.setattr(guests, "find_domain", lambda *_: None)
    monkeypatch.setattr(guests, "remove_domain", lambda _: None)
    return Connection()


def make_image(home: Path, **changes: Any) -> Image:
    """Return an image as it is built, but for what its files hold."""
    folder = images_folder(home) / "0123456789abcdef"
    folder.mkdir(mode=0o700)
    (folder / "disk.raw").touch()
    os.truncate(folder / "disk.raw", 1 << 20)
    (folder / "vmlinux").write_bytes(b"kernel")
    (folder / "initrd").write_bytes(archive([Entry("init", 0o100755, b"#!/bin/sh\n")]))
    facts = {"format": 2, "packages": [], "kernel_release": "6.1", "size_bytes": 1, "built_s": 1.0}
    write_json(folder / "manifest.json", {**facts, **changes})
    image = read_image(folder)
    assert image is not None
    return image


def earlier_image(home: Path, **changes: Any) -> Image:
    """Return an image of an earlier assay: all its guests have the keys that lie in it."""
    folder = make_image(home).folder
    (folder / "id_ed25519").write_text("the key of all")
    os.unlink(folder / "manifest.json")
    facts = {"packages": [], "kernel_release": "6.1", "size_bytes": 1, "built_s": 1.0}
    write_json(folder / "manifest.json", {"format": 1, "host_key": "ssh-ed25519 AAAA", **facts, **changes})
    image = read_image(folder)
    assert image is not None
    return image


def modes(folder: Path) -> dict[str, str]:
    """Return the modes of a folder and of all that is in it but its marker."""
    paths = (path for path in folder.rglob("*") if path.name != MARKER)
    found = {str(path.relative_to(folder)): path.stat().st_mode & 0o777 for path in paths}
    return {".": f"{folder.stat().st_mode & 0o777:o}", **{name: f"{mode:o}" for name, mode in found.items()}}


KEYS = {"keys": "700",
**{f"keys/{name}": "600" for name in ("host_key", "host_key.pub", "id_ed25519",
"id_ed25519.pub")}}  # fmt: skip


def unpacked(content: bytes) -> dict[str, bytes]:
    """Return the files of cpio archives one after the other, as the kernel unpacks them: each starts at 4
    bytes.
    """
    at, files = 0, {}
    while at < len(content):
        assert content[at : at + 6] == b"070701"
        numbers = [int(content[at + 6 + 8 * n : at + 14 + 8 * n], 16) for n in range(13)]
        size, length = numbers[6], numbers[11]
        start = at + -(-(110 + length) // 4) * 4
        files[content[at + 110 : at + 109 + length].decode()] = content[start : start + size]
        at = start + -(-size // 4) * 4
    files.pop("TRAILER!!!")
    return files


@pytest.mark.parametrize(
    ("text", "group"), [(CAPABILITIES, GROUP), (SESSION, None), ("<capabilities/>", None)]
)
def test_the_group_of_qemu_is_libvirts_word(text: str, group: int | None) -> None:
    assert group_of(text) == group


def test_libvirt_is_asked_once_for_the_group_of_qemu() -> None:
    connection: Any = Connection()
    assert [qemu_group(connection), qemu_group(connection), connection.asked] == [GROUP, GROUP, 1]


@pytest.mark.usefixtures("umask")
@pytest.mark.parametrize(("text", "shared"), [(CAPABILITIES, True), (SESSION, False)])
def test_a_guests_files_are_for_its_owner_and_qemus_group(
    tmp_path: Path, libvirt: Connection, text: str, *, shared: bool
) -> None:
    libvirt.text = text
    spec = spec_of(tmp_path / "home", make_image(tmp_path / "home"))
    guest = start_guest(libvirt, spec)  # type: ignore[arg-type]
    read, written, folder = ("640", "660", "750") if shared else ("600", "600", "700")
    assert modes(spec.folder) == {
        ".": folder,
        "disk.img": written,
        "initrd": read,
        "spec.json": "600",
        **KEYS,
    }
    expected = {".": folder, "disk.raw": read, "vmlinux": read, "initrd": read, "manifest.json": "600"}
    assert modes(spec.image.folder) == expected
    for passed in (spec.home, spec.folder.parent, spec.image.folder.parent):
        assert passed.stat().st_mode & 0o777 == 0o711
    if shared:
        assert {path.stat().st_gid for path in (spec.folder, spec.disk, spec.image.disk)} == {GROUP}
    guest.destroy()
    assert not spec.folder.exists()


@pytest.mark.usefixtures("umask")
def test_every_overlay_of_a_disk_is_lent(tmp_path: Path, libvirt: Connection) -> None:
    image = make_image(tmp_path / "home")
    spec = replace(spec_of(tmp_path / "home", image), settings=(("disk.backing", "3"),))
    start_guest(libvirt, spec)  # type: ignore[arg-type]
    found = modes(spec.folder)
    assert [found[name] for name in ("disk.1.img", "disk.2.img", "disk.img")] == ["660"] * 3


def test_two_guests_of_an_image_share_no_key(tmp_path: Path, libvirt: Connection) -> None:
    image = make_image(tmp_path)
    one, other = (start_guest(libvirt, spec_of(tmp_path, image, block=block)) for block in (0, 1))  # type: ignore[arg-type]
    assert one.machine.host_key != other.machine.host_key
    assert Path(one.machine.identity or "").read_bytes() != Path(other.machine.identity or "").read_bytes()
    assert (one.spec.initrd or Path()).read_bytes() != (other.spec.initrd or Path()).read_bytes()


def test_a_guest_brings_its_keys_at_the_end_of_its_initrd(tmp_path: Path, libvirt: Connection) -> None:
    spec = start_guest(libvirt, spec_of(tmp_path, make_image(tmp_path))).spec  # type: ignore[arg-type]
    keys, whole = read_keys(spec.folder), (spec.initrd or Path()).read_bytes()
    assert whole.startswith((spec.image.initrd or Path()).read_bytes())
    assert unpacked(whole) == {
        "init": b"#!/bin/sh\n",
        "keys": b"",
        "keys/host_key": keys.host_private,
        "keys/id_ed25519.pub": f"{keys.authorized}\n".encode(),
    }


def test_the_first_program_lays_the_keys_for_root_alone(tmp_path: Path) -> None:
    make_keys(tmp_path)
    for folder in ("root/etc/ssh", "root/root/.ssh"):
        (tmp_path / folder).mkdir(parents=True)
    script = own_file("initrd-init").decode()
    part = script[script.index("lay() {") : script.index("mount -o move /dev")]
    part = part.replace("/keys/", f"{tmp_path}/keys/").replace('"/root$2"', f'"{tmp_path}/root$2"')
    done = subprocess.run(
        [program("sh"), "-c", f"umask 022; {part} umask"],
        capture_output=True,
        text=True,
        check=True,
    )
    keys = read_keys(tmp_path)
    laid = [
        tmp_path / "root" / name for name in ("etc/ssh/ssh_host_ed25519_key", "root/.ssh/authorized_keys")
    ]
    assert [path.read_bytes() for path in laid] == [keys.host_private, f"{keys.authorized}\n".encode()]
    assert [path.stat().st_mode & 0o777 for path in laid] == [0o600, 0o600]
    assert done.stdout == "0022\n"


@pytest.fixture
def cloud(tmp_path: Path) -> Image:
    disk = tmp_path / "disk.raw"
    disk.write_bytes(bytes(2 << 20))
    return add_image(tmp_path / "home", Adopted(disk, "el9", None))


@pytest.mark.usefixtures("umask")
def test_a_cloud_image_holds_no_key_and_each_seed_its_own(
    tmp_path: Path, libvirt: Connection, cloud: Image
) -> None:
    assert modes(cloud.folder) == {".": "700", "disk.raw": "600", "manifest.json": "600"}
    one, other = (start_guest(libvirt, spec_of(tmp_path / "home", cloud, block=n)).spec for n in (0, 1))  # type: ignore[arg-type]
    assert modes(one.folder) == {".": "750", "disk.img": "660", "seed.img": "640", "spec.json": "600", **KEYS}
    assert read_keys(one.folder).authorized.encode() in one.seed.read_bytes()
    assert read_keys(one.folder).authorized.encode() not in other.seed.read_bytes()


def test_a_disk_that_settles_its_login_keeps_it_and_its_guests_get_no_keys(
    tmp_path: Path, libvirt: Connection
) -> None:
    disk, key = tmp_path / "disk.raw", tmp_path / "key"
    disk.write_bytes(bytes(2 << 20))
    key.write_text("a private key")
    image = add_image(tmp_path, Adopted(disk, "golden", Login("almalinux", key, "ssh-ed25519 AAAA")))
    guest = start_guest(libvirt, spec_of(tmp_path, image))  # type: ignore[arg-type]
    assert not has_keys(guest.spec.folder)
    assert (guest.machine.user, guest.machine.host_key) == ("almalinux", "ssh-ed25519 AAAA")
    assert guest.machine.identity == str(image.folder / "id_ed25519")
    assert modes(image.folder)["id_ed25519"] == "600"


def test_an_image_of_an_earlier_assay_goes_on_with_the_keys_on_its_disk(
    tmp_path: Path, libvirt: Connection
) -> None:
    image = earlier_image(tmp_path)
    spec = spec_of(tmp_path, image)
    guest = start_guest(libvirt, spec)  # type: ignore[arg-type]
    assert (spec.initrd, has_keys(spec.folder)) == (image.initrd, False)
    assert guest.machine.identity == str(image.folder / "id_ed25519")
    assert modes(image.folder)["disk.raw"] == "640", "an earlier assay let all read it"


def test_guests_of_an_earlier_cloud_image_get_keys_and_one_that_still_runs_is_reached_by_the_images(
    tmp_path: Path, libvirt: Connection
) -> None:
    image = earlier_image(tmp_path, name="el9", cloud_init=True, kernel=False)
    left = Guest(SimpleNamespace(), spec_of(tmp_path, image, block=1), boot_s=None)  # type: ignore[arg-type]
    assert (left.machine.host_key, left.machine.identity) == (
        "ssh-ed25519 AAAA",
        str(image.folder / "id_ed25519"),
    )
    made = start_guest(libvirt, spec_of(tmp_path, image))  # type: ignore[arg-type]
    assert made.machine.host_key == read_keys(made.spec.folder).host_public


def test_a_guest_whose_keys_are_gone_says_so(tmp_path: Path) -> None:
    with pytest.raises(PlatformError, match="cannot log in to guest b0: its keys are gone"):
        login_of(make_image(tmp_path), tmp_path / "guests/b0")


@pytest.mark.usefixtures("umask")
def test_a_restored_guest_has_the_keys_of_the_boot_that_was_saved(
    tmp_path: Path, libvirt: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    booted = start_guest(libvirt, spec_of(tmp_path / "home", make_image(tmp_path / "home")))  # type: ignore[arg-type]
    folder = saved_folder(tmp_path / "home") / "fedc"
    folder.mkdir(mode=0o700)
    copy_keys(booted.spec.folder, folder)
    shutil.copy(booted.spec.disk, folder / "disk.img")
    saved = SavedState("fedc", folder, booted.spec.image.digest, 1, 1, 0.0, 1, {})
    for name, value in {"saved_digest": "fedc", "load_memory": None, "wake": None}.items():
        monkeypatch.setattr(restore, name, lambda *_, value=value, **__: value)
    spec = spec_of(tmp_path / "home", booted.spec.image, block=1)
    guest = restore_guest(libvirt, saved, spec, talk=lambda *_: nullcontext())  # type: ignore[arg-type,return-value]
    assert guest.machine.host_key == booted.machine.host_key
    assert guest.machine.identity == str(spec.folder / "keys/id_ed25519")
    assert (spec.initrd or Path()).read_bytes() == (booted.spec.initrd or Path()).read_bytes()
    found = modes(spec.folder)
    assert (found["."], found["disk.img"], found["initrd"]) == ("750", "660", "640")
    assert {name: found[name] for name in KEYS} == KEYS
    assert folder.parent.stat().st_mode & 0o777 == 0o700


def test_a_saved_state_without_its_guests_keys_is_none(tmp_path: Path) -> None:
    saved = SavedState("fedc", tmp_path, "0" * 16, 1, 1, 0.0, 1, {})
    spec = spec_of(tmp_path, make_image(tmp_path))
    assert not holds_keys(saved, spec)
    make_keys(tmp_path)
    assert holds_keys(saved, spec)


@pytest.fixture
def there(tmp_path: Path) -> Iterator[Hypervisor]:
    """A hypervisor elsewhere, which is this machine."""
    door: Any = LocalDoor("there", tmp_path / "work")
    for name in ("there/guests", "here"):
        (tmp_path / name).mkdir(parents=True)
    connection: Any = Connection()
    yield Hypervisor(door, connection, RemoteHost(door), tmp_path / "there", tmp_path / "here")
    door.close()


def remote_spec(on: Hypervisor) -> GuestSpec:
    spec = spec_of(on.home, make_image(on.home))
    make_marked(spec.folder)
    spec.disk.touch()
    return spec


@pytest.mark.usefixtures("umask")
def test_a_guest_elsewhere_is_for_root_and_qemus_group_there(there: Hypervisor) -> None:
    spec = remote_spec(there)
    remote._put_files(there, spec)
    remote._lend(there, spec)
    assert modes(spec.folder) == {".": "750", "disk.img": "660", "initrd": "640", "spec.json": "600", **KEYS}
    assert modes(spec.image.folder)["disk.raw"] == "640"
    assert {path.stat().st_gid for path in (spec.folder, spec.initrd or Path(), spec.image.disk)} == {GROUP}
    brought = (spec.initrd or Path()).read_bytes()
    assert brought == (spec.image.initrd or Path()).read_bytes() + key_archive(there.folder_here(spec.name))
    here = modes(there.folder_here(spec.name))
    assert (here["."], {name: here[name] for name in KEYS}) == ("700", KEYS)


def test_the_keys_of_a_guest_elsewhere_are_found_there_by_another_process_and_go_with_it(
    there: Hypervisor,
) -> None:
    spec = remote_spec(there)
    remote._put_files(there, spec)
    here = there.folder_here(spec.name)
    before = (here / "keys/id_ed25519").read_bytes()
    shutil.rmtree(here)
    remote._fetch_keys(there, spec.folder)
    guest = remote.RemoteGuest(SimpleNamespace(), spec, on=there, boot_s=None)  # type: ignore[arg-type]
    assert guest.machine.host_key == read_keys(spec.folder).host_public
    assert guest.machine.identity == str(here / "keys/id_ed25519")
    assert (here / "keys/id_ed25519").read_bytes() == before
    there.remove_folder(spec.folder)
    assert not here.exists()
    assert not spec.folder.exists()


def test_a_guest_elsewhere_that_an_earlier_assay_made_has_none(there: Hypervisor) -> None:
    spec = remote_spec(there)
    remote._fetch_keys(there, spec.folder)
    assert not has_keys(there.folder_here(spec.name))


def test_what_cannot_be_lent_elsewhere_is_an_error(there: Hypervisor) -> None:
    lend_there(there, READ, there.home / "is not there")
    file = there.home / "file"
    file.touch()
    file.chmod(0o666)
    lend_there(there, READ, file)
    assert file.stat().st_mode & 0o777 == 0o640


def test_a_user_who_cannot_give_files_to_qemus_group_shows_the_image_and_no_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "chown", refuse)
    image, initrd = tmp_path / "disk.raw", tmp_path / "initrd"
    image.touch()
    initrd.touch()
    foreign = os.getegid() + 1
    give(tmp_path, FOLDER, foreign, shown=PASSED)
    give(image, READ, foreign, shown=SHOWN)
    give(initrd, READ, foreign)
    assert modes(tmp_path) == {".": "711", "disk.raw": "644", "initrd": "600"}


def test_a_folder_that_others_could_list_or_change_is_corrected(tmp_path: Path) -> None:
    way = tmp_path / "guests"
    way.mkdir()
    way.chmod(0o777)
    make_way(way)
    assert way.stat().st_mode & 0o777 == 0o711


@pytest.mark.usefixtures("umask")
def test_folders_and_notes_that_are_made_on_the_way_are_nobody_elses_to_change(tmp_path: Path) -> None:
    write_json(tmp_path / "home/run/note.json", {})
    write_json(tmp_path / "home/run/told.json", {}, mode=0o644)
    with locked(tmp_path / "other/run/x.lock"):
        pass
    assert modes(tmp_path / "home/run") == {".": "711", "note.json": "600", "told.json": "644"}
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in ("home", "other", "other/run")] == [
        0o711
    ] * 3


def test_a_guests_folder_is_never_anothers(tmp_path: Path) -> None:
    make_guest_folder(tmp_path / "guests/b0", None)
    with pytest.raises(FileExistsError):
        make_guest_folder(tmp_path / "guests/b0", None)


def test_an_image_whose_disk_has_its_keys_is_brought_none(tmp_path: Path) -> None:
    spec = spec_of(tmp_path, earlier_image(tmp_path))
    spec.folder.mkdir(parents=True)
    lay_keys(spec)
    assert list(spec.folder.iterdir()) == []


def test_modes_for_qemu_leave_nothing_to_others() -> None:
    assert [mode & 0o007 for mode in (FOLDER, READ)] == [0, 0]


def test_folders_of_guests_elsewhere_are_made_and_removed_by_their_marker(there: Hypervisor) -> None:
    guests = there.home / "guests"
    ours, half, mine, earlier, link = (guests / f"assay-0123abcd-b{n}" for n in range(5))
    there.make_folder(ours)
    assert is_marked(ours)
    half.mkdir()
    (half / f"{MARKER}.4711.new").touch()
    mine.mkdir()
    (mine / "thesis.tex").touch()
    earlier.mkdir()
    (earlier / "spec.json").touch()
    link.symlink_to(earlier)
    with pytest.raises(CommandError):
        there.make_folder(mine)
    assert there.guests_folders() == [ours.name, half.name]
    there.mark_earlier()
    assert is_marked(earlier)
    assert not (mine / MARKER).exists()
    for folder in (ours, half, mine, earlier, link):
        there.remove_folder(folder)
    assert sorted(path.name for path in guests.iterdir()) == [mine.name, link.name]
    half.mkdir()
    there.make_folder(half)
    assert is_marked(half)
