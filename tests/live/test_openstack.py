"""An evaluation in instances of a cloud on loopback, each a real sshd: measured, read back, removed.

The cloud answers what the API references of OpenStack say; no real one was ever asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clouds.cloud import CLOUDS, PASSWORD, Cloud, running
from tests.clouds.cloud_init import CPU, CloudInit, instance_host
from tests.hosts import SERVER, SshHost
from tests.live.parts import newest, run

pytestmark = [pytest.mark.live, pytest.mark.long]

SCENE = f"""\
scene: cloud
title: An instance beside this machine
baseline: {{machine: local}}
treatment: {{platform: openstack, factors: {{flavor: m1.small, image: debian-12}}}}
processors: [{CPU}]
controller: shared
workloads: [{{name: waits, command: sleep 0.5}}]
design: {{blocks: 3, wait-quiet: 0 s}}
"""


@pytest.fixture
def host(tmp_path: Path) -> Iterator[SshHost]:
    with instance_host(tmp_path) as made:
        yield made


@pytest.fixture
def cloud(host: SshHost) -> Iterator[Cloud]:
    """A cloud that is reached from where the instance is."""
    with running(namespace=host.client_namespace) as made:
        made.address, made.started = SERVER, CloudInit(made, host)
        yield made


@pytest.fixture
def variables(cloud: Cloud, host: SshHost) -> dict[str, str]:
    """What a user has set to log in to the cloud."""
    file = host.folder / "clouds.yaml"
    file.write_text(CLOUDS.format(url=cloud.url, password=PASSWORD))
    return {"HOME": str(host.home), "OS_CLIENT_CONFIG_FILE": str(file), "OS_CLOUD": "bench"}


def test_instances_are_measured_and_nothing_is_left(
    cloud: Cloud, host: SshHost, variables: dict[str, str], home: Path, tmp_path: Path
) -> None:
    (tmp_path / "cloud.yaml").write_text(SCENE)
    words = ("evaluate", str(tmp_path / "cloud.yaml"), "--json")
    done = run(*words, home=home, wrap=host.inside, variables=variables)
    assert done.code == 0, done.err
    (sentence,) = (one for one in done.page["method"] if "an instance of OpenStack" in one)
    assert "flavor m1.small" in sentence
    assert "hypervisor QEMU 8.2.2" in sentence
    assert (cloud.servers, cloud.keypairs) == ({}, {})
    assert len(cloud.asked) >= 3, "one for each visit"
    activity = newest(home)
    assert activity is not None
    assert PASSWORD not in "".join(
        file.read_text(errors="replace") for file in activity.folder.rglob("*") if file.is_file()
    )
