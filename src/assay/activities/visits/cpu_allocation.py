"""Which processors and how much memory each arm may use."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assay.factors.base.number_lists import spell_numbers
from assay.model.activity import PlannedArm
from assay.model.errors import AssayError, MissingError
from assay.model.machines.machine import Facts, Limits
from assay.model.machines.processors import Controller, ProcessorsSpec
from assay.model.units import format_bytes


@dataclass(frozen=True)
class Cores:
    """How a machine's processors are shared out.

    Attributes:
        measured: Where the workloads run, on both arms; the processors of a core, and the cores of a memory
            node, one after the other.
        kept: The core that is the controller's; empty where it has none.
    """

    measured: tuple[int, ...]
    kept: tuple[int, ...]


def share_cores(
    facts: Facts,
    wanted: int | None = None,
    *,
    spec: ProcessorsSpec | None = None,
    controller: Controller = Controller.OWN_CORE,
) -> Cores:
    """Share a machine's processors out between the workloads and the controller.

    Unless more is asked for, of processors that share a core (SMT siblings) only the first works, so that
    neither the controller nor another vCPU slows it down from the other side. On a machine of one core the
    controller shares it.

    Args:
        facts: The machine.
        wanted: Number of processors, the first of those that ``spec`` has; ``None`` is all of them.
        spec: Which may be used; ``None`` is every core that the controller leaves, one processor of each.
        controller: Where the controller runs.

    Raises:
        MissingError: The machine has too few, or not those that are named.
    """
    spec = spec or ProcessorsSpec()
    cores = _cores(facts)
    own = controller is Controller.OWN_CORE
    kept = _kept(facts, cores, spec) if own else ()
    free = [core for core in cores if core != kept]
    if spec.listed:
        pool = spec.listed
        _check_listed(facts, pool)
    elif own and len(cores) == 1 and not spec.whole_cores:
        pool = cores[0][-1:]
    elif spec.whole_cores:
        pool = tuple(cpu for core in free for cpu in core)
    else:
        pool = tuple(core[0] for core in free)
    count = len(pool) if spec.count is None else spec.count
    _check_count(facts, cores, count, pool, kept=kept, of="an arm")
    if wanted is not None:
        _check_count(facts, cores, wanted, pool[:count], kept=kept, of="a guest")
        count = wanted
    return Cores(pool[:count], kept)


def _cores(facts: Facts) -> list[tuple[int, ...]]:
    return [*(facts.siblings or ((cpu,) for cpu in facts.cpus))]


def _kept(facts: Facts, cores: Sequence[tuple[int, ...]], spec: ProcessorsSpec) -> tuple[int, ...]:
    """Return the core that the controller has for itself: the first that is not asked for by number."""
    if len(cores) == 1:
        return ()
    free = (core for core in cores if not set(core) & set(spec.listed))
    core = next(free, None)
    if core is None:
        msg = f"cannot keep a core of {facts.hostname} for the controller: processors of every core are named"
        raise MissingError(msg, hint="controller: shared, or fewer processors")
    return core


def _check_listed(facts: Facts, listed: Iterable[int]) -> None:
    if absent := sorted(set(listed) - set(facts.cpus)):
        has = spell_numbers(facts.cpus)
        msg = f"cannot use processor {absent[0]} of {facts.hostname}: expected some of {has}"
        raise MissingError(msg, hint="assay machine facts local: processors that are online, and ours to use")


def _check_count(
    facts: Facts,
    cores: Sequence[tuple[int, ...]],
    count: int,
    pool: Sequence[int],
    *,
    kept: Sequence[int],
    of: str,
) -> None:
    if count <= len(pool):
        return
    has = f"{len(cores)} core{'s' * (len(cores) != 1)}"
    if len(facts.cpus) != len(cores):
        has += f" of {len(facts.cpus)} processors"
    has += ", one is the controller's" if kept else ""
    what = f"{count} vCPUs" if of == "a guest" else f"{count} processors"
    msg = f"cannot give {of} {what}: {facts.hostname} has {has}"
    hint = f"ask for at most {len(pool)}"
    if of == "a guest":
        hint = f"set cpu.vcpus to at most {len(pool)}, or to auto"
    if kept:
        hint += "; controller: shared keeps none back"
    raise MissingError(msg, hint=hint)


def threads_per_core(facts: Facts, cpus: Iterable[int]) -> int:
    """Return the most processors of one core that are among some."""
    used = set(cpus)
    return max((len(used.intersection(core)) for core in facts.siblings), default=1)


def check_memory(facts: Facts, memory_bytes: int, what: str = "a guest") -> None:
    """Refuse a guest, or a place of another kind, with more memory than the machine has.

    Raises:
        MissingError: The machine has too little.
    """
    if memory_bytes > facts.memory_bytes:
        msg = (
            f"cannot give {what} {format_bytes(memory_bytes)} of memory: "
            f"{facts.hostname} has {format_bytes(facts.memory_bytes)}"
        )
        raise MissingError(msg, hint=f"ask for at most {format_bytes(facts.memory_bytes)}")


def machine_limits(here: Facts, there: Facts, cores: Cores, others: Cores) -> tuple[Limits, Limits]:
    """Return equal limits for this machine and another: as many processors, the smaller memory."""
    count = min(len(cores.measured), len(others.measured))
    memory = min(here.memory_bytes, there.memory_bytes)

    def limits(facts: Facts, shared: Cores) -> Limits:
        confined = memory if memory < facts.memory_bytes else None
        return Limits(shared.measured[:count], confined)

    return limits(here, cores), limits(there, others)


def check_names(arms: Sequence[PlannedArm]) -> None:
    """Refuse arms that tables and sentences could not tell apart.

    Raises:
        AssayError: Two have the same name.
    """
    labels = [arm.label for arm in arms]
    twice = next((label for label in labels if labels.count(label) > 1), None)
    if twice is not None:
        msg = f"cannot tell the arms apart: expected a name of its own for each arm, got '{twice}' twice"
        raise AssayError(msg, hint="choose levels that differ in their first four digits")
