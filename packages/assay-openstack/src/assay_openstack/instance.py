"""One instance: made with a mark by which it is found again, waited for, removed."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from assay import AssayError
from assay.machines import UnreachableError
from assay.places import Machine, Reach, VisitSpec
from assay_openstack.errors import CloudError, CloudUnreachableError, failed, told
from assay_openstack.keys import Keys, make_keys, user_data
from assay_openstack.wanted import Wanted

MARK = "assay"
"""Name of the metadata that says whose an instance is: its value is the name of the visit."""
BUILD_S, ENTER_S, SETTLE_S, GONE_S = 900.0, 600.0, 600.0, 300.0
"""Waited for an instance to be active, to let us in, to have done with its own first start, to be gone."""
PAUSE_S = 2.0
LOGIN_S = 20.0
_SETTLED = (
    "sh",
    "-c",
    "command -v cloud-init >/dev/null || exit 0; cloud-init status --wait >/dev/null 2>&1; exit 0",
)
_GONE = ("DELETED", "SOFT_DELETED")


def make_instance(connection: Any, wanted: Wanted, spec: VisitSpec) -> Machine:
    """Make the instance of a visit, with a key pair of its own, and wait until it lets us in.

    Raises:
        CloudError: The cloud refuses, or gives it up.
        CloudUnreachableError: It is not active, or does not let us in, in time.
    """
    keys = make_keys(spec.folder)
    with told(f"make instance {spec.name}"):
        connection.compute.create_keypair(name=spec.name, public_key=keys.authorized)
        made = connection.compute.create_server(
            name=spec.name,
            flavor_id=wanted.flavor.id,
            image_id=wanted.image.id,
            networks=[{"uuid": wanted.network.id}],
            key_name=spec.name,
            user_data=user_data(keys),
            config_drive=True,
            metadata={MARK: spec.name},
            **_where(wanted),
        )
    active = _await_active(connection, made.id, spec.name)
    machine = _reached(active, keys, spec.name)
    _await_entry(connection, machine, made.id)
    return machine


def _where(wanted: Wanted) -> Mapping[str, object]:
    zone = {} if wanted.zone is None else {"availability_zone": wanted.zone}
    group = {} if wanted.group is None else {"security_groups": [{"name": wanted.group.id}]}
    return {**zone, **group}


def _await_active(connection: Any, identity: str, name: str) -> Any:
    doing, until = f"make instance {name}", time.monotonic() + BUILD_S
    while True:
        with told(doing):
            seen = connection.compute.get_server(identity)
        if seen.status == "ACTIVE":
            return seen
        _require_hope(seen, doing)
        if time.monotonic() >= until:
            msg = f"cannot {doing}: it is {seen.status} still, not ACTIVE, after {BUILD_S:.0f} s"
            raise CloudUnreachableError(msg, hint=f"openstack server event list {name}")
        time.sleep(PAUSE_S)


def _require_hope(seen: Any, doing: str) -> None:
    if seen.status == "ERROR":
        fault = seen.fault or {}
        raise failed(doing, str(fault.get("message") or "Nova gives it up without a reason"))
    if seen.status in {"SHUTOFF", "PAUSED", "SUSPENDED", *_GONE}:
        msg = f"cannot {doing}: it is {seen.status}: somebody else ended it, or its host did"
        raise CloudError(msg)


def _reached(server: Any, keys: Keys, name: str) -> Machine:
    address = address_of(server.addresses or {})
    if address is None:
        msg = f"cannot reach instance {name}: it has no address"
        raise CloudUnreachableError(msg, hint="openstack port list: has its network a subnet?")
    return Machine(name, Reach.SSH, address, "root", 22, keys.host_public, str(keys.identity))


def address_of(addresses: Mapping[str, Any]) -> str | None:
    """Return the address by which an instance is reached: a floating one, else IPv4 before IPv6; ``None``
    where it has none.
    """
    every = [one for each in addresses.values() for one in each]

    def rank(one: Mapping[str, Any]) -> tuple[bool, bool]:
        return one.get("OS-EXT-IPS:type") != "floating", one.get("version") != 4

    return str(min(every, key=rank)["addr"]) if every else None


def _await_entry(connection: Any, machine: Machine, identity: str) -> None:
    """Wait until the instance lets us in by its keys, and has done with what it does at its first start."""
    from assay.machines import SshDoor

    doing, until = f"enter instance {machine.name}", time.monotonic() + ENTER_S
    while True:
        try:
            door = SshDoor(machine, connect_timeout_s=LOGIN_S)
        except UnreachableError as error:  # another host key, or no right yet: before cloud-init brought ours
            last = error
        else:
            break
        with told(doing):
            _require_hope(connection.compute.get_server(identity), doing)
        if time.monotonic() >= until:
            raise _shut(connection, identity, machine, last)
        time.sleep(PAUSE_S)
    try:
        door.run(_SETTLED, timeout_s=SETTLE_S)
    finally:
        door.close()


def _shut(connection: Any, identity: str, machine: Machine, last: AssayError) -> CloudUnreachableError:
    console = _last_line(connection, identity)
    said = f"; its console's last line: {console}" if console else ""
    msg = (
        f"cannot enter instance {machine.name} at {machine.host} within {ENTER_S:.0f} s: {last.message}{said}"
    )
    hint = (
        "is its network reached from here, does its security group let port 22 in, has its image cloud-init?"
    )
    return CloudUnreachableError(msg, hint=hint)


def _last_line(connection: Any, identity: str) -> str | None:
    with suppress(AssayError), told("read its console"):
        console = connection.compute.get_server_console_output(identity, length=5) or {}
        lines = [line.strip() for line in str(console.get("output") or "").splitlines()]
        return next((line[:100] for line in reversed(lines) if line), None)
    return None


def instances_of(connection: Any, name: str) -> list[Any]:
    """Return the instances of a visit: those that have its mark, whatever their name may be by now."""
    with told(f"look for instance {name}"):
        listed = list(connection.compute.servers(details=True))
    return [one for one in listed if (one.metadata or {}).get(MARK) == name and one.status not in _GONE]


def remove_instance(connection: Any, name: str) -> None:
    """Remove what was made for a visit: its instances, its key pair; what is gone is no error.

    Raises:
        CloudError: The cloud refuses, or an instance is not gone in time.
    """
    until = time.monotonic() + GONE_S
    left = [one.id for one in instances_of(connection, name)]
    with told(f"remove instance {name}"):
        for identity in left:
            connection.compute.delete_server(identity, ignore_missing=True)
        connection.compute.delete_keypair(name, ignore_missing=True)
    while left := [identity for identity in left if _is_there(connection, identity, name)]:
        if time.monotonic() >= until:
            msg = f"cannot remove instance {name}: it is there still after {GONE_S:.0f} s"
            raise CloudError(msg, hint=f"openstack server show {name}; then: assay platform clean")
        time.sleep(PAUSE_S)


def _is_there(connection: Any, identity: str, name: str) -> bool:
    from openstack.exceptions import NotFoundException

    with told(f"remove instance {name}"):
        try:
            return connection.compute.get_server(identity).status not in _GONE
        except NotFoundException:
            return False
