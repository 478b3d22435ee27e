"""Levels of starts in the words of HTCondor: the configuration of the ``condor_schedd`` that starts the jobs.

Source: HTCondor manual, configuration macros of the condor_schedd: it starts JOB_START_COUNT jobs (1 or
    more), then waits JOB_START_DELAY seconds (a whole number, 0 is no delay), and so on.
Limits: both hold for all jobs of that condor_schedd, on whatever machines; condor_reconfig puts them in
    force.
"""

from __future__ import annotations

from assay.factors.base.evidence import Host
from assay.factors.base.factor import Settings
from assay.factors.export.starts import left_beside, whole_seconds
from assay.factors.export.words import Exported, Say, Word, as_it_is, words_for
from assay.factors.start.starts import AT_ONCE, STAGGER

_SCHEDD = "condor_schedd"


def _delay(level: str, _all: Settings) -> tuple[Word, ...]:
    seconds = whole_seconds(level)
    return () if seconds is None else (Word(_SCHEDD, "JOB_START_DELAY", str(seconds)),)


_WORDS: dict[str, Say] = {AT_ONCE: as_it_is(_SCHEDD, "JOB_START_COUNT"), STAGGER: _delay}


def to_htcondor(settings: Settings, _on: Host) -> Exported:
    """Return lines for a file below ``/etc/condor/config.d`` of the machine whose condor_schedd it is."""
    words, left = words_for(settings, _WORDS, "HTCondor")
    lines = [f"{word.key} = {word.value}\n" for word in words]
    return Exported("".join(lines), {**left, **left_beside(settings, _WORDS)})
