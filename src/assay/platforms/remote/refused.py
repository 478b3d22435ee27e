"""What a guest on another machine cannot have, each with its reason: refused before anything runs."""

from __future__ import annotations

from collections.abc import Iterable

_MOUNTS = "its file systems are made and mounted on this machine only"
_REASONS = {
    "disk.host-filesystem": _MOUNTS,
    "disk.place": _MOUNTS,
    "disk.guest-filesystem": _MOUNTS,
    "disk.size": "the image's disk is made larger on this machine only",
}
_GROUPS = {
    "host": "only this machine's settings are changed",
    "net": "the measured network is on this machine only",
}


def why_not_there(names: Iterable[str]) -> tuple[str, str] | None:
    """Return the first factor that a guest on another machine cannot have, with the reason; ``None`` for
    none.

    Args:
        names: Of factors, as the catalogue has them.
    """
    for name in names:
        why = _REASONS.get(name) or _GROUPS.get(name.partition(".")[0])
        if why is not None:
            return name, why
    return None
