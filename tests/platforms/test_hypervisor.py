"""Which libvirt carries guests: chosen once, in words that a reader understands."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.platforms import hypervisor
from assay.platforms.daemon import state as daemon_state
from assay.platforms.hypervisor import SYSTEM, hypervisor_of, local_hypervisor, runtime_folder, users_own


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
