"""Whether the benches' network can be had, with which servers, what is left out where it cannot, and which
guests have a card.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from assay.activities.plan.arms import Arms
from assay.model.activity import PlannedArm
from assay.model.doubt import Raised, raised
from assay.model.errors import AssayError, MissingError
from assay.model.machines.machine import Reach
from assay.model.platforms.container import Runtime
from assay.model.platforms.data import served_ways
from assay.model.work.server import Server
from assay.model.work.workload import Workload
from assay.platforms.bench_network.bench_links import MOST_GUESTS
from assay.workloads import SERVERS, server_of

_ANOTHER_PATH = "the path to another machine is not the path of the baseline"
_NO_KERNEL = "user-mode Linux has no network here"
_NO_PLUGIN = "no place of a plug-in is in the benches' network"
_NO_ROOT = "only root can make the network that both arms would share"
_NOT_THERE = "the benches' network is on this machine only"
_CARD = "net."


def fitting(workloads: Sequence[Workload], arms: Arms) -> tuple[tuple[Workload, ...], tuple[Raised, ...]]:
    """Leave out what cannot be measured by one network for both arms, and say so.

    Returns:
        The workloads that stay, and the doubt where some do not.

    Raises:
        AssayError: None would stay; MissingError where root would have it.
    """
    why = _why_left_out(arms)
    kept = tuple(workload for workload in workloads if why is None or not workload.needs_network)
    if not kept:
        msg = f"cannot compare by network workloads alone: {why}"
        raise MissingError(msg) if why == _NO_ROOT else AssayError(msg)
    left = tuple(workload.name for workload in workloads if workload not in kept)
    return kept, (raised("network-left-out", workloads=left, reason=why),) if left else ()


def check_cards(workloads: Sequence[Workload], arms: Arms) -> None:
    """Refuse levels of a network card that no guest would have, or that leads nowhere.

    Guests get a card for network workloads and served data alone.

    Raises:
        AssayError: A guest is given such a level.
    """
    every = arms.every
    if any(("net.backend", "passt") in arm.guest_settings for arm in every):
        msg = (
            "cannot use net.backend=passt: it leads past the bench network, a measured guest would "
            "reach no server"
        )
        raise AssayError(msg, hint="net.backend=user leads past it, too, and has a server of its own")
    if any(workload.needs_network for workload in workloads) or any(served_ways(arm.data) for arm in every):
        return
    for arm in every:
        for name, level in arm.guest_settings:
            if name.startswith(_CARD):
                msg = (
                    f"cannot use {name}={level}: no workload of this run needs the network, so its "
                    "guest has no card"
                )
                raise AssayError(msg, hint="add iperf3 to the scene's workloads, or leave the factor out")


def check_guests(workloads: Sequence[Workload], arms: Arms) -> None:
    """Refuse a layout of more guests than the bench network has addresses, where it needs that.

    Raises:
        AssayError: An arm has.
    """
    for arm in arms.every:
        served = bool(served_ways(arm.data)) or any(workload.needs_network for workload in workloads)
        if served and arm.layout.guests > MOST_GUESTS:
            msg = (
                f"cannot put {arm.label} on the bench network: {arm.layout.guests} guests, where it has "
                f"addresses for {MOST_GUESTS}"
            )
            raise AssayError(msg, hint=f"layout: {{guests: {MOST_GUESTS}}} or fewer, or data.access: local")


def servers_for(workloads: Sequence[Workload]) -> tuple[Server, ...]:
    """Return the servers that stand on the bench network: the usual one, and those that workloads need.

    Raises:
        AssayError: Two of them want the same port.
    """
    usual = [server for server in SERVERS.own.values() if server.always]
    needed = filter(None, (server_of(workload.command) for workload in workloads))
    servers = {server.name: server for server in (*usual, *needed)}
    by_port: dict[int, str] = {}
    for name, server in servers.items():
        if (other := by_port.setdefault(server.port, name)) != name:
            msg = f"cannot serve {name} beside {other} on the bench network: both want port {server.port}"
            raise AssayError(
                msg, hint="measure what needs them in scenes of their own, or change the plug-in"
            )
    return tuple(servers.values())


def _why_left_out(arms: Arms) -> str | None:
    treatments = arms.every[1:]
    if any(arm.machine.name != arms.baseline.machine.name for arm in treatments):
        return _ANOTHER_PATH
    if arms.baseline.machine.reach is not Reach.LOCAL:
        return _NOT_THERE
    if any(arm.plugin is not None for arm in treatments):
        return _NO_PLUGIN
    if any(map(_is_kernel, treatments)):
        return _NO_KERNEL
    return None if os.geteuid() == 0 else _NO_ROOT


def _is_kernel(arm: PlannedArm) -> bool:
    return arm.container is not None and arm.container.runtime is Runtime.UML
