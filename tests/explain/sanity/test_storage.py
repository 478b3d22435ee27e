"""A throttle instead of a disk, memory instead of a disk."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from assay.explain.sanity import Sampled
from assay.explain.sanity.storage import cached_reads, flat_rate, flat_write_rate, round_limit
from assay.model.machines.machine import Limits
from assay.model.work.page_cache import CacheSpec, CacheState
from assay.report.doubts import worded
from tests.builders import WORKLOAD
from tests.explain.sanity.both import HERE, QUIET, THERE, both

SECONDS = np.arange(40.0)
GIB = 1 << 30


def written(rates: np.ndarray) -> Sampled:
    """Return a trial that wrote at these rates, bytes/s, second by second."""
    return Sampled(flat_rate(SECONDS[: len(rates) + 1], totals_of(rates)))


def totals_of(rates: np.ndarray) -> np.ndarray:
    """Return the bytes written until each second."""
    return np.concatenate([[0.0], np.cumsum(rates)])


def noisy(rate: float, share: float) -> np.ndarray:
    """Return 30 seconds at a rate with this relative noise."""
    return rate * (1 + share * np.random.default_rng(7).standard_normal(30))


def test_a_write_rate_that_stands_at_a_round_figure_is_a_limit() -> None:
    (doubt,) = flat_write_rate(both(sampled={THERE.name: written(noisy(100e6, 0.004))}))
    assert doubt.code == "flat-write-rate"
    assert "on other wrote at 99.85 MB/s" in worded(doubt).sentence
    assert worded(doubt).sentence.endswith("close to 100 MB/s: a limit, not a disk.")
    limited = {"limits": Limits(write_bytes_per_s=100_000_000)}
    (doubt,) = flat_write_rate(both(sampled={THERE.name: written(noisy(100e6, 0.004))}, there=limited))
    assert "(the plan limits it to 100 MB/s)" in worded(doubt).sentence


@pytest.mark.parametrize("rates", [noisy(100e6, 0.08), noisy(87.3e6, 0.004), np.full(5, 100e6)])
def test_a_disks_rate_varies_or_is_not_round_and_five_seconds_say_nothing(rates: np.ndarray) -> None:
    assert list(flat_write_rate(both(sampled={HERE.name: written(rates)}))) == []


def test_pauses_and_unknown_samples_do_not_hide_a_limit() -> None:
    rates = noisy(50 * 2**20, 0.003)
    rates[10:15] = 0
    totals = totals_of(rates)
    totals[20] = np.nan
    assert flat_rate(SECONDS[:31], totals) == pytest.approx(50 * 2**20, rel=0.01)
    assert round_limit(50 * 2**20) == "50 MiB/s"
    assert round_limit(333e6) is None


def test_a_trial_without_series_is_not_judged() -> None:
    assert list(flat_write_rate(both(sampled={HERE.name: Sampled()}))) == []


COLD = replace(WORKLOAD, parser="usage", cache=CacheSpec(CacheState.COLD))
FETCHED = replace(QUIET, logical_read_bytes=4 * GIB, read_bytes=4 * GIB)
CACHED = replace(QUIET, logical_read_bytes=4 * GIB, read_bytes=1 << 20)


def test_a_disk_read_that_memory_served_is_doubted() -> None:
    (doubt,) = cached_reads(both(CACHED, FETCHED, workload=COLD))
    assert doubt.code == "cached-reads"
    assert "read 4 GiB on host and storage delivered 1 MiB" in worded(doubt).sentence
    assert list(cached_reads(both(FETCHED, FETCHED, workload=COLD))) == []


def test_arms_that_read_from_different_places_are_doubted_whatever_the_workload_claims() -> None:
    user = replace(WORKLOAD, parser="usage")
    (doubt,) = cached_reads(both(FETCHED, CACHED, workload=user))
    assert (
        "fetched 4 GiB from storage on host, while memory served its 4 GiB on other" in worded(doubt).sentence
    )
    assert list(cached_reads(both(CACHED, CACHED, workload=user))) == []


def test_small_reads_and_unknown_ones_are_not_doubted() -> None:
    unknown = replace(CACHED, read_bytes=None)
    assert list(cached_reads(both(QUIET, QUIET, workload=COLD))) == []
    assert list(cached_reads(both(unknown, unknown, workload=COLD))) == []
