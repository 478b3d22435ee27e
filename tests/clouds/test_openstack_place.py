"""Instances of OpenStack by the real openstacksdk: looked for, made, looked at, removed."""

from __future__ import annotations

import base64
import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assay.activities.plan.kinds.table import find_arms
from assay.model.errors import AssayError, Exit, UnknownNameError
from assay.model.machines.machine import Machine, Reach
from assay.model.platforms.plugin_place import PluginPlace, SeenPluginPlace
from assay.places.catalogue import PLACES
from assay.platforms.errors import PlatformError
from assay.platforms.leftovers.clean import clean, leftovers
from assay.platforms.plugin_places import (
    cpus_of,
    end_places,
    look,
    memory_of,
    open_place,
    remove_place,
    why_not,
)
from assay.scenes import made_elsewhere, read_scene
from assay.store.store import Store
from assay_openstack import instance
from assay_openstack.instance import MARK, address_of
from tests.builders import FACTS
from tests.clouds.cloud import Cloud
from tests.clouds.parts import NAME, OWN_WARNINGS, PINNED, PLAIN, note_of
from tests.factors.parts import FakeHost
from tests.platforms.guest_parts import PROBE

pytestmark = OWN_WARNINGS

SERVERS = "/compute/v2.1/servers"
FULL = (*PINNED, ("zone", "nova:node17"), ("aggregate", "pinned"), ("security-group", "ssh"))
SCENE = """\
scene: cloud
title: An instance beside its host
baseline: {machine: node17}
treatment: {platform: openstack, factors: {flavor: [m1.small, bench.pinned], image: debian-12, zone: "nova:node17"}}
workloads: [flops]
"""  # noqa: E501


