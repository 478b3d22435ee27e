"""Settings that were seen in force, in words."""

from __future__ import annotations

from collections.abc import Iterable

from assay.model.platforms.platform import SeenFactor


def settings_text(seen: Iterable[SeenFactor]) -> str:
    """Return each with its level, and how that was seen."""
    return "; ".join(f"{one.name} {one.level} ({one.how})" for one in seen)
