"""The checks on published figures: HEPscore at IJCLab (2022), Bonnie++ of ATLAS (2011)."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import pytest

from assay.explain.sanity import Gain, Pair, sanity_doubts, score_against_wall
from assay.explain.sanity.storage import round_limit
from assay.model.metric import Measurement
from assay.model.trial import Usage
from assay.model.work.page_cache import CacheSpec, CacheState
from assay.model.work.placement import PlacementSpec
from assay.report.doubts import worded
from tests.builders import RATE, WORKLOAD
from tests.explain.sanity.both import QUIET, both

REFERENCE = Path(__file__).parents[2] / "reference"
METAL, GUESTS = "bare metal R6525", "2 VMs of 128 vCPU on R6525"
KB = 1024
"""Bonnie++ 1.96 counts in KiB."""


def rows(name: str) -> list[dict[str, str]]:
    with (REFERENCE / name).open(newline="") as file:
        return list(csv.DictReader(file))


def finding(name: str, where: str) -> float:
    """Return a figure of the IJCLab study; shares as fractions."""
    (row,) = (r for r in rows("ijclab_2022_findings.csv") if r["finding"] == name and where in r["condition"])
    return float(row["low"]) / (100 if row["unit"] == "percent" else 1)


def published(where: str) -> Usage:
    """Return the totals of one copy as published: wall time, job efficiency, system share."""
    wall_s = finding("wall_time", where)
    cpu_s = wall_s * finding("job_efficiency", where)
    system_s = cpu_s * finding("system_cpu_share", where)
    return Usage(wall_s, cpu_s - system_s, system_s, 1 << 30, None, None)


def powheg() -> Pair:
    workload = replace(WORKLOAD, parser="usage", placement=PlacementSpec())
    return both(published(METAL), published(GUESTS), workload=workload)


def test_the_two_performances_of_ijclab_have_the_ratios_that_the_talk_shows() -> None:
    assert finding("score", GUESTS) / finding("score", METAL) == pytest.approx(1.15, abs=0.005)
    assert finding("wall_time", METAL) / finding("wall_time", GUESTS) == pytest.approx(4.39, abs=0.005)


def test_the_anomaly_of_ijclab_is_doubted_and_explained_by_the_kernels_share() -> None:
    slowdown = finding("score", METAL) / finding("score", GUESTS)
    found = {
        d.code: worded(d).sentence
        for d in sanity_doubts([powheg()], [Gain("spin", ("score",), slowdown)], interval_s=1)
    }
    assert set(found) == {"job-efficiency", "system-share", "treatment-faster"}
    assert "90% on host and 19% on other" in found["job-efficiency"]
    assert found["system-share"].startswith("96% of the CPU time")
    assert "(1.15 times, 4.39 times by wall time)" in found["treatment-faster"]
    assert "in the kernel, other 23%, at a job efficiency of 90% and 19%" in found["treatment-faster"]


def test_the_two_performances_of_ijclab_contradict_each_other() -> None:
    pair = powheg()
    scores = {
        METAL: replace(pair.baseline.trials[0], measurements=(Measurement(RATE, finding("score", METAL)),)),
        GUESTS: replace(
            pair.treatment.trials[0], measurements=(Measurement(RATE, finding("score", GUESTS)),)
        ),
    }
    arms = {
        "baseline": replace(pair.baseline, trials=(scores[METAL],)),
        "treatment": replace(pair.treatment, trials=(scores[GUESTS],)),
    }
    (doubt,) = score_against_wall(replace(pair, **arms))
    assert "events 1.15 times that of host, and the wall time 4.39 times shorter" in worded(doubt).sentence


def test_the_published_write_rate_of_the_anomaly_is_a_round_one() -> None:
    assert round_limit(finding("write_rate", METAL) * 1e6) == "100 MB/s"


def bonnie(configuration: str, column: str) -> float:
    """Return a mean rate in bytes/s."""
    return KB * fmean(
        float(r[column]) for r in rows("atlas_2011_bonnie.csv") if r["configuration"] == configuration
    )


def test_cernvm_read_its_four_gib_file_far_faster_than_any_disk_below_it_wrote() -> None:
    ratio = {
        name: bonnie(name, "get_block_kb_s") / bonnie(name, "put_block_kb_s")
        for name in ("Homebrew_c26", "CernVM_c23", "VMware2")
    }
    assert ratio["CernVM_c23"] > 4
    assert ratio["Homebrew_c26"] < 2
    assert ratio["VMware2"] < 1


def test_reads_of_cernvm_are_told_as_memorys_where_the_kernel_counts_them() -> None:
    size = 4 << 30
    wall_s = size / bonnie("CernVM_c23", "get_block_kb_s")
    disk_s = size / bonnie("CernVM_c23", "put_block_kb_s")
    cached = replace(QUIET, wall_s=wall_s, logical_read_bytes=size, read_bytes=0)
    disk = replace(QUIET, wall_s=disk_s, logical_read_bytes=size, read_bytes=size)
    cold = replace(WORKLOAD, parser="usage", cache=CacheSpec(CacheState.COLD))
    doubts = [
        worded(d).sentence for d in sanity_doubts([both(disk, cached, workload=cold)], [], interval_s=1.0)
    ]
    assert any("read 4 GiB on other and storage delivered 0 B" in sentence for sentence in doubts)