@pytest.fixture
def entered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Instances let us in at once: nothing runs in them here (``test_openstack_live`` enters a real sshd)."""
    monkeypatch.setattr(instance, "_await_entry", lambda *_: None)
    monkeypatch.setattr(instance, "PAUSE_S", 0.0)


def test_a_scene_names_it_beside_a_host_that_is_reached_by_ssh(cloud: Cloud) -> None:
    scene = read_scene(SCENE.encode(), file="cloud.yaml")
    assert made_elsewhere(scene)
    assert [one.levels[0] for one in scene.plugin_places] == [
        ("flavor", "m1.small"),
        ("flavor", "bench.pinned"),
    ]
    assert cloud.requests == [], "a scene is read without asking the cloud"


def test_its_host_keeps_to_as_many_processors_and_as_much_memory(cloud: Cloud, tmp_path: Path) -> None:
    far = Machine("node17", Reach.SSH, "node17.site", "root")
    arms = find_arms(
        read_scene(SCENE.encode(), file="cloud.yaml"),
        replace(FACTS, cpus=tuple(range(4))),
        home=tmp_path,
        store=cast("Store", SimpleNamespace(machine=lambda _: far)),
        image=lambda _: "none",
        host=FakeHost(),
    )
    assert [(arm.machine, arm.limits.memory_bytes, len(arm.limits.cpus)) for arm in arms.every] == [
        (far, 2 << 30, 1),
        (far, 2 << 30, 1),
        (far, 4 << 30, 2),
    ]


def test_a_flavor_says_how_many_processors_and_how_much_memory(cloud: Cloud) -> None:
    wanted = PluginPlace("openstack", PINNED)
    assert (why_not(wanted), cpus_of(wanted), memory_of(wanted)) == (None, 2, 4 << 30)
    by_id = (("flavor", "2"), ("image", "1a000000-0000-4000-8000-00000000000b"))
    assert cpus_of(PluginPlace("openstack", by_id)) == 1
    assert why_not(PluginPlace("openstack", by_id)) is None


@pytest.mark.parametrize(
    ("levels", "why"),
    [
        (("flavor", "m1.smal"), "unknown flavor 'm1.smal'; nearest: 'm1.small' (known: bench.pinned, "),
        (("image", "debian"), "unknown image 'debian'; nearest: 'debian-12' (known: alma-9, debian-12)"),
        (("image", "uploading"), "unknown image 'uploading'"),
        (("network", "lab"), "unknown network 'lab' (known: provider)"),
        (("aggregate", "pined"), "unknown host aggregate 'pined'; nearest: 'pinned'"),
        (("security-group", "shh"), "unknown security group 'shh'; nearest: 'ssh'"),
    ],
)
def test_what_the_cloud_has_not_is_refused_with_the_nearest_names(
    cloud: Cloud, levels: tuple[str, str], why: str
) -> None:
    with pytest.raises(UnknownNameError) as refused:
        why_not(PluginPlace("openstack", (*PLAIN, levels)))
    assert why in refused.value.message
    assert refused.value.exit_code is Exit.INPUT
    assert refused.value.hint == f"openstack {refused.value.kind.removeprefix('host ')} list"


def test_what_is_not_named_or_not_by_one_name_alone_is_asked_for(cloud: Cloud) -> None:
    with pytest.raises(AssayError, match="cannot make an instance: no image is named") as refused:
        why_not(PluginPlace("openstack", PLAIN[:1]))
    assert refused.value.hint == "factors: {image: NAME}; alma-9, debian-12"
    with pytest.raises(
        AssayError, match="cannot tell which image is meant: 2 are called 'alma-9'"
    ) as refused:
        why_not(PluginPlace("openstack", (PLAIN[0], ("image", "alma-9"))))
    assert "1a000000-0000-4000-8000-00000000000b" in (refused.value.hint or "")
    cloud.instead["GET /network/v2.0/networks"] = (
        200,
        {"networks": [{"id": str(n), "name": f"net{n:02}"} for n in range(12)]},
    )
    with pytest.raises(AssayError, match="no network is named") as refused:
        why_not(PluginPlace("openstack", PLAIN))
    assert (refused.value.hint or "").endswith("net07 and 4 more")
    cloud.instead["GET /network/v2.0/networks"] = 200, {"networks": []}
    with pytest.raises(AssayError, match="no network is named") as refused:
        why_not(PluginPlace("openstack", PLAIN))
    assert refused.value.hint == "factors: {network: NAME}; the cloud shows none"


def test_what_does_not_fit_together_is_refused_before_anything_runs(cloud: Cloud) -> None:
    tiny = PluginPlace("openstack", (("flavor", "m1.tiny"), PLAIN[1]))
    assert why_not(tiny) == "flavor m1.tiny has 1 GiB of disk, image debian-12 needs 2 GiB"
    images = cloud.reply("glance-images")
    images["images"][0].update(min_disk=0, min_ram=1024)
    cloud.instead["GET /image/v2/images"] = 200, images
    assert why_not(tiny) == "flavor m1.tiny has 512 MiB of memory, image debian-12 needs 1024 MiB"
    elsewhere = (*PINNED, ("zone", "nova:node01"), ("aggregate", "pinned"))
    assert why_not(PluginPlace("openstack", elsewhere)) == "host node01 is not in the aggregate pinned"


@pytest.mark.usefixtures("entered")
def test_it_is_made_with_a_mark_a_key_pair_and_a_host_key_of_its_own(cloud: Cloud, tmp_path: Path) -> None:
    cloud.builds = 2
    note = note_of(tmp_path, FULL, (1, 2))
    opened = open_place(note)
    (asked,) = cloud.asked.values()
    told = json.loads(base64.b64decode(asked.pop("user_data")).partition(b"\n")[2])
    assert asked == {
        "name": NAME,
        "flavorRef": "c0ffee00-0000-4000-8000-000000000001",
        "imageRef": "1a000000-0000-4000-8000-00000000000a",
        "networks": [{"uuid": "0e000000-0000-4000-8000-00000000000a"}],
        "key_name": NAME,
        "config_drive": True,
        "metadata": {MARK: NAME},
        "availability_zone": "nova:node17",
        "security_groups": [{"name": "5e000000-0000-4000-8000-00000000000b"}],
    }
    identity = note.spec.folder / "id_ed25519"
    assert identity.stat().st_mode & 0o777 == 0o600
    assert opened.version == "Nova API 2.96"
    key = told["ssh_keys"]["ed25519_public"]
    assert opened.enter == Machine(NAME, Reach.SSH, "192.0.2.7", "root", 22, key, str(identity))
    assert told["ssh_deletekeys"] is True
    assert told["disable_root"] is False
    assert "PRIVATE KEY" in told["ssh_keys"]["ed25519_private"]
    assert [*cloud.keypairs] == [NAME]
    assert cloud.keypairs[NAME].startswith("ssh-ed25519 ")
    assert cloud.keypairs[NAME] != key
    remove_place(note)
    assert (cloud.servers, cloud.keypairs) == ({}, {})
    assert not note.spec.folder.parent.exists()


@pytest.mark.usefixtures("entered")
def test_an_aggregate_of_a_zone_of_its_own_brings_it_there(cloud: Cloud, tmp_path: Path) -> None:
    note = note_of(tmp_path, (*PLAIN, ("aggregate", "shared")))
    open_place(note)
    assert [one["availability_zone"] for one in cloud.asked.values()] == ["farm"]
    with pytest.raises(PlatformError, match="aggregate=shared was asked for, aggregate=pinned is in force"):
        look(note, open_seen())


def open_seen() -> Any:
    """Return a place that was opened, as far as its look asks for it."""
    from assay.places import Opened

    return Opened("Nova API 2.96", lambda argv: argv)


@pytest.mark.usefixtures("entered")
def test_what_it_was_really_given_is_in_the_record(cloud: Cloud, tmp_path: Path) -> None:
    note = note_of(tmp_path, FULL)
    seen = look(note, open_place(note))
    levels = (
        *FULL[:2],
        ("network", "provider"),
        *FULL[2:],
        ("vcpus", "2"),
        ("memory", "4 GiB"),
        ("disk", "20 GiB"),
        ("aggregate_instance_extra_specs:pinned", "true"),
        ("hw:cpu_policy", "dedicated"),
        ("hw:mem_page_size", "1GB"),
        ("hw_disk_bus", "virtio"),
        ("hw_vif_multiqueue_enabled", "true"),
        ("host", "node17"),
        ("host-id", "9f8e7d6c5b4a"),
        ("hypervisor", "QEMU 8.2.2"),
    )
    assert seen == SeenPluginPlace("openstack", "an instance of OpenStack", "Nova API 2.96", levels)


@pytest.mark.usefixtures("entered")
def test_who_is_no_administrator_is_told_neither_host_nor_hypervisor(cloud: Cloud, tmp_path: Path) -> None:
    cloud.admin = False
    cloud.instead["GET /image/v2/images/1a000000-0000-4000-8000-00000000000a"] = 404, {}
    note = note_of(tmp_path)
    levels = dict(look(note, open_place(note)).levels)
    assert levels["zone"] == "nova"
    assert not levels.keys() & {"host", "hypervisor", "hw_disk_bus"}
    assert levels["host-id"] == "9f8e7d6c5b4a"
    with pytest.raises(
        AssayError, match="cannot look for the host aggregate: Policy doesn't allow"
    ) as refused:
        why_not(PluginPlace("openstack", (*PLAIN, ("aggregate", "pinned"))))
    assert "administrators" in (refused.value.hint or "")


@pytest.mark.usefixtures("entered")
@pytest.mark.parametrize(
    ("changed", "found"),
    [
        ({"flavor": {"original_name": "m1.tiny", "vcpus": 1, "ram": 512}}, "flavor=m1.tiny is in force"),
        ({"image": ""}, "image=none, it boots from a volume is in force"),
        ({"addresses": {"lab": [{"addr": "192.0.2.9", "version": 4}]}}, "network=lab is in force"),
        ({"OS-EXT-SRV-ATTR:host": "node18"}, "zone=nova:node18 is in force"),
        ({"OS-EXT-SRV-ATTR:host": None}, "zone=nova:not told is in force"),
        ({"security_groups": [{"name": "default"}]}, "security-group=default is in force"),
        ({"security_groups": None}, "security-group=none is in force"),
    ],
)
def test_a_level_that_is_not_in_force_is_no_place_to_measure_in(
    cloud: Cloud, tmp_path: Path, changed: dict[str, Any], found: str
) -> None:
    cloud.changed = changed
    note = note_of(tmp_path, (*FULL, ("network", "provider")))
    opened = open_place(note)
    with pytest.raises(PlatformError, match=f"cannot measure in {NAME}: .*{found}"):
        look(note, opened)


@pytest.mark.usefixtures("entered")
def test_an_older_nova_keeps_the_identity_of_the_flavor_alone(cloud: Cloud, tmp_path: Path) -> None:
    cloud.changed = {"flavor": {"id": "2", "links": []}, "OS-EXT-SRV-ATTR:hypervisor_hostname": "node99.site"}
    cloud.instead["GET /compute/v2.1"] = (
        200,
        {"version": {**cloud.reply("nova-version")["version"], "version": ""}},
    )
    note = note_of(tmp_path)
    seen = look(note, open_place(note))
    assert seen.version == "Nova API 2.0"
    assert dict(seen.levels)["vcpus"] == "1"
    assert "hypervisor" not in dict(seen.levels)


@pytest.mark.usefixtures("entered")
def test_one_that_is_gone_cannot_be_looked_at(cloud: Cloud, tmp_path: Path) -> None:
    note = note_of(tmp_path)
    opened = open_place(note)
    cloud.servers.clear()
    with pytest.raises(AssayError, match="expected one, the cloud has 0"):
        look(note, opened)


@pytest.mark.usefixtures("entered")
def test_what_is_ours_is_found_by_its_mark_and_nothing_else_is_touched(cloud: Cloud, tmp_path: Path) -> None:
    note = note_of(tmp_path)
    open_place(note)
    (ours,) = cloud.servers.values()
    ours["name"] = "renamed by somebody"
    cloud.lingers = 2
    cloud.servers["theirs"] = {**ours, "id": "theirs", "name": NAME, "metadata": {"owner": "somebody"}}
    cloud.servers["other"] = {**ours, "id": "other", "metadata": {MARK: "assay-0123abcd-b1"}}
    cloud.keypairs["assay-0123abcd-b1"] = "ssh-ed25519 AAAA"
    remove_place(note)
    assert [*cloud.servers] == ["theirs", "other"]
    assert [*cloud.keypairs] == ["assay-0123abcd-b1"]
    remove_place(note)  # twice is no error


@pytest.mark.usefixtures("entered")
def test_one_that_does_not_go_is_told_and_tried_again(
    cloud: Cloud, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(instance, "GONE_S", 0.0)
    note = note_of(tmp_path)
    open_place(note)
    cloud.lingers = 2
    with pytest.raises(AssayError, match=f"cannot remove instance {NAME}: it is there still") as refused:
        remove_place(note)
    assert (refused.value.exit_code, note.spec.folder.exists()) == (Exit.MISSING, True)
    cloud.lingers = 0
    remove_place(note)
    assert cloud.servers == {}


CHILD = """
import sys
from pathlib import Path
from assay.model.plugins import Plugins
from assay.places.catalogue import PLACES
from assay.platforms.plugin_places import open_place
from assay_openstack.place import OPENSTACK
from tests.clouds.parts import note_of

