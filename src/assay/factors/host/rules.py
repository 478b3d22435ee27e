"""Combinations of the host's settings that cannot be, or that are silently something else."""

from __future__ import annotations

from assay.factors.base.evidence import Host
from assay.factors.base.factor import Rule, Settings
from assay.factors.host.tuned import profile

_DIRTY, _BACKGROUND = "host.dirty_ratio", "host.dirty_background_ratio"
_GOVERNOR, _EPP = "host.governor", "host.energy_performance_preference"
_BY_TUNED = (
    "host.thp", _DIRTY, _BACKGROUND, "host.swappiness", _GOVERNOR, _EPP, "host.read_ahead_kb",
)  # fmt: skip
"""What tuned's own profiles set."""


def _background_below(settings: Settings, host: Host) -> str | None:
    limits = [settings.get(name) or _now(name, host) for name in (_BACKGROUND, _DIRTY)]
    low, high = (int(text) for text in limits)
    if low == 0 or high == 0 or low < high:  # 0: a limit in bytes holds, or the file is not there
        return None
    return (
        f"dirty_background_ratio {low} is not below dirty_ratio {high}: the kernel takes half of that instead"
    )


def _now(name: str, host: Host) -> str:
    return host.read(f"/proc/sys/vm/{name.removeprefix('host.')}") or "0"


def _governor_fixes(settings: Settings, _host: Host) -> str | None:
    wanted = settings.get(_EPP, "performance")
    if settings.get(_GOVERNOR) != "performance" or wanted == "performance":
        return None
    return f"the governor performance fixes energy_performance_preference at performance, not {wanted}"


def _tuned_sets(settings: Settings, host: Host) -> str | None:
    single = [name for name in _BY_TUNED if name in settings]
    if settings.get("host.tuned", "none") == "none" or not single:
        return None
    return f"tuned's profile {profile(host)} sets {', '.join(single)} too: compare one or the other"


RULES = (
    Rule((_DIRTY, _BACKGROUND), _background_below),
    Rule((_GOVERNOR, _EPP), _governor_fixes),
    Rule(("host.tuned", *_BY_TUNED), _tuned_sets),
)
