"""On which of the host's memory nodes a guest's memory lies.

Source: libvirt ``formatdomain``: ``numatune``; kernel ``Documentation/filesystems/proc.rst``: numa_maps.
Limits: on a host of one node every policy gives the same memory; only the policy can be seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from assay.factors.base.draft import Draft
from assay.factors.base.evidence import Evidence, Host
from assay.factors.base.factor import BOSS_TUNING, Effect, Factor, Hazard
from assay.factors.base.number_lists import read_numbers, spell_numbers
from assay.factors.base.versions import too_old
from assay.factors.cpu.threads import confinement, node_processors
from assay.factors.memory.numa_levels import NONE, OWN, Policies
from assay.factors.memory.ram import NOT_SEEN

_MODES = {"bind": "strict", "prefer": "preferred", "prefer (many)": "preferred", "interleave": "interleave"}
"""libvirt's mode for each policy that the kernel names."""
_POLICY = re.compile(r"(default|local|[a-z ]+(?: \(many\))?)(?:=[a-z|]+)?(?::([0-9,-]+))?(?: |$)")


def _memory(draft: Draft, level: str) -> None:
    draft.drop("numatune")
    if level != NONE:
        mode, _, nodes = level.partition(":")
        if nodes == OWN:
            nodes = spell_numbers(own_nodes(draft.nodes, draft.cpus, draft.memory_nodes))
        draft.at("numatune/memory", mode=mode, nodeset=nodes)


def own_nodes(
    nodes: Mapping[int, tuple[int, ...]], cpus: Iterable[int], with_memory: Sequence[int] = ()
) -> tuple[int, ...]:
    """Return the nodes of some processors that have memory.

    Args:
        nodes: Processors of each node; empty where the kernel tells of none.
        cpus: The processors.
        with_memory: Nodes that have memory; empty where it is not known, and then each has some.

    Returns:
        All nodes that have memory where none of the processors' own has some; node 0 where none is known.
    """
    own = set(cpus)
    near = (node for node, those in nodes.items() if own.intersection(those))
    return (
        tuple(node for node in near if not with_memory or node in with_memory) or tuple(with_memory) or (0,)
    )


def _actual_memory(seen: Evidence, wanted: str) -> str:
    starts = seen.ram.get("address", "").split()
    if not starts:
        return NOT_SEEN
    lines = (line.partition(" ") for line in (seen.process_file("numa_maps") or "").splitlines())
    policies = {address: policy for address, _, policy in lines}
    levels = {_policy_in_force(policies.get(start, ""), seen, wanted) for start in starts}
    found = " and ".join(sorted(levels))
    mode, _, nodes = wanted.partition(":")
    if nodes != OWN:
        return found
    own = spell_numbers(own_nodes(node_processors(seen.host), confinement(seen), seen.host.nodes))
    return wanted if found == f"{mode}:{own}" else found


def _policy_in_force(line: str, seen: Evidence, wanted: str) -> str:
    known = _POLICY.match(line)
    if known is None:
        return f"unknown to numa_maps: '{line[:40]}'"
    mode, nodes = known[1], known[2]
    if mode in _MODES:
        return f"{_MODES[mode]}:{spell_numbers(read_numbers(nodes))}"
    if mode != "default":
        return mode
    return _allowed_nodes(seen, wanted)


def _allowed_nodes(seen: Evidence, wanted: str) -> str:
    """Tell ``restrictive``, which is no policy of memory but the nodes of QEMU's cpuset, from none."""
    allowed = read_numbers(seen.status.get("Mems_allowed_list", ""))
    if allowed == seen.host.nodes and not wanted.startswith("restrictive"):
        return NONE
    return f"restrictive:{spell_numbers(allowed)}"


def _needs_memory(host: Host, level: str | None) -> str | None:
    if level and level.startswith("restrictive") and (old := too_old(host, libvirt=(7, 9, 0))):
        return old
    nodes = (level or NONE).partition(":")[2]
    absent = set() if nodes == OWN else set(read_numbers(nodes)) - set(host.nodes)
    if not absent:
        return None
    return f"this host has no memory node {spell_numbers(absent)}, only {spell_numbers(host.nodes)}"


FACTORS = (
    Factor(
        "numa.memory",
        "on which memory nodes of the host the guest's memory lies",
        Policies(),
        "none",
        "numatune/memory/@mode, @nodeset",
        "/proc/PID/numa_maps at the guest's memory; restrictive: Mems_allowed_list in /proc/PID/status",
        _actual_memory,
        edit=_memory,
        hazards=(Hazard.MEMORY,),
        needs=_needs_memory,
        effects=(Effect("~9 % together with numa.cell", "HS06", "CERN 2015"), BOSS_TUNING),
        note="strict may run out of memory while another node has some; on a host of one node "
        "restrictive cannot be told from none",
    ),
)
