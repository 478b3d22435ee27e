"""Ways to data that do not go together with a guest's other levels."""

from __future__ import annotations

from assay.factors.evidence import Host
from assay.factors.factor import Rule, Settings
from assay.model.data import SERVED

_ACCESS, _BACKEND = "data.access", "net.backend"
_OF_NFS = ("data.nfs-nconnect", "data.nfs-rsize")


def _off_the_network(settings: Settings, _host: Host) -> str | None:
    level, backend = settings.get(_ACCESS), settings.get(_BACKEND)
    if level not in SERVED or backend not in ("user", "passt"):
        return None
    return f"{_ACCESS} {level} needs a card on the bench network, and net.backend {backend} leads past it"


def _without_nfs(settings: Settings, _host: Host) -> str | None:
    said = [name for name in _OF_NFS if name in settings]
    if not said or settings.get(_ACCESS) == "nfs":
        return None
    return f"{said[0]} is for data.access nfs"


RULES = (
    Rule((_ACCESS, _BACKEND), _off_the_network),
    Rule((*_OF_NFS, _ACCESS), _without_nfs),
)
