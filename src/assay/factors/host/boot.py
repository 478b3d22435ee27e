"""Settings of the host that its kernel takes at boot: found, and never changed by us.

Source: https://docs.kernel.org/admin-guide/kernel-parameters.html.
"""

from __future__ import annotations

from dataclasses import dataclass

from assay.factors.base.evidence import Evidence, Host
from assay.factors.base.factor import Cost, Effect, Factor, Hazard
from assay.factors.base.levels import Pattern
from assay.factors.base.number_lists import read_numbers

_CMDLINE = "/proc/cmdline"


def mitigations(host: Host) -> str:
    """Return the level of the kernel's command line; where it says nothing, the kernel's own, ``auto``."""
    return mitigations_of(host.read(_CMDLINE) or "")


def mitigations_of(line: str) -> str:
    """Return the level of a command line; ``auto`` where it says nothing."""
    words = [word for word in line.split() if word.startswith("mitigations=")]
    return words[-1].partition("=")[2] if words else "auto"


def _actual_mitigations(seen: Evidence, _wanted: str) -> str:
    return mitigations(seen.host)


def _needs_mitigations(host: Host, level: str | None) -> str | None:
    if level is None or level == mitigations(host):
        return None
    return f"set by a reboot only, with this on the kernel's command line: mitigations={level}"


@dataclass(frozen=True)
class BootCpus:
    """Processors that the kernel's command line sets apart.

    Attributes:
        word: Of the command line, ``isolcpus``.
        file: What came of it.
    """

    word: str
    file: str

    def now(self, host: Host) -> str:
        """Return the processors; ``none`` where there are none, or the kernel does not tell."""
        text = host.read(self.file)
        return text if text and text != "(null)" else "none"

    def actual(self, seen: Evidence, wanted: str) -> str:
        """Return the processors, in the spelling of those wanted where they are the same."""
        now = self.now(seen.host)
        return wanted if _same(now, wanted) else now

    def needs(self, host: Host, level: str | None) -> str | None:
        """Return why a level cannot be had; for another than there is, what to boot with."""
        if level is None or _same(level, self.now(host)):
            return None
        line = "the kernel's command line"
        if level == "none":
            return f"set by a reboot only, without {self.word} on {line}"
        return f"set by a reboot only, with this on {line}: {self.word}={level}"

    def factor(self, title: str, note: str) -> Factor:
        """Return the factor."""
        cpus = Pattern(r"none|\d+(-\d+)?(,\d+(-\d+)?)*", "a list of processors, or none", ("none", "2-7"))
        return Factor(
            f"host.{self.word}",
            title,
            cpus,
            "none",
            f"/proc/cmdline, {self.word}=",
            self.file,
            self.actual,
            Cost.REBOOT,
            needs=self.needs,
            hazards=(Hazard.OTHERS,),
            note=note,
        )


def _same(a: str, b: str) -> bool:
    """Tell whether two lists name the same processors: the kernel shows ``2,3`` as ``2-3``."""
    return _numbers(a) == _numbers(b)


def _numbers(text: str) -> tuple[int, ...] | str:
    try:
        return read_numbers(text)
    except ValueError:
        return text


FACTORS = (
    BootCpus("isolcpus", "/sys/devices/system/cpu/isolated").factor(
        "processors that the scheduler leaves alone",
        "without cpu.vcpupin all vCPUs pile up on one of them",
    ),
    BootCpus("nohz_full", "/sys/devices/system/cpu/nohz_full").factor(
        "processors without a tick while one thread runs", "needs a processor that keeps the time for them"
    ),
    Factor(
        "host.mitigations",
        "mitigations of the processor's flaws",
        Pattern(
            r"(auto|off)(,[a-z_]+)*", "auto, off, and refinements after commas", ("auto", "auto,nosmt", "off")
        ),
        "auto",
        f"{_CMDLINE}, mitigations=",
        f"{_CMDLINE}; what came of it in /sys/devices/system/cpu/vulnerabilities",
        _actual_mitigations,
        Cost.REBOOT,
        needs=_needs_mitigations,
        hazards=(Hazard.ISOLATION,),
        effects=(Effect("up to 50 %", "system-call-heavy", "ORNL 2018"),),
        note="single flaws have words of their own on the command line that this does not look at",
    ),
)
