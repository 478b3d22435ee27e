"""From the placement that a scene asks for to processors of one machine."""

from __future__ import annotations

from assay.model.errors import MissingError
from assay.model.work.placement import Pinning, Placement, PlacementSpec, Sets


def place(wanted: PlacementSpec, cpus: tuple[int, ...], *, workload: str, where: str) -> Placement:
    """Return where the copies of a workload run on an arm.

    Args:
        wanted: What is asked for.
        cpus: The arm's processors.
        workload: Name of the workload, for messages.
        where: The arm's label, for messages.

    Raises:
        MissingError: The arm has too few processors for it.
    """
    try:
        sets = _cut(cpus, wanted.copies) if wanted.pinning is Pinning.EACH else _listed(wanted.pinning, cpus)
    except IndexError as error:
        count = len(cpus)
        msg = (
            f"cannot pin {workload} on {where}: it {_needs(wanted)}, trials have {count} there (0 to "
            f"{count - 1})"
        )
        raise MissingError(msg, hint="fewer copies, or pinning: none") from error
    nodes = _for_each(wanted.memory_nodes, wanted.copies)
    return Placement(wanted.copies, wanted.threads, _for_each(sets, wanted.copies), nodes, wanted.nice)


def _for_each(sets: Sets, copies: int) -> Sets:
    """Return a set for each copy; a single one holds for all."""
    return sets * copies if len(sets) == 1 else sets


def _cut(cpus: tuple[int, ...], copies: int) -> Sets:
    """Cut processors into equal parts; what is left over stays idle, so that no copy has more
    than another.
    """
    each = len(cpus) // copies
    if each == 0:
        raise IndexError
    return tuple(cpus[copy * each : (copy + 1) * each] for copy in range(copies))


def _listed(pinning: Pinning | Sets, cpus: tuple[int, ...]) -> Sets:
    return (
        () if isinstance(pinning, Pinning) else tuple(tuple(cpus[n] for n in numbers) for numbers in pinning)
    )


def _needs(wanted: PlacementSpec) -> str:
    if isinstance(wanted.pinning, Pinning):
        return f"asks for a processor of its own for each of {wanted.copies} copies"
    return f"asks for processor {max(max(numbers) for numbers in wanted.pinning)}"
