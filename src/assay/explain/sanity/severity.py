"""What a doubt does to the figure that it is about, by its code: the order in which doubts are told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Protocol

from assay.model.doubt import Severity

INVALIDATES, SHIFTS, WIDENS, INFORMS = Severity

_BY_SEVERITY: Mapping[Severity, tuple[str, ...]] = {
    INVALIDATES: (
        # the arms did not do the same work, or what was measured is not what it is called
        "cached-reads", "clock-rate", "clock-rate-unknown", "container-cpu-count", "disk-is-memory",
        "faster-than-disk", "machine-changed", "not-comparable", "oom-kill", "result-differs", "same-result",
        "scenes-differ", "score-against-wall", "sizes-differ",
    ),
    SHIFTS: (
        # something beside the platform moved the figure, or may have, by more than a margin of a percent
        "accelerators-differ", "boots-differ", "cache-no-files", "cache-state", "caches-differ",
        "clock-sources-differ", "collected-late", "controller-shares-cores", "copies-differ",
        "cpu-quota-not-applied", "disturbance-unequal", "disturbed", "domain-as-found", "domain-disk",
        "domain-elsewhere", "domain-memory", "domain-not-confined", "domain-processors", "emulated",
        "flat-write-rate", "floor-not-zero", "frequency-governors-differ", "governor", "host-is-virtual",
        "hosts-differ", "image-cache-state", "io-limit-not-applied", "job-efficiency", "kernels-differ",
        "kink", "larger-than-its-work", "late-start", "limits-differ", "memory-a-core",
        "memory-limit-not-applied", "memory-overcommitted", "nice", "no-cgroup", "no-line", "not-a-line",
        "not-quiet", "order-confounded", "order-effect", "overcommitted", "pause-not-applied",
        "processes-left", "processor-counts-differ", "processors-differ", "programs-differ",
        "read-ahead-failed", "rejection-unequal", "resource-limit", "scheduling-policy",
        "short-wall", "size-rule", "start-missed", "steal", "steal-disagrees", "swap", "swap-not-limited",
        "system-share", "thp-modes-differ", "throttled", "treatment-faster", "treatments-differ",
        "trials-failed", "vhost-not-confined",
    ),
    WIDENS: (
        # less is known than it seems: the interval holds for less, is wider than wanted, or narrower than it
        # should be
        "arms-not-paired", "blocks-alike", "confidence-differs", "events-vary", "fixed-cost-not-above-zero",
        "floor-above-precision", "floor-old", "incomplete-blocks", "no-scatter", "one-block", "one-boot",
        "one-event-number", "per-event-not-above-zero", "precision-not-reached", "record-unreadable",
        "scan-over-machines", "scan-over-sessions", "sessions-differ", "tail-loss", "too-few-blocks",
        "unpaired-times",
    ),
    INFORMS: (
        # the losses stand: something beside them is missing, or was corrected
        "cgroup-left", "clock-corrected", "counters-absent", "counters-not-told", "guest-not-watched",
        "host-not-watched", "io-incomplete", "network-left-out", "no-figure", "no-phase", "no-vpmu",
        "object-missing", "orphans-lost", "phases-cut", "profile-absent", "profile-not-told",
        "proof-unreadable", "series-absent", "totals-incomplete",
        "unknown-line",
        "users-own-libvirt",
    ),
}  # fmt: skip

SEVERITIES: Mapping[str, Severity] = MappingProxyType(
    {code: severity for severity, codes in _BY_SEVERITY.items() for code in codes}
)
"""What each doubt does to the figure, by its code (``docs/doubts.md``)."""


class Coded(Protocol):
    """Anything with the code of a doubt."""

    @property
    def code(self) -> str:
        """The doubt's stable word."""


def severity_of(code: str) -> Severity:
    """Return what a doubt does to the figure; of a code that is not known, that it may shift it."""
    return SEVERITIES.get(code, SHIFTS)


def worst_severity(doubts: Iterable[Coded]) -> Severity | None:
    """Return the gravest of what doubts do to the figures; ``None`` without any doubt."""
    return min((severity_of(doubt.code) for doubt in doubts), key=Severity.rank, default=None)
