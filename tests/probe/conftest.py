"""The native probe behind both makes of a door; a missing probe fails loudly."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.machines import open_door
from assay.machines.local import LocalDoor
from assay.machines.ssh.door import SshDoor
from assay.model.machines.machine import Machine
from assay.probe import Probe
from tests.hosts import SshHost, entered, ssh_host

AnyDoor = LocalDoor | SshDoor


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshHost]:
    """A real sshd, shared by the tests of a file."""
    with ssh_host(tmp_path_factory.mktemp("host")) as made:
        yield made


@pytest.fixture
def reached(host: SshHost, monkeypatch: pytest.MonkeyPatch) -> Iterator[SshHost]:
    """The same, within reach of this process."""
    monkeypatch.setenv("HOME", str(host.home))
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    with entered(host.client_namespace):
        yield host


@pytest.fixture(params=["local", pytest.param("ssh", marks=pytest.mark.live)])
def machine(request: pytest.FixtureRequest) -> Machine:
    """Each machine that the tests of a session run on."""
    if request.param == "local":
        return Machine("local")
    made: SshHost = request.getfixturevalue("reached")
    return made.described()


@pytest.fixture
def door(machine: Machine, tmp_path: Path) -> Iterator[AnyDoor]:
    """A door to it."""
    made = open_door(machine, home=tmp_path / "home")
    yield made
    made.close()


@pytest.fixture
def probe(door: AnyDoor) -> Iterator[Probe]:
    """A probe at work there."""
    made = Probe.attach(door)
    yield made
    made.close()


@pytest.fixture
def work(door: AnyDoor) -> Iterator[str]:
    """A folder there that may be used freely."""
    place = f"{door.folder}/test-{os.getpid()}"
    yield place
    shutil.rmtree(place, ignore_errors=True)
