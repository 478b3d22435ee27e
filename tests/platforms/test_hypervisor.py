"""Which libvirt carries guests: chosen once, in words that a reader understands."""

import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import libvirt
import pytest

from assay.model.errors import MissingError
from assay.platforms import hypervisor
from assay.platforms.daemon import state as daemon_state
from assay.platforms.hypervisor import (
    EMULATORS,
    SYSTEM,
    find_emulator,
    hypervisor_of,
    local_hypervisor,
    parse_devices,
    print_no_errors,
    require_emulator,
    runtime_folder,
    users_own,
)


class Connection:
    """A connection that knows its address."""

    def __init__(self, uri: str) -> None:
        self._uri = uri

    def getURI(self) -> str:
        return self._uri


@pytest.fixture(autouse=True)
def anew(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("XDG_RUNTIME_DIR", "LIBVIRT_AUTOSTART"):
        monkeypatch.setenv(name, "")  # so that it is put back
    local_hypervisor.cache_clear()
    yield
    local_hypervisor.cache_clear()


def as_user(monkeypatch: pytest.MonkeyPatch, uid: int, *, let_in: bool) -> list[str]:
    """Be a user; return where is asked for access."""
    asked: list[str] = []
    monkeypatch.setattr("os.geteuid", lambda: uid)
    monkeypatch.setattr(hypervisor, "_lets_in", lambda uri: not asked.append(uri) and let_in)
    return asked


def test_root_has_the_machines_libvirt_without_asking(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = as_user(monkeypatch, 0, let_in=False)
    assert local_hypervisor() is SYSTEM
    assert asked == []
    assert SYSTEM.reported == ""


@pytest.mark.parametrize(("let_in", "uri"), [(True, "qemu:///system"), (False, "qemu:///session")])
def test_a_plain_user_has_the_machines_where_it_lets_him_in_else_his_own(
    monkeypatch: pytest.MonkeyPatch, let_in: bool, uri: str
) -> None:
    asked = as_user(monkeypatch, 4242, let_in=let_in)
    assert {local_hypervisor().uri for _ in range(3)} == {uri}
    assert asked == ["qemu:///system"]


def test_the_limits_of_a_users_own_are_one_line(tmp_path: Path) -> None:
    own = users_own(tmp_path)
    assert own.reported.startswith("guests are made by qemu:///session: no control group")
    assert "user kind" in own.reported
    assert "\n" not in own.reported
    assert own.sockets == {"libvirtd": tmp_path / "libvirt/libvirt-sock"}


def test_another_users_runtime_folder_is_not_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    as_user(monkeypatch, 4242, let_in=False)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))  # as sudo may leave it
    monkeypatch.setenv("XDG_CACHE_HOME", "/home/plain/.cache")
    assert runtime_folder() == Path("/home/plain/.cache")
    monkeypatch.setattr("os.geteuid", lambda: tmp_path.stat().st_uid)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert runtime_folder() == tmp_path


def test_what_is_known_of_a_users_own_daemon_lies_beside_its_socket(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert daemon_state.state_file() == Path("/run/assay/daemon.json")
    as_user(monkeypatch, 4242, let_in=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert daemon_state.state_file() == tmp_path / "assay/daemon.json"


def test_a_connection_tells_whose_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    as_user(monkeypatch, 0, let_in=True)
    uris: dict[str, Any] = {
        uri: hypervisor_of(Connection(uri)) for uri in ("qemu:///system", "qemu:///session")
    }
    assert {uri: one.of_system for uri, one in uris.items()} == {
        "qemu:///system": True,
        "qemu:///session": False,
    }


def test_qemu_is_the_first_that_may_be_run(tmp_path: Path) -> None:
    places = (str(tmp_path / "qemu-system-x86_64"), str(tmp_path / "qemu-kvm"))
    assert find_emulator(places) == places[0], "where there is none, messages name the usual place"
    Path(places[0]).touch(mode=0o644)
    Path(places[1]).touch(mode=0o755)
    assert find_emulator(places) == places[1]
    Path(places[0]).chmod(0o755)
    assert find_emulator(places) == places[0]


def test_without_qemu_guests_are_refused_with_both_places_and_not_emulated(tmp_path: Path) -> None:
    with pytest.raises(MissingError) as refused:
        require_emulator(str(tmp_path / "qemu-kvm"))
    assert refused.value.message == f"cannot make guests: QEMU is at none of {', '.join(EMULATORS)}"
    assert "install qemu" in str(refused.value.hint)


def test_devices_are_the_names_of_qemus_own_list() -> None:
    text = """\
Storage devices:
name "nvme", bus PCI, desc "Non-Volatile Memory Express"
name "virtio-9p-pci", bus PCI, alias "virtio-9p"

Network devices:
name "vmxnet3", bus PCI, desc "VMWare \\"name\\" Ethernet v3"
"""
    assert parse_devices(text) == {"nvme", "virtio-9p-pci", "vmxnet3"}
    assert parse_devices("qemu-kvm: not found") == frozenset()


class Stop(Exception):
    """What the handler of a signal raises."""


def _stop(*_: object) -> None:
    raise Stop


def _fail_until_stopped(connection: Any, after_s: float) -> None:
    signal.setitimer(signal.ITIMER_REAL, after_s)
    while True:
        with suppress(libvirt.libvirtError):
            connection.lookupByName("none")


def test_what_a_signals_handler_raises_comes_out_of_a_failing_call_as_it_is() -> None:
    print_no_errors()
    former = signal.signal(signal.SIGALRM, _stop)
    connection = libvirt.open("test:///default")
    try:
        for step in range(400):  # two of five signals come within the call
            with pytest.raises(Stop):
                _fail_until_stopped(connection, 20e-6 + step % 40 * 1e-6)
    finally:
        signal.signal(signal.SIGALRM, former)
        connection.close()
