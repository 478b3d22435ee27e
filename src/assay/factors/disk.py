"""Factors of a guest's disk."""

from __future__ import annotations

from assay.factors.draft import Draft
from assay.factors.evidence import Evidence
from assay.factors.factor import Effect, Factor, Hazard
from assay.factors.levels import Words

_MODES = {
    # (write cache, direct, no flush), from QEMU's manual, -drive cache=
    (True, True, False): "none",
    (True, False, False): "writeback",
    (False, False, False): "writethrough",
    (False, True, False): "directsync",
    (True, False, True): "unsafe",
}


def _cache(draft: Draft, level: str) -> None:
    draft.at("devices/disk/driver", cache=level)


def _found_cache(seen: Evidence, _wanted: str) -> str:
    cache = next(block["inserted"]["cache"] for block in seen.ask("query-block") if "inserted" in block)
    flags = (bool(cache["writeback"]), bool(cache["direct"]), bool(cache["no-flush"]))
    return _MODES.get(flags, f"write cache, direct, no flush are {flags}")


FACTORS = (
    Factor(
        "disk.cache",
        "how the host caches the guest's disk",
        Words(("none", "writeback", "writethrough", "directsync", "unsafe")),
        "none",
        "devices/disk/driver/@cache",
        "QMP query-block, inserted.cache (query-named-block-nodes shows writeback for every mode)",
        _found_cache,
        edit=_cache,
        hazards=(Hazard.DATA,),
        effects=(Effect("10 % between writeback and writethrough", "I/O", "JUNO thesis 2.4"),),
        note="under writeback a guest's reads come from the host's memory: compare bytes at the host's device",
    ),
)
