from pathlib import Path

import pytest

from assay.platforms.daemon.daemon import libvirt_connection
from assay.platforms.host.kvm_support import likely_accelerator, processor_flags
from assay.platforms.libvirt.accelerator import choose_accelerator
from assay.platforms.libvirt.traces import domains_of
from tests.platforms.guest_parts import PROBE, fresh_home, real_image

INTEL = "processor\t: 0\nflags\t\t: fpu vme vmx ssse3\nbugs\t\t: spectre_v1\n"


def test_flags_are_whole_words_of_the_first_processor() -> None:
    assert "vmx" in processor_flags(INTEL)
    assert "vm" not in processor_flags(INTEL)
    assert processor_flags("") == frozenset()


def test_a_plain_user_who_may_not_open_the_device_is_no_sign_against_kvm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def closed(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("os.open", closed)
    asked = {}
    for user in (0, 1000):
        monkeypatch.setattr("os.geteuid", lambda user=user: user)
        asked[user] = likely_accelerator(cpuinfo=INTEL, device=tmp_path / "kvm")
    assert asked == {0: "tcg", 1000: "kvm"}
    assert likely_accelerator(cpuinfo=INTEL.replace("vmx", "")) == "tcg"


def test_a_device_that_is_not_there_speaks_against_kvm(tmp_path: Path) -> None:
    assert likely_accelerator(cpuinfo=INTEL, device=tmp_path / "kvm") == "tcg"


@pytest.mark.live
def test_without_the_flag_or_the_device_guests_are_emulated_and_the_reason_is_said(tmp_path: Path) -> None:
    with fresh_home() as home, libvirt_connection(home, subreaper=PROBE) as connection:
        image, folder = real_image(), home / "guests"
        plain = choose_accelerator(connection, image, folder=folder, cpuinfo=INTEL.replace("vmx", ""))
        closed = choose_accelerator(connection, image, folder=folder, cpuinfo=INTEL, device=tmp_path / "kvm")
        assert not folder.exists()
    assert plain.kind == closed.kind == "tcg"
    assert "neither vmx nor svm" in plain.why
    assert "kvm cannot be opened (No such file" in closed.why


@pytest.mark.live
def test_a_real_start_decides_and_leaves_nothing() -> None:
    with fresh_home() as home, libvirt_connection(home, subreaper=PROBE) as connection:
        chosen = choose_accelerator(connection, real_image(), folder=home / "guests", cpuinfo=INTEL)
        assert "a real start with KVM" in chosen.why
        assert not [domain for domain, _ in domains_of(connection, home)]
        assert list((home / "guests").iterdir()) == []
        assert list((home / "run").glob("*.pid")) == []
