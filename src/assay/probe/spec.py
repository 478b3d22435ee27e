"""What the probe is asked to run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from assay.model.machines.machine import Limits
from assay.model.units import BYTES
from assay.model.work.observation import Profile
from assay.model.work.page_cache import CacheOrder
from assay.model.work.phase import PhaseRules
from assay.model.work.placement import Placement, Start
from assay.model.work.workload import OUTPUT_BYTES

PROTOCOL = (1, 4)
"""Version of the probe's protocol spoken here: (major, minor)."""
KEEP_FREE_BYTES = 64 * BYTES["MiB"]
"""Enough for the record and the files of a job's end; a job that leaves less is ended."""


@dataclass(frozen=True)
class Spec:
    """A job for the probe (``contracts/probe-v1.schema.json``).

    Attributes:
        command: Argument list; never a shell string. ``{copy}`` stands for the number of the copy.
        directory: Absolute working directory there; made if absent. Several copies get a folder each in it.
        environment: Added to a minimal one (``PATH``, ``HOME``, ``LC_ALL``, ``LANG``, ``ASSAY_…``).
        limits: What the job and its children may use.
        network_namespace: Name under ``/run/netns`` that it runs in; ``None`` is the ordinary network.
        interval_s: Time between samples, 0.01 to 3600.
        time_limit_s: After this the job is stopped and has failed; ``None`` is "never".
        grace_s: A job that is told to stop has this long before it is killed.
        output_limit_bytes: A job of which a stream holds more is stopped and has failed.
        keep_free_bytes: The same where the disk of its folder has less room; 0 is "not looked at".
        placement: Its copies, and where they run.
        start: When they start.
        process_io: Read the I/O of each process at samples, as far as that takes no more than 0.08 % of a
            processor; the totals are exact in any case.
        watch: Groups of series to collect beside the core set.
        counters: Event counters over the job and its phases.
        profile: Stacks to sample; ``None`` is "none".
        phases: How its phases are told; ``None`` is "they are not".
        cache: Files brought into the page cache or out of it before the release; ``None`` does nothing.
    """

    command: tuple[str, ...]
    directory: str
    environment: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    network_namespace: str | None = None
    interval_s: float = 1.0
    time_limit_s: float | None = None
    grace_s: float = 5.0
    output_limit_bytes: int = OUTPUT_BYTES
    keep_free_bytes: int = KEEP_FREE_BYTES
    placement: Placement = field(default_factory=Placement)
    start: Start = field(default_factory=Start)
    process_io: bool = True
    watch: tuple[str, ...] = ()
    counters: tuple[str, ...] = ()
    profile: Profile | None = None
    phases: PhaseRules | None = None
    cache: CacheOrder | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the spec as the protocol writes it."""
        return {"protocol": list(PROTOCOL), **_plain(asdict(self))}


def _plain(value: Any) -> Any:
    """Return the same in lists and objects alone."""
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, tuple) else value