PLACES._added = Plugins({"openstack": OPENSTACK}, ())
open_place(note_of(Path(sys.argv[1])))
"""


def test_what_a_killed_process_left_is_removed_by_the_clean_up(cloud: Cloud, tmp_path: Path) -> None:
    cloud.builds = None
    words = [sys.executable, "-c", textwrap.dedent(CHILD), str(tmp_path)]
    with subprocess.Popen(words, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}) as child:
        until = time.monotonic() + 60
        while not cloud.servers and time.monotonic() < until:
            time.sleep(0.02)
        child.send_signal(signal.SIGKILL)
    assert len(cloud.servers) == len(cloud.keypairs) == 1
    (left,) = (one for one in leftovers(tmp_path, subreaper=PROBE) if one.kind == "place")
    assert left.name == NAME
    clean(tmp_path, subreaper=PROBE)
    assert (cloud.servers, cloud.keypairs) == ({}, {})
    assert [*(tmp_path / "places").iterdir()] == []
    end_places(tmp_path, "0123abcd")


@pytest.mark.parametrize(
    ("addresses", "address"),
    [
        ({}, None),
        ({"a": [{"addr": "2001:db8::1", "version": 6}, {"addr": "192.0.2.1", "version": 4}]}, "192.0.2.1"),
        ({"a": [{"addr": "2001:db8::1", "version": 6}]}, "2001:db8::1"),
        (
            {
                "a": [
                    {"addr": "192.0.2.1", "version": 4, "OS-EXT-IPS:type": "fixed"},
                    {"addr": "198.51.100.1", "version": 4, "OS-EXT-IPS:type": "floating"},
                ]
            },
            "198.51.100.1",
        ),
    ],
)
def test_a_floating_address_is_taken_before_others(addresses: dict[str, Any], address: str | None) -> None:
    assert address_of(addresses) == address


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is waited for."""
    for name in ("BUILD_S", "ENTER_S", "PAUSE_S"):
        monkeypatch.setattr(instance, name, 0.0)
    monkeypatch.setattr(instance, "LOGIN_S", 1.0)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("given", "why", "code", "hint"),
    [
        ({"builds": None}, "it is BUILD still, not ACTIVE, after 0 s", Exit.UNREACHABLE, "event list"),
        ({"fault": "nova-fault"}, "No valid host was found. There are not", Exit.MISSING, "hypervisor list"),
        ({"fault": {}}, "Nova gives it up without a reason", Exit.MISSING, None),
        ({"changed": {"status": "SHUTOFF"}}, "it is SHUTOFF: somebody else", Exit.MISSING, None),
        ({"changed": {"addresses": {}}}, "it has no address", Exit.UNREACHABLE, "subnet"),
        (
            {"address": "127.0.0.2"},
            "within 0 s: cannot .*console's last line: login:",
            Exit.UNREACHABLE,
            "port 22",
        ),
    ],
)
def test_one_that_does_not_come_up_is_told_in_one_line(
    cloud: Cloud, tmp_path: Path, given: dict[str, Any], why: str, code: Exit, hint: str | None
) -> None:
    for name, value in given.items():
        setattr(cloud, name, cloud.reply(value) if value == "nova-fault" else value)
    note = note_of(tmp_path)
    with pytest.raises(AssayError, match=f"cannot (make|reach|enter) instance {NAME}.*{why}") as refused:
        open_place(note)
    assert (refused.value.exit_code, "\n" in refused.value.message) == (code, False)
    assert hint is None or hint in (refused.value.hint or "")
    remove_place(note)
    assert (cloud.servers, cloud.keypairs) == ({}, {})


