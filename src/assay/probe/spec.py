"""What the probe is asked to run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from assay.model.machine import Limits
from assay.model.page_cache import CacheOrder

PROTOCOL = (1, 1)
"""Version of the probe's protocol spoken here: (major, minor)."""


@dataclass(frozen=True)
class Spec:
    """A job for the probe (``contracts/probe-v1.schema.json``).

    Attributes:
        command: Argument list; never a shell string.
        directory: Absolute working directory there; made if absent.
        environment: Added to a minimal one (``PATH``, ``HOME``, ``LC_ALL``, ``LANG``).
        limits: What the job and its children may use.
        network_namespace: Name under ``/run/netns`` that it runs in; ``None`` is the ordinary network.
        interval_s: Time between samples, 0.01 to 3600.
        time_limit_s: After this the job is stopped and has failed; ``None`` is "never".
        grace_s: A job that is told to stop has this long before it is killed.
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
    cache: CacheOrder | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the spec as the protocol writes it."""
        return {
            "protocol": list(PROTOCOL),
            "command": list(self.command),
            "directory": self.directory,
            "environment": dict(self.environment),
            "limits": {
                "cpus": list(self.limits.cpus),
                "memory_bytes": self.limits.memory_bytes,
                "cpu_quota": self.limits.cpu_quota,
            },
            "network_namespace": self.network_namespace,
            "interval_s": self.interval_s,
            "time_limit_s": self.time_limit_s,
            "grace_s": self.grace_s,
            "cache": None if self.cache is None else {**asdict(self.cache), "paths": list(self.cache.paths)},
        }
