"""Doubts about memory and storage: what was read, written or swapped, and at rates of what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.explain.sanity.disk_kinds import NVME, SCSI, SPINNING
from assay.explain.sanity.disks import Beyond
from assay.explain.sanity.runs import Spread
from assay.model.units import format_bytes
from assay.report.doubts.spelled import extreme, mb, size, usual
from assay.report.doubts.wording import Wording, Wordings, wording_of

COLD = "Set 'cache: cold' (or 'warm' for both arms) for this workload, so that both read from the same place."
KINDS: Mapping[str, str] = {
    SPINNING: "a spinning disk",
    SCSI: "a disk on SATA, SAS or USB",
    NVME: "an NVMe disk",
}


def _flat_write_rate(  # noqa: PLR0913, PLR0917 - the rate, how often, and what limits it
    workload: str,
    arm: str,
    rate: Spread,
    within: float,
    flat: int,
    trials: int,
    close_to: Sequence[str],
    planned: Sequence[int],
) -> Wording:
    often = "" if trials == 1 else f" ({flat} of {trials} trials)"
    known = f" (the plan limits it to {', '.join(map(mb, planned))})" if planned else ""
    sentence = (
        f"{workload} on {arm} wrote at {usual(rate, mb)}, constant within "
        f"{within:.0%} over most of its run{often} and close to {', '.join(close_to)}: a limit, "
        f"not a disk{known}."
    )
    step = (
        "Look for a limit: io.max of its control group, <iotune> of the domain, a quota of the storage "
        "or a rate in the workload itself; measure without it, or on both arms with it."
    )
    return Wording(sentence, step)


def _from_page_cache(
    workload: str, arm: str, asked_bytes: float, fetched_bytes: Spread | None, memory_bytes: int
) -> Wording:
    sentence = (
        f"{workload} read {size(asked_bytes)} on {arm} and storage delivered "
        f"{_fetched(fetched_bytes)} of it: the page cache (of {format_bytes(memory_bytes)} of "
        "memory) was measured."
    )
    return Wording(sentence, COLD)


def _cached_on_one_arm(
    workload: str, cold: str, fetched_bytes: Spread | None, cached: str, asked_bytes: float
) -> Wording:
    sentence = (
        f"{workload} fetched {_fetched(fetched_bytes)} from storage on {cold}, while "
        f"memory served its {size(asked_bytes)} on {cached}: the arms did not do the same reads."
    )
    return Wording(sentence, COLD)


def _fetched(fetched_bytes: Spread | None) -> str:
    return usual(fetched_bytes, size) if fetched_bytes else format_bytes(0)


def _swap(workload: str, arm: str, held_bytes: Spread | None, moved_pages: Spread | None) -> Wording:
    reported = []
    if held_bytes:
        reported.append(f"{extreme(held_bytes, size)} of the job was in swap")
    if moved_pages:
        pages = extreme(moved_pages, lambda count: f"{count:.0f} pages")
        reported.append(f"the machine moved {pages} to or from swap in one trial")
    step = (
        "Give the arm more memory (memory.size) or the workload less to hold, end what else uses memory "
        "there, or switch swap off for the measurement (swapoff -a)."
    )
    return Wording(f"{workload} on {arm}: {' and '.join(reported)}; disk speed was measured too.", step)


def _faster_in_trials(workload: str, arm: str, beyond: Sequence[Beyond]) -> Wording:
    reported = "; ".join(
        f"{metric} of {usual(rate, mb)} is more than {wording_of(CLAUSES, why).sentence}"
        for metric, rate, why in beyond
    )
    return Wording(f"{workload} on {arm}: {reported}. Memory answered, or another disk.")


def _kind(kind: str, disk: str, model: str | None, most: float) -> Wording:
    return Wording(f"{KINDS[kind]} gives ({disk}{f', {model}' if model else ''}: at most {mb(most)})")


def _allowed(allowed: float) -> Wording:
    return Wording(f"the limit of {mb(allowed)} that was set on its reads lets through")


def _direct(times: float, best: float) -> Wording:
    return Wording(f"{times:g} times what the same disk gave past the page cache ({mb(best)})")


def _faster_in_figures(over: int, rates: int, kind: str, most: float, metric: str, rate: float) -> Wording:
    return Wording(
        f"{over} of {rates} rates are more than {KINDS[kind]} gives, at most {mb(most)}: {metric} of "
        f"{mb(rate)} is the largest. Memory answered, or another disk."
    )


def _read_over_write(
    read: tuple[str, float], write: tuple[str, float], times: float, over: int, pairs: int
) -> Wording:
    return Wording(
        f"{read[0]} of {mb(read[1])} is {times:.3g} times what the same run wrote by {write[0]} "
        f"({mb(write[1])}; so in {over} of {pairs} pairs): memory answered, or a disk that writes "
        "far slower than it reads."
    )


def _faster_in_values(arm: str, times: float, worst: tuple[float, float, str] | None) -> Wording:
    most = f" ({worst[0]:.3g} times at worst, {worst[1]:.4g} in block {worst[2]})" if worst else ""
    return Wording(
        f"The values of {arm} are {times:.3g} times what its disk gives by itself{most}: memory "
        "answered, or another disk."
    )


CLAUSES: Wordings = {
    "faster-than-disk/allowed": _allowed,
    "faster-than-disk/direct": _direct,
    "faster-than-disk/kind": _kind,
}
"""What a rate is beyond."""
WORDINGS: Wordings = {
    "cached-reads/one-arm": _cached_on_one_arm,
    "cached-reads/page-cache": _from_page_cache,
    "faster-than-disk/figures": _faster_in_figures,
    "faster-than-disk/read-over-write": _read_over_write,
    "faster-than-disk/trials": _faster_in_trials,
    "faster-than-disk/values": _faster_in_values,
    "flat-write-rate": _flat_write_rate,
    "swap": _swap,
}
