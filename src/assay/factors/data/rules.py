"""Ways to data that do not go together with a guest's other levels."""

from __future__ import annotations

from assay.factors.base.evidence import Host
from assay.factors.base.factor import Rule, Settings
from assay.factors.data.share import CACHE, MSIZE, NINE_P, VIRTIOFS
from assay.model.platforms.data import LOCAL, SERVED

_ACCESS, _BACKEND = "data.access", "net.backend"
_SOURCE, _SHARED = "memory.source", "memory.access"
_FILESYSTEM, _PLACE = "data.filesystem", "data.place"
_SCRATCH, _WRITTEN = "scratch.filesystem", "scratch.access"
_OF_NFS = ("data.nfs-nconnect", "data.nfs-rsize")


def _off_the_network(settings: Settings, _host: Host) -> str | None:
    backend = settings.get(_BACKEND)
    name = next((one for one in (_ACCESS, _WRITTEN) if settings.get(one) in SERVED), None)
    if name is None or backend not in ("user", "passt"):
        return None
    return (
        f"{name} {settings[name]} needs a card on the bench network, and net.backend {backend} leads past it"
    )


def _without_nfs(settings: Settings, _host: Host) -> str | None:
    options = [name for name in _OF_NFS if name in settings]
    if not options or settings.get(_ACCESS) == "nfs":
        return None
    return f"{options[0]} is for data.access nfs"


def _memory_of_its_own(settings: Settings, _host: Host) -> str | None:
    if settings.get(_ACCESS) != VIRTIOFS:
        return None
    if settings.get(_SHARED) == "shared":  # said: libvirt 9.0 refuses a memfd of which nothing is said
        return None
    return (
        f"virtiofsd must map the guest's memory: {_ACCESS} virtiofs needs {_SOURCE}=memfd and "
        f"{_SHARED}=shared"
    )


def _of_another(settings: Settings, _host: Host) -> str | None:
    for name, level in ((MSIZE, NINE_P), (CACHE, VIRTIOFS)):
        if name in settings and settings.get(_ACCESS) != level:
            return f"{name} is for data.access {level}"
    return None


def _of_the_own_disk(settings: Settings, _host: Host) -> str | None:
    named = [name for name in (_FILESYSTEM, _PLACE) if name in settings]
    if len(named) > 1:
        return f"{_FILESYSTEM} with {_PLACE}: the data have one place"
    if not named or settings.get(_ACCESS, LOCAL) == LOCAL:
        return None
    return f"{named[0]} is for {_ACCESS} local"


def _one_place_to_write(settings: Settings, _host: Host) -> str | None:
    if _SCRATCH not in settings or settings.get(_WRITTEN, LOCAL) == LOCAL:
        return None
    return f"{_SCRATCH} is for {_WRITTEN} local"


RULES = (
    Rule((_FILESYSTEM, _PLACE, _ACCESS), _of_the_own_disk),
    Rule((_ACCESS,), _memory_of_its_own),
    Rule((MSIZE, CACHE), _of_another),
    Rule((_ACCESS, _BACKEND), _off_the_network),
    Rule((_WRITTEN, _BACKEND), _off_the_network),
    Rule((_SCRATCH, _WRITTEN), _one_place_to_write),
    Rule((*_OF_NFS, _ACCESS), _without_nfs),
)
