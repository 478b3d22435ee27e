"""A real sshd as the instance of a cloud: it takes up the keys that it is told, as cloud-init would."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.clouds.cloud import Cloud
from tests.hosts import SERVER, SshHost, ssh_host

CPU = min(os.sched_getaffinity(0))
"""The one processor that the instance has, as flavor m1.small says."""


@contextmanager
def instance_host(folder: Path) -> Iterator[SshHost]:
    """Start an sshd that listens at port 22 too, and whose programs have one processor."""
    with ssh_host(folder, wrap=("taskset", "--cpu-list", str(CPU))) as made:
        config = made.folder / "sshd_config"
        both = config.read_text().replace(f"ListenAddress {SERVER}", f"Port 22\nListenAddress {SERVER}")
        config.write_text(both)
        yield made


@dataclass
class CloudInit:
    """What it does at the first start.

    Attributes:
        cloud: Where the key pairs are.
        host: The sshd.
        host_key: It brings the host key that it is told.
    """

    cloud: Cloud
    host: SshHost
    host_key: bool = True

    def __call__(self, _server: dict[str, Any], asked: dict[str, Any]) -> None:
        """Take up the keys, and start sshd with them."""
        told = json.loads(base64.b64decode(asked["user_data"]).partition(b"\n")[2])
        if self.host_key:
            (self.host.folder / "host_key").write_text(told["ssh_keys"]["ed25519_private"])
        if told["disable_root"] is False:
            opens = self.cloud.keypairs[asked["key_name"]]
            (self.host.folder / "authorized_keys").write_text(f"{opens}\n")
        self.host.restart()
