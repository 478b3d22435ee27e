"""Levels of starts that would silently be something else."""

from __future__ import annotations

from assay.factors.base.evidence import Host
from assay.factors.base.factor import Rule, Settings
from assay.factors.start.starts import AT_ONCE, STAGGER
from assay.model.units import parse_seconds


def _no_stagger(settings: Settings, _host: Host) -> str | None:
    """Refuse several at once where all are: that is one at once without a stagger."""
    together, stagger = settings.get(AT_ONCE, "1"), settings.get(STAGGER)
    if together == "1" or stagger is None or parse_seconds(stagger) > 0:
        return None
    return f"{AT_ONCE}={together} with {STAGGER}={stagger}: all start at once then, which is {AT_ONCE}=1"


RULES = (Rule((AT_ONCE,), _no_stagger),)
