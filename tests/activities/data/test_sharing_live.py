"""A folder of the host in a real guest by virtiofs: read there, not written to, and seen on both sides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from assay.activities.data.sharing import PLACE, mount_share, share_of
from assay.activities.visits.visit import guest_visit
from assay.model.activity import PlannedArm
from assay.model.platforms.data import Levels
from assay.platforms.claims import claim
from assay.platforms.daemon.daemon import libvirt_connection
from assay.platforms.guests.guest import Guest, start_guest
from tests.builders import plan_of
from tests.platforms.guest_parts import PROBE, fresh_home, real_image, spec_of, ssh

pytestmark = [pytest.mark.live, pytest.mark.long]
ACTIVITY = "test-shared"
LEVELS: Levels = (("data.access", "virtiofs"), ("data.virtiofs-cache", "none"))
MEMORY = (("memory.source", "memfd"), ("memory.access", "shared"))


@pytest.fixture(scope="module")
def files() -> Iterator[Path]:
    with fresh_home() as home:
        folder = home / "data" / "files"
        folder.mkdir(parents=True)
        (folder / "one").write_bytes(b"a" * 300_000)
        claim(home, ACTIVITY)  # an activity on this machine ends guests that nobody needs
        yield folder


@pytest.fixture(scope="module")
def arm() -> PlannedArm:
    return replace(plan_of(()).baseline, label="guest", data=LEVELS)


@pytest.fixture(scope="module")
def guest(files: Path, arm: PlannedArm) -> Iterator[Guest]:
    home = files.parents[1]
    with libvirt_connection(home, subreaper=PROBE) as connection:
        spec = replace(spec_of(home, real_image(), activity=ACTIVITY), settings=MEMORY)
        started = start_guest(connection, replace(spec, share=share_of(arm, files)))
        try:
            yield started
        finally:
            started.destroy()


def test_a_guest_reads_a_folder_of_the_host_and_cannot_write_there(
    files: Path, arm: PlannedArm, guest: Guest
) -> None:
    home = files.parents[1]
    with guest_visit(guest, "guest", ACTIVITY, home=home) as visit:
        seen = mount_share(visit, arm, files)
    assert [(one.name, one.level) for one in seen] == [*LEVELS]
    assert seen[0].how == (
        "vhost-user-fs-pci on QEMU's command line, the folder on virtiofsd's; /proc/mounts of the guest"
    )
    assert ssh(guest, f"cksum < {PLACE}/one").stdout.split()[1] == "300000"
    assert "Read-only file system" in ssh(guest, f"touch {PLACE}/two").stderr
    assert [path.name for path in files.iterdir()] == ["one"]
