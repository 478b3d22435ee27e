"""What a guest's own kernel made of the words on its command line, by its own files.

Source: Linux ``Documentation/ABI/testing/sysfs-devices-system-cpu`` (``vulnerabilities``),
``Documentation/admin-guide/kernel-parameters.txt``.
Limits: no file tells how an idle vCPU waits under ``idle=``: there the words that the kernel holds must do.
    Of
mitigations two flaws are looked at whose whole mitigation follows ``mitigations=``; others have words of
their own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from assay.factors.base.factor import Settings

Facts = Mapping[tuple[str, str], object]
"""What the probe saw in the guest, by group and field (``model.machines.fingerprint.flatten``)."""

GIVEN = "given on the command line; only a booted guest tells"
"""All that is seen of a guest that has not booted."""
_UNTOLD = "not told by the guest's kernel"
_FLAWS = ("meltdown", "spectre_v2")
_BALANCING = {0: "disable", 1: "enable"}


@dataclass(frozen=True)
class Inside:
    """Where a level is seen inside.

    Attributes:
        how: In which files of the guest, one clause.
        look: Returns what is in force.
    """

    how: str
    look: Callable[[Facts], str]


@dataclass(frozen=True)
class InsideCheck:
    """A factor as the guest's kernel told it; fields as of ``catalogue.LevelCheck``."""

    name: str
    wanted: str
    actual: str
    how: str


def look_inside(settings: Settings, facts: Facts) -> tuple[InsideCheck, ...]:
    """Return for each level of group ``guest`` what the guest's kernel says is in force; others are passed
    over.
    """
    asked = ((name, wanted, INSIDE[name]) for name, wanted in settings.items() if name in INSIDE)
    return tuple(InsideCheck(name, wanted, one.look(facts), one.how) for name, wanted, one in asked)


def last_word(line: str, key: str) -> str:
    """Return the value of the last ``key=`` of a command line; ``not given`` where there is none."""
    values = [word.partition("=")[2] for word in line.split() if word.startswith(f"{key}=")]
    return values[-1] if values else "not given"


def _clocksource(facts: Facts) -> str:
    return _fact(facts, "general", "clock_source")


def _huge_pages(facts: Facts) -> str:
    return _fact(facts, "general", "thp")


def _balancing(facts: Facts) -> str:
    value = facts.get(("memory", "numa_balancing"))
    return _BALANCING.get(value, str(value)) if isinstance(value, int) else _UNTOLD


def _idle(facts: Facts) -> str:
    return last_word(_line(facts), "idle")


def _mitigations(facts: Facts) -> str:
    level = last_word(_line(facts), "mitigations")
    states = {name: str(facts.get(("kernel", f"vulnerabilities.{name}"), "")) for name in _FLAWS}
    amiss = _mitigated if level == "off" else _open
    wrong = [f"{name} says {text}" for name, text in states.items() if amiss(text)]
    return f"{level}, but {', '.join(wrong)}" if wrong else level


def _mitigated(text: str) -> bool:
    return text.startswith("Mitigation")


def _open(text: str) -> bool:
    # "Vulnerable; STIBP: disabled" as mitigations=off makes it; "Vulnerable: …" names a mitigation that lacks
    # something
    return text.replace(",", ";").partition(";")[0].strip() == "Vulnerable"


def _line(facts: Facts) -> str:
    return str(facts.get(("kernel", "command_line")) or "")


def _fact(facts: Facts, group: str, field: str) -> str:
    value = facts.get((group, field))
    return _UNTOLD if value is None else str(value)


INSIDE: Mapping[str, Inside] = {
    "guest.mitigations": Inside(
        "/proc/cmdline and vulnerabilities/meltdown, spectre_v2 in the guest", _mitigations
    ),
    "guest.clocksource": Inside("clocksource0/current_clocksource in the guest", _clocksource),
    "guest.transparent_hugepage": Inside("transparent_hugepage/enabled in the guest", _huge_pages),
    "guest.idle": Inside("/proc/cmdline in the guest: no file tells what came of it", _idle),
    "guest.numa_balancing": Inside("/proc/sys/kernel/numa_balancing in the guest", _balancing),
}
"""By factor."""
