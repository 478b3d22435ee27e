"""Guests that another user's libvirt carries are found by their processes."""

from pathlib import Path

import pytest

from assay.platforms.errors import ClaimedError
from assay.platforms.leftovers.others import guest_name, refuse_others, running_guests

QEMU = b"/usr/bin/qemu-system-x86_64\0-name\0guest=assay-0123abcd-b2,debug-threads=on\0-S\0"


def proc_of(folder: Path, **lines: bytes) -> Path:
    for name, line in lines.items():
        place = folder / name.removeprefix("p")
        place.mkdir(parents=True)
        (place / "cmdline").write_bytes(line)
    return folder


def test_a_guest_is_known_by_the_name_that_libvirt_gives_to_qemu() -> None:
    assert guest_name(QEMU) == "assay-0123abcd-b2"
    assert guest_name(b"grep\0guest=assay-1\0") is None
    assert guest_name(QEMU.replace(b"guest=assay", b"guest=farm")) is None
    assert guest_name(b"") is None


def test_a_guest_of_another_is_refused_by_name_user_and_process(tmp_path: Path) -> None:
    proc = proc_of(tmp_path, p7=b"init\0", p42=QEMU, p43=b"")
    (found,) = running_guests(proc)
    assert (found.name, found.pid, found.user) == ("assay-0123abcd-b2", 42, tmp_path.stat().st_uid)
    with pytest.raises(ClaimedError, match="guest assay-0123abcd-b2 of user") as caught:
        refuse_others(proc)
    assert "as that user: assay platform clean" in caught.value.hint


def test_without_a_guest_nothing_is_refused(tmp_path: Path) -> None:
    refuse_others(proc_of(tmp_path, p7=b"init\0"))


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("assay-0123abcd-b0", True),
        ("assay-0123abcd-b12-3", True),
        ("assay-0123abcd-try", True),
        ("assay-proof-4711", True),
        ("assay-proof-89abcdef", True),
        ("assay-web", False),
        ("assay-0123abcd", False),
        ("assay-0123abcd-b2-old", False),
    ],
)
def test_only_a_guest_that_is_called_as_ours_are_is_one(name: str, ours: bool) -> None:
    assert guest_name(QEMU.replace(b"assay-0123abcd-b2", name.encode())) == (name if ours else None)
