"""Doubts about a plan: its arms, a guest that somebody else made, its sizes, its goal, the machine before it
begins.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.factors.base.number_lists import spell_numbers
from assay.model.units import format_bytes
from assay.report.doubts.wording import Wording, Wordings


def _controller_shares_cores(share: float) -> Wording:
    return Wording(f"The controller shared the measured processors and took {share:.2%} of their time.")


def _processor_counts_differ(counts: Sequence[tuple[str, int]]) -> Wording:
    reported = ", ".join(f"{label} {count}" for label, count in counts)
    return Wording(
        f"The arms have different numbers of processors ({reported}): what a job gains by more of them "
        "is part of the loss."
    )


def _memory_overcommitted(guests_bytes: int, host_bytes: int, memory_bytes: int) -> Wording:
    return Wording(
        f"The memory is overcommitted: {format_bytes(guests_bytes)} for guests and "
        f"{format_bytes(host_bytes)} that the host should keep, of {format_bytes(memory_bytes)}. A host that "
        "swaps, or ends a guest, disturbs the trials."
    )


def _one_boot(restored: Sequence[str]) -> Wording:
    return Wording(
        f"{', '.join(restored)}: every visit is restored from one saved state, so that all its "
        "trials share one boot. "
        "What differs from boot to boot is in no interval: this is for trying out, not for publishing."
    )


def _boots_differ(booted: Sequence[str], restored: Sequence[str]) -> Wording:
    return Wording(
        f"{', '.join(booted)} boots in each visit and {', '.join(restored)} does not: their loss "
        "holds what a boot leaves, such as memory touched for the first time and a cold page cache."
    )


def _floor_ahead(precision: float, half: float, sessions: int, needed: int, slower: float) -> Wording:
    sentence = (
        f"±{precision:.2%} may not be reached: {shared_text(half, sessions)}, unless the "
        f"treatment is {slower:.1f} times as slow."
    )
    return Wording(sentence, f"Write 'sessions: {needed}' in the design, or isolate the host.")


def shared_text(half: float, sessions: int) -> str:
    """Return what sessions share, a clause.

    Args:
        half: Half-width of it, a ratio.
        sessions: Over how many.
    """
    return (
        f"what sessions share is ±{half:.2%} over {sessions} "
        f"session{'' if sessions == 1 else 's'} on this site, by its A/A campaigns"
    )


def _memory_a_core(each_bytes: int, least_bytes: int) -> Wording:
    return Wording(
        f"The arms have {format_bytes(each_bytes)} of memory a processor; suites ask for "
        f"{format_bytes(least_bytes)}."
    )


def _governor(governor: str) -> Wording:
    return Wording(f"The frequency governor of the baseline's machine is {governor}, not performance.")


def _overcommitted(crowded: Sequence[tuple[int, int]]) -> Wording:
    reported = ", ".join(f"{guests} guests share {cores}" for guests, cores in crowded)
    several = max(cores for _, cores in crowded) > 1
    return Wording(
        f"The host's cores are overcommitted: {reported} core{'s' if several else ''}, one vCPU "
        "each, and wait for one another. An emulated guest counts this waiting as CPU time of "
        "its jobs; jobs that are "
        "staggered wait less, and their own times are compared with those of the baseline's, "
        "which all run at once."
    )


def _larger_than_its_work(processors: int, memory_bytes: int | None, host: str | None) -> Wording:
    memory = "" if memory_bytes is None else f" and {format_bytes(memory_bytes)}"
    used = "" if host is None else f", and so is what {host} may use"
    return Wording(
        f"The treatments are of several sizes: the work is that of the smallest ({processors} processor"
        f"{'' if processors == 1 else 's'}{memory}){used}. A larger one has the rest to itself, "
        "for its page cache and its kernel: its loss is not that of work that fills it."
    )


def _network_left_out(workloads: Sequence[str], reason: str) -> Wording:
    return Wording(f"{', '.join(workloads)} left out: {reason}.")


def _users_own_libvirt(reported: str) -> Wording:
    return Wording(f"{reported[0].upper()}{reported[1:]}.")


def _disk_is_memory(home: str, kind: str) -> Wording:
    return Wording(f"The disk workloads run under {home}, on a {kind}: they measure memory, not a disk.")


def _vhost_not_confined() -> Wording:
    return Wording(
        "This kernel has vhost-net: its threads carry the guest's packets, and on kernels before "
        "6.4 they are neither confined to the guest's cores nor in the CPU reported for QEMU."
    )


def _size_rule(broken: Sequence[tuple[str, str | None]]) -> Wording:
    return Wording(f"{'; '.join(f'{workload}: {note}' for workload, note in broken)}.")


def _not_quiet(seen: str, block: int | None = None) -> Wording:
    when = "when it began" if block is None else f"before block {block}"
    return Wording(f"The machine was not quiet {when}: {seen}.")


def _domain_as_is(domain: str) -> Wording:
    return Wording(
        f"Domain {domain} is used as it was found: it runs during the baseline's trials, too, and is not "
        "booted for a visit. What else runs in it, and what its page cache holds, is in the figures."
    )


def _domain_elsewhere(domain: str, hypervisor: str, hostname: str) -> Wording:
    return Wording(
        f"Domain {domain} is carried by {hypervisor}, the baseline is {hostname}: the loss holds "
        "the difference of two machines as well as the platform's."
    )


def _domain_processors(domain: str, vcpus: int, processors: int) -> Wording:
    return Wording(f"Domain {domain} has {vcpus} vCPUs, the baseline can have {processors} processors.")


def _domain_not_confined(domain: str, cpus: Sequence[int], baseline_cpus: Sequence[int]) -> Wording:
    return Wording(
        f"QEMU's threads of domain {domain} may run on processors {spell_numbers(cpus)}, "
        f"the baseline's job on {spell_numbers(baseline_cpus)}."
    )


def _domain_memory(domain: str, memory_bytes: int, hostname: str, baseline_bytes: int) -> Wording:
    return Wording(
        f"Domain {domain} has {format_bytes(memory_bytes)} of memory, "
        f"{hostname} {format_bytes(baseline_bytes)}: the baseline has less."
    )


def _domain_disk(domain: str, file: str | None, image_format: str | None, cache: str | None) -> Wording:
    lies = f"lies in {file}" if file else "is no file that is told"
    made = image_format or "format not told"
    return Wording(
        f"The disk of domain {domain} {lies} ({made}, cache mode {cache or 'not told'}): whether "
        "it is on the same storage as "
        "the baseline's is not known, and nothing of it is evicted from its host's memory for a cold start."
    )


WORDINGS: Wordings = {
    "boots-differ": _boots_differ,
    "controller-shares-cores": _controller_shares_cores,
    "memory-overcommitted": _memory_overcommitted,
    "processor-counts-differ": _processor_counts_differ,
    "disk-is-memory": _disk_is_memory,
    "domain-as-found": _domain_as_is,
    "domain-disk": _domain_disk,
    "domain-elsewhere": _domain_elsewhere,
    "domain-memory": _domain_memory,
    "domain-not-confined": _domain_not_confined,
    "domain-processors": _domain_processors,
    "floor-above-precision/ahead": _floor_ahead,
    "governor": _governor,
    "larger-than-its-work": _larger_than_its_work,
    "memory-a-core": _memory_a_core,
    "network-left-out": _network_left_out,
    "not-quiet": _not_quiet,
    "one-boot": _one_boot,
    "overcommitted": _overcommitted,
    "size-rule": _size_rule,
    "users-own-libvirt": _users_own_libvirt,
    "vhost-not-confined": _vhost_not_confined,
}
