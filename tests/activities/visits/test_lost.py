"""What is told of a guest that stops answering."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import libvirt
import pytest

from assay.activities.visits.lost import explain_lost_guest
from assay.machines.errors import TimedOutError, UnreachableError
from assay.platforms.guests.guest import Guest
from tests.platforms.guest_parts import spec_of
from tests.platforms.guests.test_domain import IMAGE

RUNS = (libvirt.VIR_DOMAIN_RUNNING, 0)
NO_ROOM = (libvirt.VIR_DOMAIN_PAUSED, libvirt.VIR_DOMAIN_PAUSED_IOERROR)


def guest_in(home: Path, state: tuple[int, int]) -> Guest:
    """Return a guest on an empty home, in a state that libvirt tells."""
    domain = cast("Any", SimpleNamespace(state=lambda: state))
    return Guest(domain, spec_of(home, IMAGE), boot_s=None)


def test_the_error_ends_with_the_guests_last_words_and_its_console_is_kept(tmp_path: Path) -> None:
    guest = guest_in(tmp_path, RUNS)
    guest.spec.folder.mkdir(parents=True)
    guest.spec.console.write_text("Linux version 6.1\nINFO: rcu_sched self-detected stall on CPU\n")
    with pytest.raises(TimedOutError) as caught, explain_lost_guest(guest):
        raise TimedOutError("cannot talk with it", machine="guest")
    assert caught.value.message.startswith(
        "cannot talk with it; last console lines: Linux version 6.1 | INFO: "
    )
    assert caught.value.message.endswith(f"log {tmp_path}/run/{guest.name}.console.log")
    assert "self-detected stall" in (tmp_path / "run" / f"{guest.name}.console.log").read_text()


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (RUNS, ""),
        (NO_ROOM, "; QEMU paused it for an error of its disk: is the host's file system full?"),
        ((libvirt.VIR_DOMAIN_PAUSED, libvirt.VIR_DOMAIN_PAUSED_USER), "; it is paused"),
        ((libvirt.VIR_DOMAIN_SHUTOFF, libvirt.VIR_DOMAIN_SHUTOFF_CRASHED), "; its QEMU has ended"),
    ],
)
def test_why_it_does_not_run_is_said(tmp_path: Path, state: tuple[int, int], said: str) -> None:
    with pytest.raises(UnreachableError) as caught, explain_lost_guest(guest_in(tmp_path, state)):
        raise UnreachableError("cannot talk with it", machine="guest")
    assert caught.value.message == f"cannot talk with it{said}"
    assert not (tmp_path / "run").exists(), "its console is elsewhere"
