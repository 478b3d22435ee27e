"""An instance that is a real sshd: entered by the host key that it was brought, looked at, removed.

The cloud is that of the other tests, on loopback; sshd takes up the keys as cloud-init would.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.activities.visits.added import added_visit
from assay.model.activity import PlannedArm
from assay.model.errors import AssayError, Exit
from assay.model.machines.machine import Limits, Machine
from assay.model.platforms.plugin_place import PluginPlace
from assay.platforms.plugin_places import Note, open_place, remove_place
from assay_openstack import instance
from tests.clouds.cloud import Cloud
from tests.clouds.cloud_init import CPU, CloudInit, instance_host
from tests.clouds.parts import NAME, OWN_WARNINGS, PLAIN, note_of
from tests.hosts import SERVER, SshHost, entered

pytestmark = [*OWN_WARNINGS, pytest.mark.live]

ARM = PlannedArm("openstack", Machine("local"), Limits((CPU,)), plugin=PluginPlace("openstack", PLAIN))


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshHost]:
    """A real sshd, at port 22 too."""
    with instance_host(tmp_path_factory.mktemp("host")) as made, entered(made.client_namespace):
        yield made


@pytest.fixture
def note(cloud: Cloud, host: SshHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Note]:
    monkeypatch.setattr(instance, "PAUSE_S", 0.1)
    cloud.address, cloud.started = SERVER, CloudInit(cloud, host)
    made = note_of(tmp_path)
    yield made
    remove_place(made)
    assert (cloud.servers, cloud.keypairs) == ({}, {})


def test_it_is_entered_by_keys_of_its_own_and_measured_in(cloud: Cloud, note: Note, tmp_path: Path) -> None:
    cloud.builds = 2
    with added_visit(open_place(note), note, ARM, home=tmp_path) as visit:
        assert (visit.machine, visit.own_clock, visit.runs_programs) == ("openstack", True, True)
        assert visit.run(["whoami"], timeout_s=30) == b"root\n"
        assert visit.facts.cpus == (CPU,)
        assert visit.clock() is not None
        assert visit.plugin is not None
        assert dict(visit.plugin.levels)["host"] == "node17"
        assert visit.program("sh").executable.path


def test_who_shows_another_host_key_is_never_entered(
    cloud: Cloud, host: SshHost, note: Note, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(instance, "ENTER_S", 0.5)
    cloud.started = CloudInit(cloud, host, host_key=False)
    with pytest.raises(AssayError, match=f"cannot enter instance {NAME} at {SERVER} within .*key") as refused:
        open_place(note)
    assert refused.value.exit_code is Exit.UNREACHABLE
    assert "Accepted publickey" not in (host.folder / "sshd.log").read_text().rpartition("listening")[2]


def test_one_that_ends_while_it_is_waited_for_is_not_waited_for_longer(
    cloud: Cloud, note: Note, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(instance, "LOGIN_S", 0.5)

    def dies(server: dict[str, Any], _asked: dict[str, Any]) -> None:
        cloud.builds = -1
        cloud.servers[server["id"]] = {**server, "status": "SHUTOFF"}

    cloud.address, cloud.started = "198.18.1.9", dies
    with pytest.raises(AssayError, match=f"cannot enter instance {NAME}: it is SHUTOFF"):
        open_place(note)
