"""How large a workload is made: rules with their source, and a sentence where one could not be kept."""

from __future__ import annotations

from dataclasses import dataclass

from assay.model.units import BYTES, format_bytes

KIB, MIB, GIB = BYTES["KiB"], BYTES["MiB"], BYTES["GiB"]

STREAM_CACHES = 4
"""Each array at least four times the last-level caches. Source: J. D. McCalpin, STREAM's run rules."""
STREAM_SMALLEST_BYTES = 32 * MIB
"""Below this the arrays of a small cache would pass in milliseconds and the clock would be measured."""
STREAM_BLIND_BYTES = 128 * MIB
"""Four times 32 MiB: more last-level cache than a client processor has, where the cache is not known."""
STREAM_EMULATED_BYTES = 64 * MIB
"""For emulated guests: each access costs them more than any cache saves, and arrays by the rule would take
minutes.
"""
STREAM_MEMORY_SHARE = 0.6
"""The three arrays leave the rest of the arm's memory to the system, so that nothing is swapped."""
FIO_SMALLEST_BYTES, FIO_LARGEST_BYTES = 128 * MIB, GIB
"""Large enough for random places to differ, small enough to be laid out within seconds."""
FIO_MEMORY_SHARE = 8
"""An eighth of the arm's memory. With direct I/O the arm's page cache plays no part, so the file need
not exceed its memory; what matters is that laying it out is short against the trial."""

BONNIE_MEMORIES = 2
"""Times the memory. Source: bonnie++(8), "-s": it refuses less, since blocks would come from memory."""
BONNIE_LARGEST_BYTES = 3 * GIB
"""Four passes of more would take minutes a trial: larger files are the scene's to ask for (``size``)."""


@dataclass(frozen=True)
class Sizes:
    """What the sizes of workloads follow from; the same for both arms, so that they do the same work.

    Attributes:
        cache_bytes: Sum of the last-level caches of the host; ``None`` where not known.
        memory_bytes: Memory of the smaller arm.
        cpus: Processors of an arm, at least 1; tools with threads use as many.
        emulated: Guests' instructions will be emulated, as far as can be told before the first starts.
    """

    cache_bytes: int | None
    memory_bytes: int
    cpus: int
    emulated: bool = False


@dataclass(frozen=True)
class Sized:
    """A size, one sentence on how it was chosen, and whether the workload's own rule is met."""

    count: int
    note: str
    rule_met: bool = True


def stream_array_bytes(sizes: Sizes) -> Sized:
    """Return the bytes of one STREAM array: four times the last-level caches, in whole MiB.

    At least 32 MiB; 128 MiB where the caches are not known; the largest that fits where three arrays
    would exceed 60 % of the arm's memory; at most 64 MiB for emulated guests.

    Source: STREAM's run rules, https://www.cs.virginia.edu/stream/ref.html ("Each array must be at least
        4x the size of the sum of all the last-level caches").
    """
    wanted = _stream_by_rule(sizes.cache_bytes)
    fits = max(MIB, int(sizes.memory_bytes * STREAM_MEMORY_SHARE / 3) // MIB * MIB)
    why = f"the largest that fit into {format_bytes(sizes.memory_bytes)}"
    if sizes.emulated and fits > STREAM_EMULATED_BYTES:
        fits, why = STREAM_EMULATED_BYTES, "the guest is emulated, and larger ones would take it long"
    if wanted.count <= fits:
        return wanted
    rule = f"STREAM's rule was not met, it asks for {format_bytes(wanted.count)}"
    return Sized(fits, f"arrays of {format_bytes(fits)}: {why}; {rule}", rule_met=False)


def fio_file_bytes(sizes: Sizes) -> Sized:
    """Return the bytes of fio's file: an eighth of the arm's memory, between 128 MiB and 1 GiB."""
    wanted = sizes.memory_bytes // FIO_MEMORY_SHARE // MIB * MIB
    count = min(max(wanted, FIO_SMALLEST_BYTES), FIO_LARGEST_BYTES)
    bound = "" if count == wanted else ", kept between 128 MiB and 1 GiB"
    return Sized(count, f"file of {format_bytes(count)}: an eighth of the memory{bound}")


def bonnie_file_bytes(sizes: Sizes, given: int | None) -> Sized:
    """Return the bytes of bonnie++'s file in whole MiB: twice the arm's memory, at most 3 GiB, or what the
    scene says.
    """
    rule = -(-BONNIE_MEMORIES * sizes.memory_bytes // MIB) * MIB
    count = min(rule, BONNIE_LARGEST_BYTES) if given is None else given // MIB * MIB
    memory = format_bytes(sizes.memory_bytes)
    if count >= rule:
        return Sized(count, f"file of {format_bytes(count)}: at least twice the memory ({memory})")
    why = "the most without a size in the scene" if given is None else "as the scene says"
    note = (
        f"file of {format_bytes(count)}, {why}; bonnie++'s rule was not met, it asks for twice "
        f"the memory ({memory}): blocks may come from the page cache"
    )
    return Sized(count, note, rule_met=False)


def _stream_by_rule(cache_bytes: int | None) -> Sized:
    if cache_bytes is None:
        size = format_bytes(STREAM_BLIND_BYTES)
        return Sized(STREAM_BLIND_BYTES, f"arrays of {size}: the size of the caches is not known")
    count = max(-(-STREAM_CACHES * cache_bytes // MIB) * MIB, STREAM_SMALLEST_BYTES)
    caches = format_bytes(cache_bytes)
    rule = "four times" if count > STREAM_SMALLEST_BYTES else "at least four times"
    return Sized(count, f"arrays of {format_bytes(count)}: {rule} the last-level caches ({caches})")
