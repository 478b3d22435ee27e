"""The one trial that is under way, as a small file: what a later process needs to collect its record."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from assay.activities.page_cache import Prepared
from assay.model.clock import ClockReading
from assay.model.page_cache import CacheOrder, CacheState, Residency
from assay.model.platform import HypervisorCpu
from assay.store.record import replace_file


@dataclass(frozen=True)
class Inflight:
    """A started trial.

    Attributes:
        index: Its place in the plan.
        into: The probe's folder for it, on the machine where it runs.
        boot: The boot that it runs in.
        guest: Name of its domain; ``None`` outside a guest.
        started_ns: The controller's wall clock at the start.
        clock: Clock reading before it; ``None`` on this machine.
        hypervisor_cpu: CPU of the QEMU process before it; ``None`` outside a guest.
        cache: What was done to the page cache before it; ``None`` where nothing was asked.
        container_cpu_s: CPU seconds of its container before it; ``None`` outside one.
        client_cpu_s: CPU seconds of the client of a mount before it; ``None`` without one.
        unwatched: Why a guest's host is not watched meanwhile; ``None`` where it is, and outside a guest.
    """

    index: int
    into: str
    boot: str
    guest: str | None
    started_ns: int
    clock: ClockReading | None
    hypervisor_cpu: HypervisorCpu | None
    cache: Prepared | None = None
    container_cpu_s: float | None = None
    client_cpu_s: float | None = None
    unwatched: str | None = None


def write_inflight(folder: Path, trial: Inflight) -> None:
    """Note durably that a trial is about to start."""
    replace_file(folder / "inflight.json", json.dumps(asdict(trial)).encode())


def read_inflight(folder: Path) -> Inflight | None:
    """Return the trial that was under way, or ``None``."""
    try:
        value = json.loads((folder / "inflight.json").read_bytes())
    except FileNotFoundError:
        return None
    clock, cpu = value["clock"], value["hypervisor_cpu"]
    value["clock"] = clock and ClockReading(**clock)
    value["hypervisor_cpu"] = cpu and HypervisorCpu(**cpu)
    value["cache"] = (cache := value.get("cache")) and _prepared(cache)
    return Inflight(**value)


def _prepared(value: dict[str, Any]) -> Prepared:
    order, host = value["order"], value["host"]
    asked = CacheOrder(CacheState(order["state"]), tuple(order["paths"]), drop_all=order["drop_all"])
    return Prepared(asked, tuple(value["held"]), host and Residency(**host))


def clear_inflight(folder: Path) -> None:
    """Note that its record is safe, or that it is given up."""
    (folder / "inflight.json").unlink(missing_ok=True)
