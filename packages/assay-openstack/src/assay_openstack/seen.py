"""What an instance was really given, as the cloud says while it runs: the record's facts of the place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from assay.places import Given, VisitSpec, spell_bytes
from assay_openstack.errors import CloudError, told
from assay_openstack.instance import instances_of
from assay_openstack.wanted import Wanted

_SHORT = 12
"""Digits of Nova's word for a host that others than administrators may see."""


def seen_levels(connection: Any, wanted: Wanted, spec: VisitSpec) -> Given:
    """Return the levels in force, and the facts of the place beside them.

    ``host``, ``hypervisor`` and ``aggregate`` are told to administrators alone; ``host-id`` to everybody.

    Raises:
        CloudError: The instance is gone, or there are several.
    """
    found = instances_of(connection, spec.name)
    if len(found) != 1:
        msg = f"cannot look at instance {spec.name}: expected one, the cloud has {len(found)}"
        raise CloudError(msg)
    return {**dict(_levels(connection, found[0], wanted, spec.levels)), **dict(_facts(connection, found[0]))}


def _levels(connection: Any, server: Any, wanted: Wanted, asked: Given) -> Iterator[tuple[str, str]]:
    """Yield the levels that were asked for as the scene spells them, where they are in force."""
    flavor, zone = _flavor_name(connection, server), _zone(server, asked.get("zone"))
    image = str((server.image or {}).get("id") or "none, it boots from a volume")
    yield "flavor", asked["flavor"] if flavor == wanted.flavor.name else flavor
    yield "image", asked["image"] if image == wanted.image.id else image
    networks = [*(server.addresses or {})]
    there = asked.get("network", wanted.network.name)
    yield "network", there if wanted.network.name in networks else ", ".join(networks) or "none"
    if zone is not None:
        yield "zone", zone
    if wanted.aggregate is not None:
        aggregates = _aggregates(connection, server.compute_host)
        own = wanted.aggregate.id in aggregates
        yield "aggregate", asked["aggregate"] if own else ", ".join(aggregates.values()) or "none"
    if wanted.group is not None:
        groups = {str(one.get("name")) for one in server.security_groups or ()}
        own = bool(groups & {wanted.group.name, wanted.group.id})
        yield "security-group", asked["security-group"] if own else ", ".join(sorted(groups)) or "none"


def _zone(server: Any, asked: str | None) -> str | None:
    """Return the availability zone, with the host where one was asked for."""
    zone = server.availability_zone
    if zone and asked and ":" in asked:
        return f"{zone}:{server.compute_host or 'not told'}"
    return str(zone) if zone else None


def _facts(connection: Any, server: Any) -> Iterator[tuple[str, str]]:
    flavor = _flavor(connection, server)
    yield "vcpus", str(flavor.vcpus)
    yield "memory", spell_bytes(flavor.ram << 20)
    if flavor.disk:
        yield "disk", spell_bytes(flavor.disk << 30)
    yield from sorted((str(name), str(level)) for name, level in (flavor.extra_specs or {}).items())
    yield from _image_properties(connection, server)
    if server.compute_host:
        yield "host", str(server.compute_host)
    if server.host_id:
        yield "host-id", str(server.host_id)[:_SHORT]
    if server.hypervisor_hostname:
        yield from _hypervisor(connection, str(server.hypervisor_hostname))


def _flavor(connection: Any, server: Any) -> Any:
    """Return the flavor as Nova keeps it with the instance; before 2.47 that is its identity alone."""
    flavor = server.flavor
    if flavor.vcpus:
        return flavor
    with told("look at the flavor"):
        return connection.compute.get_flavor(flavor.id)


def _flavor_name(connection: Any, server: Any) -> str:
    flavor = _flavor(connection, server)
    return str(flavor.original_name or flavor.name)


def _image_properties(connection: Any, server: Any) -> Iterator[tuple[str, str]]:
    """Yield what the image asks of the virtual hardware."""
    if not server.image or not server.image.get("id"):
        return
    with suppress(CloudError), told("look at the image"):
        image = connection.image.get_image(server.image["id"])
        known = {**image.to_dict(original_names=True), **(image.properties or {})}
        yield from sorted(
            (name, str(level).lower() if isinstance(level, bool) else str(level))
            for name, level in known.items()
            if name.startswith("hw_") and level is not None
        )


def _aggregates(connection: Any, host: str | None) -> dict[Any, str]:
    with told("look at the host aggregates"):
        listed = list(connection.compute.aggregates())
    return {one.id: str(one.name) for one in listed if host in (one.hosts or ())}


def _hypervisor(connection: Any, hostname: str) -> Iterator[tuple[str, str]]:
    with suppress(CloudError), told("look at the hypervisor"):
        for one in connection.compute.hypervisors(details=True):
            if one.name == hostname:
                yield "hypervisor", f"{one.hypervisor_type} {_version(one.hypervisor_version)}"


def _version(number: int | None) -> str:
    """Return a version as people write it; libvirt's number has three digits for each part but the first."""
    if not number:
        return "of unknown version"
    return f"{number // 1_000_000}.{number // 1000 % 1000}.{number % 1000}"
