"""How busy the disks were during a trial, from the series ``disks`` (docs/series.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

NAMES = ("busy_s", "reads_count", "writes_count", "read_s", "write_s")


def busiest_disk(rows: Sequence[Mapping[str, str]]) -> tuple[float | None, float | None]:
    """Return the busy share of the disk that was busiest, and the mean time of a request to it, s.

    Args:
        rows: The lines of ``disks.csv``, one a sample and device.

    Returns:
        ``None`` twice without two samples of a device, the second alone where it had no request.
    """
    by_device: dict[str, list[Mapping[str, str]]] = {}
    for row in rows:
        by_device.setdefault(row["device"], []).append(row)
    grown = [_grown(found[0], found[-1]) for found in by_device.values() if len(found) > 1]
    busiest = max(grown, key=lambda one: one["busy_s"], default=None)
    passed_s = (float(rows[-1]["mono_ns"]) - float(rows[0]["mono_ns"])) / 1e9 if rows else 0.0
    if busiest is None or passed_s <= 0:
        return None, None
    requests = busiest["reads_count"] + busiest["writes_count"]
    latency_s = (busiest["read_s"] + busiest["write_s"]) / requests if requests else None
    return busiest["busy_s"] / passed_s, latency_s


def _grown(first: Mapping[str, str], last: Mapping[str, str]) -> dict[str, float]:
    return {name: float(last[name] or 0) - float(first[name] or 0) for name in NAMES}