@pytest.mark.parametrize(
    ("reply", "why", "hint"),
    [
        (
            "error-quota",
            "Quota exceeded for cores: Requested 2, but already used 20 of 20 cores",
            "quota show",
        ),
        ("error-policy", "Policy doesn't allow os_compute_api:servers:create:forced_host", "administrators"),
    ],
)
def test_what_nova_refuses_is_told_in_its_words(
    cloud: Cloud, tmp_path: Path, reply: str, why: str, hint: str
) -> None:
    cloud.instead[f"POST {SERVERS}"] = 403, cloud.reply(reply)
    note = note_of(tmp_path)
    with pytest.raises(AssayError) as refused:
        open_place(note)
    assert refused.value.message.startswith(f"cannot make instance {NAME}: {why}")
    assert (refused.value.exit_code, hint in (refused.value.hint or "")) == (Exit.MISSING, True)
    remove_place(note)
    assert cloud.keypairs == {}


def test_the_kind_is_listed_with_what_can_be_written(cloud: Cloud) -> None:
    factors = PLACES["openstack"].factors
    assert [*factors] == ["flavor", "image", "network", "zone", "aggregate", "security-group"]
    assert factors["flavor"].read(4) == "4"
    for factor in factors.values():
        assert [factor.read(one) for one in factor.choices] == [*factor.choices]
