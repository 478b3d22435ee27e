"""Levels of the host in the words of TuneD: a profile's ``tuned.conf``."""

from __future__ import annotations

from assay.factors.base.evidence import Host
from assay.factors.base.factor import Act, Settings
from assay.factors.catalogue import FACTORS
from assay.factors.export.words import Exported, Say, Word, as_it_is, words_for

_SYSCTL = "/proc/sys/"
_MODULES = {
    "host.ept": ("kvm_intel", "ept"),
    "host.npt": ("kvm_amd", "npt"),
    "host.pml": ("kvm_intel", "pml"),
    "host.ple_gap": ("kvm_intel", "ple_gap"),
    "host.ple_window": ("kvm_intel", "ple_window"),
    "host.pause_filter_count": ("kvm_amd", "pause_filter_count"),
}
KERNEL = {"host.isolcpus": "isolcpus", "host.nohz_full": "nohz_full", "host.mitigations": "mitigations"}
"""Factors that are words of the host kernel's command line."""


def _module(module: str, parameter: str) -> Say:
    return lambda level, _all: (Word("[modules]", module, f"{parameter}={level}"),)


def _kernel(word: str) -> Say:
    def say(level: str, _all: Settings) -> tuple[Word, ...]:
        return () if level == "none" else (Word("[bootloader]", f"cmdline_{word}", f"+{word}={level}"),)

    return say


_WORDS: dict[str, Say] = {
    "host.governor": as_it_is("[cpu]", "governor"),
    "host.tuned": lambda level, _all: () if level == "none" else (Word("[main]", "include", level),),
    **{name: _module(*place) for name, place in _MODULES.items()},
    **{name: _kernel(word) for name, word in KERNEL.items()},
}


def boot_word(name: str, level: str) -> str | None:
    """Return what the host kernel's command line has for a level; ``None`` where it has nothing to say.

    Parameters of modules stand there too: ``modprobe`` reads them (modprobe(8)).
    """
    if name in KERNEL:
        return None if level == "none" else f"{KERNEL[name]}={level}"
    module, parameter = _MODULES.get(name, (None, None))
    return None if module is None else f"{module}.{parameter}={level}"


def to_tuned(settings: Settings, on: Host) -> Exported:
    """Return a profile; what has no section of its own is written to the kernel's file by its path."""
    of_files = {name: _files(name, on) for name in settings if FACTORS[name].acts is not None}
    words, left = words_for(settings, of_files | _WORDS, "TuneD")
    lines = [] if not words else ["[main]", "summary=Levels chosen by assay"]
    for place in dict.fromkeys(("[main]", *(word.place for word in words))):
        mine = [f"{word.key}={word.value}" for word in words if word.place == place]
        lines += mine if place == "[main]" else [place, *mine]
    return Exported("".join(f"{line}\n" for line in lines), left)


def _files(name: str, on: Host) -> Say:
    acts = FACTORS[name].acts
    return lambda level, _all: () if acts is None else tuple(map(_written, acts(on, level)))


def _written(act: Act) -> Word:
    if act.path.startswith(_SYSCTL):
        return Word("[sysctl]", act.path.removeprefix(_SYSCTL).replace("/", "."), act.value)
    return Word("[sysfs]", act.path, act.value)
