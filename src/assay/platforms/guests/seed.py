"""What a cloud image is told at its first start: cloud-init's NoCloud seed.

Source: cloud-init documentation, "NoCloud" (a disk labelled ``CIDATA`` with ``meta-data``, ``user-data``,
``network-config``), modules ``ssh``, ``users_groups``, ``runcmd``; network configuration version 2.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from assay.platforms.guests.boot import FAILED, READY
from assay.platforms.guests.domain import MANAGEMENT_MAC, measured_mac
from assay.platforms.guests.fat import fat_disk
from assay.platforms.guests.keys import read_keys
from assay.platforms.guests.spec import GuestSpec
from assay.platforms.readers import write_private

LABEL = "CIDATA"
_READY = f"""\
if systemctl -q is-active ssh 2>/dev/null || systemctl -q is-active sshd 2>/dev/null || pgrep -x sshd >/dev/null
then echo "{READY}" >/dev/ttyS0
else echo "{FAILED} start sshd" >/dev/ttyS0
fi"""  # noqa: E501


def write_seed(spec: GuestSpec) -> None:
    """Write the seed of a guest, whose keys lie in its folder, where its image carries cloud-init; else
    nothing.
    """
    if spec.image.cloud_init:
        write_private(spec.seed, fat_disk(seed_files(spec), label=LABEL))


def seed_files(spec: GuestSpec) -> dict[str, bytes]:
    """Return the files of a guest's seed: who it is, whom it lets in, when it is ready, its networks."""
    keys = read_keys(spec.folder)
    user_data = {
        "disable_root": False,
        "ssh_pwauth": False,
        "ssh_deletekeys": True,
        "ssh_keys": {"ed25519_private": keys.host_private.decode(), "ed25519_public": keys.host_public},
        "users": [{"name": "root", "lock_passwd": True, "ssh_authorized_keys": [keys.authorized]}],
        "locale": False,
        "package_update": False,
        "runcmd": [["sh", "-c", _READY]],
    }
    meta_data = {"instance-id": spec.name, "local-hostname": spec.name}
    # JSON is YAML: no writer of YAML is needed, and nothing is quoted by hand
    return {
        "meta-data": _text(meta_data),
        "user-data": b"#cloud-config\n" + _text(user_data),
        "network-config": _text(_networks(spec.address, measured_mac(spec.tap))),
    }


def _networks(address: str | None, mac: str) -> dict[str, object]:
    management = {"match": {"macaddress": MANAGEMENT_MAC}, "addresses": ["10.0.2.15/24"], "optional": True}
    ethernets: dict[str, object] = {"management": management}
    if address is not None:
        ethernets["measured"] = {
            "match": {"macaddress": mac},
            "addresses": [address],
            "optional": True,
        }
    return {"version": 2, "ethernets": ethernets}


def _text(value: Mapping[str, object]) -> bytes:
    return (json.dumps(value, indent=1) + "\n").encode()
