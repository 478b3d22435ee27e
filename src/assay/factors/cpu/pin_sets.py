"""Where threads may run: levels of pins -> a set of the host's processors for each vCPU."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from assay.factors.base.number_lists import read_numbers, spell_numbers
from assay.factors.base.spelt import Spelt

Mask = tuple[int, ...]
WORDS = ("none", "1:1", "node")
_OTHERS = ("cpu.emulatorpin", "cpu.iothreadpin")
_SET = r"[0-9^][0-9,^-]*"


def read_cpuset(text: str) -> Mask:
    """Return the processors of a libvirt cpuset, ``0-3,^2`` -> (0, 1, 3).

    Raises:
        ValueError: it is none, or nothing is left of it.
    """
    parts = text.split(",")
    out = {int(part[1:]) for part in parts if part.startswith("^")}
    named = read_numbers(",".join(part for part in parts if not part.startswith("^")))
    left = tuple(number for number in named if number not in out)
    if not left:
        msg = f"expected processors like 0-3,^2, got '{text}'"
        raise ValueError(msg)
    return left


def cpus_named(level: str) -> Mask:
    """Return the processors that a level of pins names; a word names none."""
    if not level or level in WORDS:
        return ()
    return tuple(cpu for part in level.split("/") for cpu in read_cpuset(part))


def cpus_of_others(settings: Mapping[str, str]) -> Mask:
    """Return the processors that levels give to QEMU's other threads, beside those of the guest."""
    return tuple(cpu for name in _OTHERS for cpu in cpus_named(settings.get(name, "")))


def masks_of(level: str, vcpus: int, cpus: Mask, nodes: Sequence[Mask]) -> tuple[Mask, ...]:
    """Return for each vCPU the processors that a level pins it to.

    Args:
        level: A word, one set for all vCPUs, or a set for each with ``/`` between; sets beyond the last vCPU
            stay in, missing ones are the last.
        vcpus: Number of vCPUs.
        cpus: Processors of the guest, in the order of ``1:1``; taken again from the first where they are
            fewer.
        nodes: Processors of each memory node of the host; vCPUs are spread over those that ``cpus`` touch.
    """
    if level == "none":
        return (cpus,) * vcpus
    if level == "1:1":
        return tuple((cpus[number % len(cpus)],) for number in range(vcpus))
    if level == "node":
        near = [shared for node in nodes if (shared := tuple(cpu for cpu in cpus if cpu in node))] or [cpus]
        return tuple(near[number * len(near) // vcpus] for number in range(vcpus))
    sets = tuple(read_cpuset(part) for part in level.split("/"))
    return sets + sets[-1:] * (vcpus - len(sets))


def _spell_sets(text: str) -> str:
    return "/".join(spell_numbers(read_cpuset(part)) for part in re.sub(r"\s", "", text).split("/"))


def _spell_pins(text: str) -> str:
    return text if text in WORDS else _spell_sets(text)


def _spell_cpuset(text: str) -> str:
    return spell_numbers(read_cpuset(re.sub(r"\s", "", text)))


PINS = Spelt(
    _spell_pins,
    "none, 1:1, node, a set of processors, or one for each vCPU with / between",
    (*WORDS, "0", "0/1"),
    f"none|1:1|node|{_SET}(?:/{_SET})*",
)
"""Of vCPUs."""
CPUSET = Spelt(_spell_cpuset, "a set of processors", ("0", "0-1"), _SET)
"""Of QEMU's other threads."""
