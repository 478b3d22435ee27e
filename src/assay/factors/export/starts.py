"""What the exports of starts share: whole seconds, and what is said of a factor that is none of theirs."""

from __future__ import annotations

from collections.abc import Collection

from assay.factors.base.factor import Settings
from assay.factors.start.starts import ELSEWHERE
from assay.model.units import parse_seconds


def whole_seconds(level: str) -> int | None:
    """Return the seconds of a stagger; ``None`` where they are no whole number."""
    seconds = parse_seconds(level)
    return int(seconds) if seconds.is_integer() else None


def left_beside(settings: Settings, said: Collection[str]) -> dict[str, str]:
    """Return which factors of starts a format does not say, each with the format that does."""
    return {name: ELSEWHERE[name] for name in settings if name in ELSEWHERE and name not in said}
