"""Factors of the processor time that a guest gets: weight against others, and quotas.

Source: libvirt ``formatdomain`` (``cputune``); Linux ``Documentation/scheduler/sched-bwc.rst`` and
``cgroup-v2.rst``: a quota is time in each period, at least 1 ms.
"""

from __future__ import annotations

from collections.abc import Callable

from assay.factors.base.draft import Draft
from assay.factors.base.evidence import Evidence, Host
from assay.factors.base.factor import Cost, Factor, Hazard
from assay.factors.base.levels import Whole
from assay.factors.base.spelt import Spelt
from assay.model.units import parse_ratio

_PERIOD_US = 100_000
_LEAST_US = 1000
_UNIFIED = "/sys/fs/cgroup/cgroup.controllers"
_NO_GROUP = "no control group"


def _shares(draft: Draft, level: str) -> None:
    draft.at("cputune/shares").text = level


def _actual_shares(seen: Evidence, _wanted: str) -> str:
    return seen.group_file("cpu.shares") or seen.group_file("cpu.weight") or _NO_GROUP


def _needs_shares(host: Host, level: str | None) -> str | None:
    if level is None or int(level) <= 10_000 or host.read(_UNIFIED) is None:
        return None
    return "control groups of version 2 have weights from 1 to 10000"


def _spell_quota(text: str) -> str:
    if text == "none":
        return text
    ratio = parse_ratio(text)
    if not _LEAST_US <= ratio * _PERIOD_US <= 1024 * _PERIOD_US:
        msg = f"expected at least 1 %, got '{text}'"
        raise ValueError(msg)
    return _share(round(ratio * _PERIOD_US), _PERIOD_US)


def _share(quota_us: int, period_us: int) -> str:
    return f"{100 * quota_us / period_us:g} %"


def _quota(prefix: str) -> Callable[[Draft, str], None]:
    def edit(draft: Draft, level: str) -> None:
        for word in ("period", "quota"):
            draft.drop(f"cputune/{prefix}{word}")
        if level != "none":
            draft.add(f"cputune/{prefix}period").text = str(_PERIOD_US)
            draft.add(f"cputune/{prefix}quota").text = str(round(parse_ratio(level) * _PERIOD_US))

    return edit


def _actual_vcpu_quota(seen: Evidence, _wanted: str) -> str:
    quotas = {_quota_of(seen, f"vcpu{number}") for number in range(len(seen.ask("query-cpus-fast")))}
    return " and ".join(sorted(quotas))


def _actual_emulator_quota(seen: Evidence, _wanted: str) -> str:
    return _quota_of(seen, "emulator")


def _actual_iothread_quota(seen: Evidence, _wanted: str) -> str:
    return _quota_of(seen, "iothread1")


def _actual_global_quota(seen: Evidence, _wanted: str) -> str:
    # beside an init system libvirt keeps its groups, and this quota, in one named libvirt
    own, inner = _quota_of(seen, ""), _quota_of(seen, "libvirt")
    return inner if inner != _NO_GROUP and own in ("none", _NO_GROUP) else own


def _quota_of(seen: Evidence, group: str) -> str:
    quota, period = seen.group_file("cpu.cfs_quota_us", group), seen.group_file("cpu.cfs_period_us", group)
    if quota is None or period is None:
        quota, _, period = (seen.group_file("cpu.max", group) or "").partition(" ")
    if not quota or not period:
        return _NO_GROUP
    return "none" if quota in ("-1", "max") else _share(int(quota), int(period))


def _quota_factor(prefix: str, title: str, group: str, actual: Callable[[Evidence, str], str]) -> Factor:
    return Factor(
        f"cpu.{prefix}quota",
        title,
        Spelt(
            _spell_quota,
            "a share of a processor of at least 1 %, or none",
            ("50 %", "25 %", "none"),
            r"none|[0-9]+(?:\.[0-9]+)?\s*%",
        ),
        "none",
        f"cputune/{prefix}quota and {prefix}period ({_PERIOD_US // 1000} ms)",
        f"cpu.cfs_quota_us or cpu.max of the control group {group}",
        actual,
        edit=_quota(prefix),
        cost=Cost.LIVE,
        note="a quota takes its time in one piece of each period: it adds waits, not only time",
    )


FACTORS = (
    Factor(
        "cpu.shares",
        "weight of the guest against others that want the same processors",
        Whole(2, 262_144, (256, 512, 1024, 2048)),
        "1024, or 100 in control groups of version 2",
        "cputune/shares",
        "cpu.shares or cpu.weight of the guest's control group",
        _actual_shares,
        edit=_shares,
        cost=Cost.LIVE,
        hazards=(Hazard.OTHERS,),
        needs=_needs_shares,
        note="no effect where nothing else wants the processors",
    ),
    _quota_factor("", "limit of each vCPU's processor time", "of each vCPU", _actual_vcpu_quota),
    _quota_factor(
        "emulator_", "limit of the processor time of QEMU's own threads", "emulator", _actual_emulator_quota
    ),
    _quota_factor(
        "iothread_",
        "limit of the processor time of each disk's thread",
        "of the first I/O thread",
        _actual_iothread_quota,
    ),
    _quota_factor(
        "global_", "limit of the whole guest's processor time", "of the guest", _actual_global_quota
    ),
)
