"""What a scene names, looked up in the cloud: flavor, image, network, aggregate, security group."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from assay import AssayError, UnknownNameError
from assay.places import Given
from assay_openstack.errors import told

_SHOWN = 8
"""Names that an error lists: clouds have hundreds of images."""


@dataclass(frozen=True)
class Wanted:
    """An instance as it is asked for, each part as the cloud describes it.

    Attributes:
        flavor: Its flavor.
        image: The image that it boots.
        network: The network that it is reached by.
        zone: Availability zone, ``ZONE`` or ``ZONE:HOST``; ``None`` leaves it to the cloud.
        aggregate: The host aggregate that its host must be in; ``None`` for any.
        group: Its security group; ``None`` is the project's default.
    """

    flavor: Any
    image: Any
    network: Any
    zone: str | None
    aggregate: Any
    group: Any


def find_wanted(connection: Any, levels: Given) -> Wanted:
    """Look up all that is named.

    Raises:
        UnknownNameError: The cloud has none of that name, or shows none to this project.
        AssayError: A flavor or an image is not named, several have the name, or several networks could be
            meant.
        CloudError: The cloud refuses to tell.
    """
    aggregate = _aggregate(connection, levels)
    zone = levels.get("zone") or (aggregate.availability_zone if aggregate is not None else None)
    return Wanted(
        find_flavor(connection, levels),
        _image(connection, levels),
        _network(connection, levels),
        zone,
        aggregate,
        _group(connection, levels),
    )


def find_flavor(connection: Any, levels: Given) -> Any:
    """Look up the flavor; raises as ``find_wanted``."""
    with told("look for the flavor"):
        listed = list(connection.compute.flavors())
    return _pick("flavor", levels.get("flavor"), listed)


def _image(connection: Any, levels: Given) -> Any:
    """Look up the image by its name; all are listed only where none has it."""
    wanted = levels.get("image")
    with told("look for the image"):
        named = [] if wanted is None else list(connection.image.images(name=wanted))
        listed = [one for one in named or connection.image.images() if one.status == "active"]
    return _pick("image", wanted, listed)


def _network(connection: Any, levels: Given) -> Any:
    with told("look for the network"):
        listed = list(connection.network.networks())
    wanted = levels.get("network")
    if wanted is None and len(listed) == 1:
        return listed[0]
    return _pick("network", wanted, listed)


def _group(connection: Any, levels: Given) -> Any:
    if (wanted := levels.get("security-group")) is None:
        return None
    with told("look for the security group"):
        project = connection.current_project_id
        listed = list(connection.network.security_groups(project_id=project))
    return _pick("security group", wanted, listed)


def _aggregate(connection: Any, levels: Given) -> Any:
    if (wanted := levels.get("aggregate")) is None:
        return None
    with told("look for the host aggregate"):
        listed = list(connection.compute.aggregates())
    return _pick("host aggregate", wanted, listed)


def _pick(kind: str, wanted: str | None, listed: Iterable[Any]) -> Any:
    """Return what has the name, or the identity."""
    every = {str(one.id): one for one in listed}
    names = sorted({str(one.name) for one in every.values()})
    if wanted is None:
        msg = f"cannot make an instance: no {kind} is named"
        raise AssayError(msg, hint=f"factors: {{{kind.replace(' ', '-')}: NAME}}; {_shown(names)}")
    if wanted in every:
        return every[wanted]
    named = [one for one in every.values() if one.name == wanted]
    if not named:
        near = difflib.get_close_matches(wanted, names, n=_SHOWN, cutoff=0.0)
        raise UnknownNameError(kind, wanted, near, hint=f"openstack {kind.removeprefix('host ')} list")
    if len(named) > 1:
        msg = f"cannot tell which {kind} is meant: {len(named)} are called '{wanted}'"
        raise AssayError(msg, hint=f"its id: {_shown(sorted(str(one.id) for one in named))}")
    return named[0]


def _shown(names: list[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more or "the cloud shows none"
