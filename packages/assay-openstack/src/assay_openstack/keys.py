"""The keys of one instance: the pair by which it is known and the pair that opens it, made for a visit and
gone with it.
"""

from __future__ import annotations

import base64
import json
import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Keys:
    """What an instance is brought.

    Attributes:
        identity: File of the private key that opens root's account.
        authorized: Its public half.
        host_private: The private host key, as OpenSSH writes it.
        host_public: Its public half, ``ssh-ed25519 AAAA…``.
    """

    identity: Path
    authorized: str
    host_private: str
    host_public: str


def make_keys(folder: Path) -> Keys:
    """Make both pairs; the one that opens the instance lies in a folder that is ours alone."""
    import asyncssh

    host, client = (asyncssh.generate_private_key("ssh-ed25519") for _ in range(2))
    identity = folder / "id_ed25519"
    with open(os.open(identity, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(client.export_private_key())
    return Keys(identity, _public(client), host.export_private_key().decode(), _public(host))


def user_data(keys: Keys) -> str:
    """Return what cloud-init is told at the first start, as Nova takes it: the host key that the instance is
    to have, so that none is trusted at first sight; that root is let in; that it does nothing else.

    Source: cloud-init documentation, modules ``ssh``, ``package_update_upgrade_install``. JSON is YAML.
    """
    told = {
        "disable_root": False,
        "ssh_pwauth": False,
        "ssh_deletekeys": True,
        "ssh_keys": {"ed25519_private": keys.host_private, "ed25519_public": keys.host_public},
        "package_update": False,
        "package_upgrade": False,
    }
    return base64.b64encode(b"#cloud-config\n" + json.dumps(told, indent=1).encode()).decode()


def _public(key: object) -> str:
    text: bytes = key.export_public_key()  # type: ignore[attr-defined]
    return " ".join(text.decode().split()[:2])
