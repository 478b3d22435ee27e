"""A guest whose QEMU is killed: by its process and no other, and started again with all that it had."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from assay.platforms.errors import GuestBootError, PlatformError
from assay.platforms.guests import killed
from assay.platforms.guests.killed import kill_qemu, qemu_of, start_again
from assay.platforms.process import ProcessMark, is_alive, spawn, stop_process


class Domain:
    """A domain that still runs for some looks, and then does not until it is started."""

    def __init__(self, looks: int = 2) -> None:
        self.looks, self.acts = looks, list[Any]()

    def isActive(self) -> int:
        self.looks -= 1
        return int(self.looks >= 0)

    def connect(self) -> str:
        return "connection"

    def createWithFlags(self, flags: int) -> None:
        self.acts.append(f"start with {flags}")


def guest_of(tmp_path: Path, domain: Domain, *, pid: int = 0) -> Any:
    console = tmp_path / "console.log"
    console.write_text("ASSAY READY\n")
    return SimpleNamespace(
        name="assay-0123abcd-b0", domain=domain, pid=pid, spec=SimpleNamespace(console=console)
    )


@pytest.fixture
def lent(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return what QEMU's group was given."""
    given: list[Any] = []
    monkeypatch.setattr(killed, "qemu_group", lambda connection: f"group of {connection}")
    monkeypatch.setattr(killed, "lend_files", lambda spec, group: given.append((spec, group)))
    return given


def test_the_very_process_is_killed_and_only_once(tmp_path: Path) -> None:
    mark = spawn(["/bin/sleep", "60"], log=tmp_path / "log")
    guest = guest_of(tmp_path, Domain(), pid=mark.pid)
    try:
        assert qemu_of(guest) == mark
        with pytest.raises(PlatformError, match="it had ended before"):
            kill_qemu(guest, ProcessMark(mark.pid, mark.start_ticks - 1))
        assert is_alive(mark)
        kill_qemu(guest, mark)
        assert not is_alive(mark)
        with pytest.raises(PlatformError, match="it had ended before"):
            kill_qemu(guest, mark)
        with pytest.raises(PlatformError, match="it had ended before"):
            qemu_of(guest)
    finally:
        stop_process(mark)


def test_a_process_of_another_user_is_named_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_mark: ProcessMark) -> bool:
        raise PermissionError

    monkeypatch.setattr(killed, "kill_process", refuse)
    with pytest.raises(PlatformError, match="process 77 is another user's") as caught:
        kill_qemu(guest_of(tmp_path, Domain()), ProcessMark(77, 1))
    assert caught.value.hint == "run assay as root"


def test_it_is_started_again_once_libvirt_knows_of_its_end_and_waited_for_by_new_words(
    tmp_path: Path, lent: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    domain = Domain()
    guest = guest_of(tmp_path, domain)

    def wait(spec: Any, *, runs: Any, timeout_s: float) -> float:
        assert not spec.console.exists(), "its old console says that it is usable"
        assert domain.acts == ["start with 0"]
        domain.looks = 1
        assert runs()
        assert timeout_s == 120.0
        return 1.0

    monkeypatch.setattr(killed, "wait_usable", wait)
    start_again(guest)
    assert lent == [(guest.spec, "group of connection")]


def test_one_that_libvirt_takes_to_run_is_not_started(
    tmp_path: Path, lent: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(killed, "NOTICED_S", 0.1)
    domain = Domain(looks=1000)
    with pytest.raises(PlatformError, match="libvirt takes it to run still"):
        start_again(guest_of(tmp_path, domain))
    assert (domain.acts, lent) == ([], [])


def test_the_console_of_one_that_does_not_come_back_is_kept(
    tmp_path: Path, lent: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    guest, log = guest_of(tmp_path, Domain()), tmp_path / "run" / "kept.log"

    def fail(spec: Any, **_: Any) -> float:
        spec.console.write_text("ASSAY FAILED mount root disk /dev/vda\n")
        raise GuestBootError(guest.name, "it gave up", log=log, last_lines=())

    monkeypatch.setattr(killed, "wait_usable", fail)
    with pytest.raises(GuestBootError):
        start_again(guest)
    assert log.read_text() == "ASSAY FAILED mount root disk /dev/vda\n"
    assert (log.stat().st_mode & 0o777, len(lent)) == (0o600, 1)
