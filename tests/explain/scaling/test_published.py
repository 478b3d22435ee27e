"""PROOF on one node (Chen et al. 2007): the rules say of its published limits what the talk says.

The talk gives limits, not the rates of each worker count: curves of that shape are laid through them.
"""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest

from assay.explain.scaling import Resource, Scaling, scaling_of
from tests.explain.scaling.curves import Shape, bent, measured, plateau

REFERENCE = Path(__file__).parents[2] / "reference" / "proof_2007_findings.csv"
RAID, SINGLE = "RAID 5 of 8 disks, all branches", "single disk, all branches"
CACHED, PRELOAD = "RAID 5 of 8 disks, data already in the page cache", "RAID 5 of 8 disks, Xrootd preload"


def finding(name: str, condition: str) -> float:
    """Return a published figure; shares as fractions."""
    with REFERENCE.open(newline="") as file:
        rows = [r for r in csv.DictReader(file) if (r["finding"], r["condition"]) == (name, condition)]
    return float(rows[0]["low"]) / (100 if rows[0]["unit"] == "percent" else 1)


def node(shape: Shape, *, cpu_share: float, disk: float | None = None) -> Scaling:
    """Return a node of eight processors whose figures follow its rate up to those published."""
    top = max(shape(count) for count in range(1, 13))
    points = measured(shape, counts=(1, 2, 4, 6, 8, 10, 12), noise=0.005)
    return scaling_of(
        [
            replace(
                point,
                processors=8,
                cpu_share=cpu_share * shape(point.workers) / top,
                disk_bytes_per_s=None if disk is None else disk * 1e6 * shape(point.workers) / top,
            )
            for point in points
        ]
    )


def test_raid_leaves_its_line_between_six_workers_and_eight_and_is_best_with_eight_by_its_throughput() -> (
    None
):
    limited, best = finding("scaling_limited_from", RAID), int(finding("best_workers", RAID))

    def shape(workers: float) -> float:
        return bent(limited, 0.35)(min(workers, best))

    scaling = node(shape, cpu_share=0.6, disk=finding("disk_throughput", RAID))
    assert scaling.knee is not None
    assert limited - 0.1 <= scaling.knee.workers <= best
    assert scaling.best == best
    assert scaling.saturation.resource is Resource.DISK_THROUGHPUT
    assert "55 MB/s" in scaling.saturation.sentence or "54" in scaling.saturation.sentence


def test_a_single_disk_is_best_with_two_workers_at_a_quarter_of_the_processors() -> None:
    best = int(finding("best_workers", SINGLE))
    scaling = node(
        plateau(best), cpu_share=finding("cpu_use", SINGLE), disk=finding("disk_throughput", SINGLE)
    )
    assert scaling.knee is not None
    assert scaling.knee.workers == pytest.approx(best, rel=0.02)
    assert scaling.best == best
    assert scaling.saturation.resource is Resource.DISK_THROUGHPUT
    assert "25 MB/s" in scaling.saturation.sentence
    assert "25% busy" in scaling.saturation.sentence


def test_data_in_the_page_cache_leaves_the_processors_as_the_limit() -> None:
    assert node(plateau(8), cpu_share=finding("cpu_use", CACHED)).saturation.resource is Resource.CPU


def test_preloaded_data_are_best_with_six_workers_by_the_disk_again() -> None:
    best = int(finding("best_workers", PRELOAD))
    scaling = node(
        plateau(best), cpu_share=finding("cpu_use", PRELOAD), disk=finding("disk_throughput", PRELOAD)
    )
    assert scaling.best == best
    assert scaling.saturation.resource is Resource.DISK_THROUGHPUT
