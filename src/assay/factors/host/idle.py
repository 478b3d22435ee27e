"""Idle states of the host's processors.

Source: https://docs.kernel.org/admin-guide/pm/cpuidle.html.
"""

from __future__ import annotations

from collections.abc import Iterator

from assay.factors.base.evidence import Evidence, Host
from assay.factors.base.factor import Act, Cost, Factor, Hazard
from assay.factors.base.levels import Whole
from assay.factors.host.files import AS_ON_HOST, why_not_written

_MOST = 10
"""States that a kernel holds at most (``CPUIDLE_STATE_MAX``)."""


def _states(host: Host, cpu: int) -> Iterator[tuple[int, str]]:
    for number in range(_MOST):
        place = f"/sys/devices/system/cpu/cpu{cpu}/cpuidle/state{number}"
        if host.read(f"{place}/disable") is None:
            return
        yield number, place


def _deepest(host: Host, cpu: int) -> int | None:
    allowed = [number for number, place in _states(host, cpu) if host.read(f"{place}/disable") == "0"]
    return max(allowed, default=None)


def _acts(host: Host, level: str) -> tuple[Act, ...]:
    return tuple(
        Act(f"{place}/disable", "1" if number > int(level) else "0")
        for cpu in host.cpus
        for number, place in _states(host, cpu)
        # what the driver has off by itself is not switched on
        if number > int(level) or host.read(f"{place}/default_status") != "disabled"
    )


def _actual(seen: Evidence, _wanted: str) -> str:
    deepest = {_deepest(seen.host, cpu) for cpu in seen.host.cpus}
    words = sorted("none" if number is None else str(number) for number in deepest)
    return ", ".join(words) + (" on different processors" if len(words) > 1 else "")


def _needs(host: Host, level: str | None) -> str | None:
    states = dict(_states(host, host.cpus[0]))
    if not states:
        return "no driver of this kernel has idle states"
    if level is not None and int(level) not in states:
        return f"the deepest idle state here is {max(states)}"
    acts = _acts(host, level or "0")
    return next((why for act in acts if (why := why_not_written(host, act.path, level and act.value))), None)


FACTORS = (
    Factor(
        "host.cpuidle-state",
        "deepest idle state that processors may enter; 0 polls",
        Whole(0, _MOST - 1, (0, 1, 2)),
        AS_ON_HOST,
        "/sys/devices/system/cpu/cpu*/cpuidle/state*/disable",
        "the same files; usage beside each tells what was entered",
        _actual,
        Cost.LIVE,
        acts=_acts,
        files=("/sys/devices/system/cpu/cpu[0-9]*/cpuidle/state[0-9]/disable",),
        needs=_needs,
        hazards=(Hazard.OTHERS,),
        note="latency, not throughput; shallow states cost power, and with it turbo",
    ),
)
