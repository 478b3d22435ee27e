"""Merging of equal pages by the host's kernel (KSM).

Source: https://docs.kernel.org/admin-guide/mm/ksm.html.
"""

from __future__ import annotations

from assay.factors.base.evidence import Evidence, Host
from assay.factors.base.factor import BOSS_TUNING, Act, Effect, Hazard
from assay.factors.base.kernel_files import chosen
from assay.factors.base.levels import Whole
from assay.factors.host.files import KernelFile, host_factor, one_node

_PLACE = "/sys/kernel/mm/ksm"
_RUN = f"{_PLACE}/run"
_ADVISOR = f"{_PLACE}/advisor_mode"
_ACROSS = f"{_PLACE}/merge_across_nodes"
_LACKING = "this kernel does not merge pages"
_RISKS = (Hazard.ISOLATION, Hazard.MEMORY)


def _merged(host: Host) -> bool:
    return host.read(f"{_PLACE}/pages_sharing") not in {None, "0"}


def _tuned_by_others(host: Host, _level: str | None) -> str | None:
    pid = host.read("/run/ksmtune.pid")
    alive = pid is not None and pid.isdigit() and host.read(f"/proc/{pid}/comm") == "ksmtuned"
    return "ksmtuned writes it anew all the time: systemctl stop ksmtuned" if alive else None


def _rate_is_ours(host: Host, level: str | None) -> str | None:
    if chosen(host.read(_ADVISOR)) not in {"", "none"}:
        return f"KSM's own advisor sets it: {Act(_ADVISOR, 'none').typed}"
    return _tuned_by_others(host, level)


def _nothing_merged(host: Host, level: str | None) -> str | None:
    wait = _merged(host) and chosen(host.read(_ACROSS)) != level
    merged = f"pages are merged, and it can only be changed while none are: {Act(_RUN, '2').typed}"
    return one_node(host) or (merged if wait else None)


def _run(host: Host, level: str) -> tuple[Act, ...]:
    # stopped, it would keep pages merged that were not before
    apart = level == "1" and host.read(_RUN) == "0" and not _merged(host)
    return (Act(_RUN, level, (Act(_RUN, "2"), Act(_RUN, "0")) if apart else ()),)


def _across(host: Host, level: str) -> tuple[Act, ...]:
    run, before = host.read(_RUN) or "0", host.read(_ACROSS) or "1"
    return (Act(_ACROSS, level, (Act(_RUN, "2"), Act(_ACROSS, before), Act(_RUN, run))),)


def _actual_run(seen: Evidence, _wanted: str) -> str:
    run = seen.host.read(_RUN) or "not there"
    left = run == "2" and _merged(seen.host)
    return f"2, but {seen.host.read(f'{_PLACE}/pages_sharing')} pages are still merged" if left else run


FACTORS = (
    host_factor(
        "host.ksm-merge_across_nodes",
        "pages of different memory nodes are merged too",
        Whole(0, 1, (0, 1)),
        KernelFile(_ACROSS, _LACKING, _nothing_merged),
        acts=_across,
        files=(_ACROSS, _RUN),
    ),
    host_factor(
        "host.ksm-pages_to_scan",
        "pages that ksmd looks at in one round",
        Whole(1, 2**31 - 1, (100, 1000)),
        KernelFile(f"{_PLACE}/pages_to_scan", _LACKING, _rate_is_ours),
        note="100 pages each 20 ms are 20 MB/s: merging needs two full scans of the guests' memory",
    ),
    host_factor(
        "host.ksm-sleep_millisecs",
        "time between two rounds of ksmd",
        Whole(0, 2**32 - 1, (20, 200), "ms"),
        KernelFile(f"{_PLACE}/sleep_millisecs", _LACKING, _tuned_by_others),
    ),
    host_factor(
        "host.ksm",
        "merging of equal pages: 0 stopped, 1 runs, 2 stopped and taken apart",
        Whole(0, 2, (0, 1, 2)),
        KernelFile(_RUN, _LACKING, _tuned_by_others),
        acts=_run,
        actual=_actual_run,
        verified=f"{_RUN}; pages_sharing beside it is 0 under 2",
        hazards=_RISKS,
        effects=(
            Effect("+0.9 % when off, but hosts began to swap", "HS06, 4 guests of 8 vCPUs", "CERN 2015"),
            BOSS_TUNING,
        ),
        note="0 keeps what is merged, 2 takes it apart and needs the memory for it; "
        "it takes two full scans until 1 saves anything",
    ),
)
