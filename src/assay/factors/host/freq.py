"""Frequency of the host's processors.

Source: https://docs.kernel.org/admin-guide/pm/cpufreq.html, ``intel_pstate.html`` beside it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from assay.factors.base.evidence import Evidence, Host
from assay.factors.base.factor import Act, Cost, Factor, Hazard
from assay.factors.base.levels import SWITCH, Words
from assay.factors.host.files import AS_ON_HOST, why_not_written

_CPU = "/sys/devices/system/cpu"
_NO_DRIVER = "no driver of this kernel controls the processors' frequency"
_TURBO = ((f"{_CPU}/intel_pstate/no_turbo", "1", "0"), (f"{_CPU}/cpufreq/boost", "0", "1"))
"""File, its word for off, its word for on."""


@dataclass(frozen=True)
class CpuFiles:
    """A file of each processor that is online.

    Attributes:
        word: Its name below ``cpufreq``.
        offered: Name of the file with the words that the driver takes.
    """

    word: str
    offered: str

    def path(self, cpu: int) -> str:
        """Return a processor's file."""
        return f"{_CPU}/cpu{cpu}/cpufreq/{self.word}"

    def acts(self, host: Host, level: str) -> tuple[Act, ...]:
        """Return a write for each processor."""
        return tuple(Act(self.path(cpu), level) for cpu in host.cpus)

    def actual(self, seen: Evidence, _wanted: str) -> str:
        """Return the word where all processors have the same, else how many have which."""
        host = seen.host
        counts = Counter(host.read(self.path(cpu)) or "not there" for cpu in host.cpus)
        if len(counts) == 1:
            return next(iter(counts))
        return ", ".join(f"{word} on {count} of {len(host.cpus)}" for word, count in counts.items())

    def needs(self, host: Host, level: str | None) -> str | None:
        """Return why a level cannot be had."""
        paths = [self.path(cpu) for cpu in host.cpus]
        if any(host.read(path) is None for path in paths):
            return _NO_DRIVER
        offered = host.read(f"{_CPU}/cpu{host.cpus[0]}/cpufreq/{self.offered}")
        if level is not None and offered is not None and level not in offered.split():
            return f"the frequency driver offers {', '.join(offered.split())}"
        return next((why for path in paths if (why := why_not_written(host, path, level))), None)


def _turbo_file(host: Host) -> tuple[str, str, str] | None:
    return next((file for file in _TURBO if host.read(file[0]) is not None), None)


def _turbo(host: Host, level: str) -> tuple[Act, ...]:
    file = _turbo_file(host)
    return () if file is None else (Act(file[0], file[2] if level == "on" else file[1]),)


def _actual_turbo(seen: Evidence, _wanted: str) -> str:
    file = _turbo_file(seen.host)
    if file is None:
        return "not there"
    value = seen.host.read(file[0])
    return {file[1]: "off", file[2]: "on"}.get(str(value), str(value))


def _needs_turbo(host: Host, level: str | None) -> str | None:
    file = _turbo_file(host)
    if file is None:
        return "the frequency driver has no switch for it"
    return why_not_written(host, file[0], level and _turbo(host, level)[0].value)


_EPP = CpuFiles("energy_performance_preference", "energy_performance_available_preferences")
_GOVERNOR = CpuFiles("scaling_governor", "scaling_available_governors")

FACTORS = (
    Factor(
        "host.governor",
        "who chooses the processors' frequency",
        Words(("performance", "schedutil", "powersave", "ondemand", "conservative")),
        AS_ON_HOST,
        f"{_CPU}/cpu*/cpufreq/{_GOVERNOR.word}",
        f"{_CPU}/cpu*/cpufreq/{_GOVERNOR.word}",
        _GOVERNOR.actual,
        Cost.LIVE,
        acts=_GOVERNOR.acts,
        files=(f"{_CPU}/cpu[0-9]*/cpufreq/{_GOVERNOR.word}",),
        needs=_GOVERNOR.needs,
        hazards=(Hazard.OTHERS,),
        note="powersave means another thing under intel_pstate (as needed) than elsewhere (the lowest); "
        "both arms need the same",
    ),
    Factor(
        "host.energy_performance_preference",
        "what the processor itself prefers",
        Words(("performance", "balance_performance", "default", "balance_power", "power")),
        AS_ON_HOST,
        f"{_CPU}/cpu*/cpufreq/{_EPP.word}",
        f"{_CPU}/cpu*/cpufreq/{_EPP.word}",
        _EPP.actual,
        Cost.LIVE,
        acts=_EPP.acts,
        files=(f"{_CPU}/cpu[0-9]*/cpufreq/{_EPP.word}",),
        needs=_EPP.needs,
        hazards=(Hazard.OTHERS,),
        note="the governor performance fixes it at performance",
    ),
    Factor(
        "host.turbo",
        "frequencies above the nominal one",
        SWITCH,
        AS_ON_HOST,
        " or ".join(file for file, *_ in _TURBO),
        "the same file",
        _actual_turbo,
        Cost.LIVE,
        acts=_turbo,
        files=tuple(file for file, *_ in _TURBO),
        needs=_needs_turbo,
        hazards=(Hazard.OTHERS,),
        note="with it, few busy cores run faster than many; off makes times vary less",
    ),
)
