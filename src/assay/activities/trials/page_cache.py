"""A trial's files made cold or warm before its start; for a guest on both floors, in it and below it.

The order for a cold guest: the files are written out and evicted in the guest; then its image files are
evicted on the host and read back there; then the job is started, for which the probe in the guest evicts
the same files again and reads that back right before the release. The second eviction finds nothing to
write and nothing to drop, and opening files reads at most their inodes and folders. Files that are to be
read ahead start cold in the same way; the probe starts the process that reads them (``docs/probe.md``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from assay.activities.trials.job import copy_folder
from assay.activities.visits.visit import Visit
from assay.model.doubt import Raised, raised
from assay.model.work.page_cache import CacheCheck, CacheOrder, CacheSpec, CacheState, Residency
from assay.model.work.workload import Program, Workload
from assay.probe import RunResult

TOLERANCE = 0.01
"""Of the files' length may be in memory for cold and missing for warm: the probe's own bound
(docs/probe.md).
"""
JOURNAL_BYTES = 1 << 20
"""A running guest writes its journal and its log meanwhile; no file set is found cold that is not by so
little.
"""


@dataclass(frozen=True)
class Prepared:
    """What was done before a start.

    Attributes:
        order: What the probe does again right before the release.
        held: Files of the program that other programs have mapped; they are not in the order.
        host: A guest's image files on its host; ``None`` outside a guest.
    """

    order: CacheOrder
    held: tuple[str, ...] = ()
    host: Residency | None = None


def prepare_cache(visit: Visit, workload: Workload, *, into: str, program: Program | None) -> Prepared | None:
    """Bring a workload's files into the state that it asks for; ``None`` where it asks for none.

    Raises:
        AssayError: A file is not there, or cannot be read.
    """
    if (wanted := _cache_spec(visit, workload)) is None:
        return None
    paths, held = (*file_set(workload, into), *_data(visit, workload)), tuple[str, ...]()
    if wanted.files is None and program is not None:
        own = tuple(file.path for file in (program.executable, *program.libraries))
        held = _held(visit, own) if wanted.state.starts_cold else ()
        paths = (*paths, *(path for path in own if path not in held))
    visit.probe.cache("evict" if wanted.state.starts_cold else "preload", paths)
    order = CacheOrder(wanted.state, paths, drop_all=wanted.drop)
    return Prepared(order, held, _on_host(visit, wanted.state, workload))


def _cache_spec(visit: Visit, workload: Workload) -> CacheSpec | None:
    """Return what is asked for on a visit, whose own word goes before the workload's."""
    if visit.cache is None:
        return workload.cache
    return replace(workload.cache or CacheSpec(visit.cache), state=visit.cache)


def file_set(workload: Workload, into: str) -> tuple[str, ...]:
    """Return the paths of the files of all copies on the machine where they run, without the program."""
    files = workload.cache.files if workload.cache else None
    names = files if files is not None else tuple(path.rstrip("/").split("/")[-1] for path in workload.inputs)
    folders = [copy_folder(workload, into, copy) for copy in range(workload.placement.copies)]
    if workload.prepare and files is None:
        return tuple(folders)  # all that lies there before the start: inputs, and what was made of them
    paths = (name if name.startswith("/") else f"{folder}/{name}" for folder in folders for name in names)
    return tuple(dict.fromkeys(paths))


def cache_check(prepared: Prepared | None, result: RunResult) -> CacheCheck | None:
    """Return what the record says of the page cache; ``None`` where nothing was asked."""
    if prepared is None:
        return None
    cache = result.cache
    there = Residency(cache.files, cache.bytes, cache.resident_bytes) if cache else None
    order = prepared.order
    ahead = cache.ahead if cache else None
    return CacheCheck(order.state, order.drop_all, there, prepared.host, prepared.held, ahead)


def cache_doubts(check: CacheCheck | None, *, served: bool = False) -> Iterator[Raised]:
    """Say where the declared state was not reached; the probe itself tells of the files (``cache-state``).

    Args:
        check: What was reached.
        served: What the job reads comes from a server by itself, and is in no file of its own.
    """
    if check is None or check.machine is None:
        return
    if check.machine.bytes == 0 and not check.drop and not served:
        yield raised("cache-no-files", state=check.state)
    most = max(TOLERANCE * check.machine.bytes, JOURNAL_BYTES)
    if check.state.starts_cold and check.host is not None and check.host.resident_bytes > most:
        yield raised("image-cache-state", resident_bytes=check.host.resident_bytes)


def _held(visit: Visit, paths: tuple[str, ...]) -> tuple[str, ...]:
    """Evict the program's files one by one and return those that stay: some process has them mapped."""
    return tuple(path for path in paths if visit.probe.cache("evict", [path]).resident_bytes > 0)


def _data(visit: Visit, workload: Workload) -> tuple[str, ...]:
    """Return the data that a workload reads, where they are files of its machine."""
    return visit.data.files if workload.needs_data and visit.data and visit.data.local else ()


def _on_host(visit: Visit, state: CacheState, workload: Workload) -> Residency | None:
    """Evict what lies below for cold, and look at it in any case: a guest's image files, a server's data.

    Data that a job asks a server for itself are in no page cache of its own: for warm it is the server's
    that holds them.
    """
    image = visit.guest.spec.image_files if visit.guest is not None and visit.host is not None else ()
    served = visit.data.below if workload.needs_data and visit.data else ()
    files = [*map(str, image), *served]
    if not files:
        return None
    below = visit.host or visit.probe
    if served and not state.starts_cold and visit.data and not visit.data.local:
        below.cache("preload", served)
    return below.cache("evict" if state.starts_cold else "residency", files)


def evict_again(
    visits: Sequence[Visit], prepared: Sequence[Prepared | None], workload: Workload
) -> list[Prepared | None]:
    """Look at the image files of several guests once more, now that all guests are prepared.

    They share one base image: what was evicted for one of them the next may have read again.
    """
    pairs = zip(visits, prepared, strict=True)
    return [one and replace(one, host=_on_host(visit, one.order.state, workload)) for visit, one in pairs]
