"""Instances of Nova as a kind of place: what can be set, and how one is opened, looked at and removed."""

from __future__ import annotations

from assay.places import Given, Opened, Pattern, PlaceDefinition, VisitSpec
from assay_openstack.cloud import cloud, version_of
from assay_openstack.instance import make_instance, remove_instance
from assay_openstack.seen import seen_levels
from assay_openstack.wanted import Wanted, find_flavor, find_wanted

_NAME = r"[^\s,;|][^\n\r,;|]{0,254}"


def _needs(levels: Given) -> str | None:
    with cloud() as connection:
        wanted = find_wanted(connection, levels)
    flavor, image = wanted.flavor, wanted.image
    if 0 < flavor.disk < (image.min_disk or 0):
        return _too_small(wanted, f"{flavor.disk} GiB of disk", f"{image.min_disk} GiB")
    if flavor.ram < (image.min_ram or 0):
        return _too_small(wanted, f"{flavor.ram} MiB of memory", f"{image.min_ram} MiB")
    host = (wanted.zone or "").partition(":")[2]
    if host and wanted.aggregate is not None and host not in (wanted.aggregate.hosts or ()):
        return f"host {host} is not in the aggregate {wanted.aggregate.name}"
    return None


def _too_small(wanted: Wanted, has: str, needs: str) -> str:
    return f"flavor {wanted.flavor.name} has {has}, image {wanted.image.name} needs {needs}"


def _cpus(levels: Given) -> int:
    with cloud() as connection:
        return int(find_flavor(connection, levels).vcpus)


def _memory_bytes(levels: Given) -> int:
    with cloud() as connection:
        return int(find_flavor(connection, levels).ram) << 20


def _open(spec: VisitSpec) -> Opened:
    with cloud() as connection:
        version = version_of(connection)
        return Opened(version, make_instance(connection, find_wanted(connection, spec.levels), spec))


def _seen(spec: VisitSpec) -> Given:
    with cloud() as connection:
        return seen_levels(connection, find_wanted(connection, spec.levels), spec)


def _remove(spec: VisitSpec) -> None:
    with cloud() as connection:
        remove_instance(connection, spec.name)


OPENSTACK = PlaceDefinition(
    "openstack",
    "an instance of OpenStack",
    _open,
    _seen,
    _remove,
    factors={
        "flavor": Pattern(_NAME, "name or id of a flavor", ("m1.large",)),
        "image": Pattern(_NAME, "name or id of an image", ("debian-12",)),
        "network": Pattern(_NAME, "name or id of a network", ("provider",)),
        "zone": Pattern(r"[^\s:]+(:[^\s:]+)?", "an availability zone, or ZONE:HOST", ("nova", "nova:node01")),
        "aggregate": Pattern(_NAME, "name or id of a host aggregate", ("pinned",)),
        "security-group": Pattern(_NAME, "name or id of a security group", ("ssh",)),
    },
    needs=_needs,
    memory_bytes=_memory_bytes,
    own_kernel=True,
    cpus=_cpus,
    elsewhere=True,
)
