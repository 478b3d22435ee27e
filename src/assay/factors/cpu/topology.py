"""Factors of a guest's processors: how many there are, and how they seem to be put together."""

from __future__ import annotations

from math import prod

from assay.factors.base.draft import Draft
from assay.factors.base.evidence import Evidence
from assay.factors.base.factor import Effect, Factor, Settings
from assay.factors.base.levels import Whole
from assay.factors.base.number_lists import spell_numbers
from assay.factors.base.spelt import Spelt, read_pairs

_MOST = 1024
_PARTS = ("sockets", "cores", "threads")
_DEFAULT = {"sockets": 1, "cores": 1, "threads": 1}


def read_topology(level: str) -> dict[str, int]:
    """Return sockets, cores of each and threads of each of ``sockets=1,cores=2,threads=1``; one not named is
    1.

    Raises:
        ValueError: another name, a number below 1, or more vCPUs than ``cpu.vcpus`` can be.
    """
    counts = {name: int(value) for name, value in read_pairs(level).items()}
    if not set(counts) <= set(_PARTS) or min(counts.values()) < 1 or prod(counts.values()) > _MOST:
        msg = f"expected sockets, cores, threads, at most {_MOST} vCPUs, got '{level}'"
        raise ValueError(msg)
    return _DEFAULT | counts


def vcpus_asked(settings: Settings) -> int | None:
    """Return how many vCPUs levels ask for; ``None`` where they leave it open."""
    if "cpu.vcpus" in settings:
        return int(settings["cpu.vcpus"])
    if "cpu.topology" in settings:
        return prod(read_topology(settings["cpu.topology"]).values())
    pins = settings.get("cpu.vcpupin", "")
    return pins.count("/") + 1 if "/" in pins else None


def _vcpus(draft: Draft, level: str) -> None:
    draft.vcpus = int(level)
    draft.at("vcpu").text = level
    draft.drop("cputune/vcpupin")
    for number in range(draft.vcpus):
        draft.add("cputune/vcpupin", vcpu=str(number), cpuset=spell_numbers(draft.cpus))


def _actual_vcpus(seen: Evidence, _wanted: str) -> str:
    return str(len(seen.ask("query-cpus-fast")))


def _spell_topology(text: str) -> str:
    return ",".join(f"{name}={count}" for name, count in read_topology(text).items())


def _topology(draft: Draft, level: str) -> None:
    counts = read_topology(level)
    draft.at("cpu/topology", dies="1", **{name: str(counts[name]) for name in _PARTS})


def _actual_topology(seen: Evidence, _wanted: str) -> str:
    props = [vcpu["props"] for vcpu in seen.ask("query-cpus-fast")]
    sockets = len({one["socket-id"] for one in props})
    cores = len({(one["socket-id"], one.get("die-id"), one["core-id"]) for one in props})
    return f"sockets={sockets},cores={cores // sockets},threads={len(props) // cores}"


FACTORS = (
    Factor(
        "cpu.vcpus",
        "number of virtual processors",
        Whole(1, _MOST, (1, 2, 4, 8)),
        "as many as the arm has processors",
        "vcpu",
        "QMP query-cpus-fast",
        _actual_vcpus,
        edit=_vcpus,
    ),
    Factor(
        "cpu.topology",
        "sockets, cores of each socket, threads of each core",
        Spelt(
            _spell_topology,
            f"sockets, cores and threads, whose product is the number of vCPUs, at most {_MOST}",
            ("sockets=1,cores=2,threads=1", "sockets=2,cores=1,threads=1", "sockets=1,cores=1,threads=2"),
            r"(?:(?:sockets|cores|threads)=[0-9]+,?)+",
        ),
        "a socket for each vCPU",
        "cpu/topology",
        "QMP query-cpus-fast, props",
        _actual_topology,
        edit=_topology,
        effects=(Effect("0", "HS06", "CERN 2015"),),
        note="threads=2 serves only vCPUs that are pinned to siblings",
    ),
)
