"""How the tests are run: what starts guests says so, and runs in one lane."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import libvirt
import pytest

from tests import guard
from tests.conftest import LIVE, pytest_collection_modifyitems
from tests.lanes import GUESTS, lane


@pytest.fixture
def caught() -> Iterator[list[str]]:
    """What the guard has caught of this test, which would fail it at its end."""
    yield guard._caught
    guard._caught.clear()


@pytest.mark.parametrize(
    "command",
    [
        ["/usr/sbin/libvirtd", "--help"],
        ["setpriv", "--pdeathsig", "KILL", "--", "qemu-system-x86_64", "-help"],
        ["qemu-system-x86_64", "-device", "virtio-9p-pci", "-help"],
        ["probe", "subreaper", "--", "/usr/sbin/virtlogd"],
    ],
)
def test_a_test_that_is_not_marked_cannot_start_a_daemon_or_a_guest(
    command: list[str], caught: list[str]
) -> None:
    with pytest.raises(RuntimeError, match="is not marked live"):
        subprocess.run(command, check=False)
    assert len(caught) == 1


def test_nor_make_a_guest_by_a_daemon_that_runs_already(
    caught: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    connection = libvirt.open("test:///default")
    (domain,) = connection.listAllDomains()
    domain.destroy()
    domain.create()  # libvirt's own tests pretend
    assert caught == []
    domain.destroy()
    monkeypatch.setattr(libvirt.virConnect, "getURI", lambda _: "qemu:///system")
    with pytest.raises(RuntimeError, match="starts a guest by libvirt and is not marked live"):
        domain.create()
    assert "test_nor_make_a_guest" in caught[0]


def test_other_programs_are_free(caught: list[str]) -> None:
    subprocess.run(["true", "qemu-img"], check=True)
    subprocess.run(["qemu-system-x86_64", "--version"], check=True, capture_output=True)
    subprocess.run(["qemu-system-x86_64", "-device", "help"], check=True, capture_output=True)
    assert caught == []


def test_a_test_among_those_with_real_parts_must_be_marked() -> None:
    item = SimpleNamespace(
        path=LIVE / "test_x.py", nodeid="test_x.py::test_y", get_closest_marker=lambda _: None
    )
    with pytest.raises(pytest.UsageError, match=r"not marked live: test_x\.py::test_y"):
        pytest_collection_modifyitems([item])  # type: ignore[list-item]
    elsewhere = SimpleNamespace(**{**vars(item), "path": Path("tests/stats/test_x.py")})
    pytest_collection_modifyitems([elsewhere])  # type: ignore[list-item]


def test_files_with_guests_share_a_lane_and_others_have_one_each() -> None:
    assert lane("tests/live/test_interrupts.py") == lane("tests/platforms/test_several.py") == GUESTS
    assert lane("tests/store/test_earlier_home.py") == GUESTS, "it measures"
    assert lane("tests/cli/test_forecast.py") == GUESTS, "it measures"
    assert lane("tests/stats/test_paired.py") == "tests/stats/test_paired.py"
    assert lane("tests/machines/test_door.py") == "tests/machines/test_door.py"
