"""The golden files: compared as they are, rewritten by ``REGENERATE=1 pytest tests/report``."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.model.metric import Direction
from assay.pages.comparison import ComparedResult, ComparisonPage, ComparisonRow, Name
from assay.pages.context import DoubtCount, Interval

ROOT = Path(__file__).parents[2]
GOLDEN = Path(__file__).parent / "golden"

Golden = Callable[[Path, str], None]


@pytest.fixture
def golden() -> Golden:
    """Compare a text with a file; rewrite the file instead where REGENERATE=1."""

    def compare(path: Path, text: str) -> None:
        if os.environ.get("REGENERATE") == "1":
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        assert path.read_bytes().decode() == text, (
            f"{path} differs; look, then: REGENERATE=1 pytest tests/report"
        )

    return compare


@pytest.fixture
def comparison() -> ComparisonPage:
    """Return a comparison written by hand: more, less, no difference, no scatter, too few blocks, not
    measured.
    """
    a = ComparedResult(
        "20261121-095312-7f3a", "quick", "Before", "complete", "2026-11-21T09:53:12Z", "host", "guest", "tcg"
    )
    b = ComparedResult(
        "20261122-080000-11aa", "quick", "After", "partial", "2026-11-22T08:00:00Z", "host", "guest", "kvm"
    )
    higher = Direction.HIGHER
    rows = (
        ComparisonRow("flops", "flop_per_s", "Gflop/s", higher, Interval(0.05, 0.045, 0.055, 3),
                      Interval(0.038, 0.034, 0.042, 3), -0.012, -0.019, -0.005),
        ComparisonRow("stream", "copy", "MB/s", higher, Interval(0.1, 0.08, 0.12, 3),
                      Interval(0.25, 0.21, 0.29, 3), 0.15, 0.11, 0.19),
        ComparisonRow("fio-random", "random_read_4k", "IO/s", higher, Interval(0.4, 0.2, 0.6, 3),
                      Interval(0.45, 0.3, 0.6, 3), 0.05, -0.22, 0.32),
        ComparisonRow("sysbench-cpu", "events", "events/s", higher, Interval(0.03, 0.027, 0.033, 12),
                      Interval(0.051, 0.049, 0.053, 8), 0.021, 0.0175, 0.0245),
        ComparisonRow("files", "count", "1", higher, Interval(0.03, 0.03, 0.03, 20),
                      Interval(0.05, 0.05, 0.05, 20), 0.02, None, None, "no scatter"),
        ComparisonRow("my<job>", "wall", "s", Direction.LOWER, Interval(0.1, None, None, 1),
                      Interval(0.2, 0.1, 0.3, 3), 0.1, None, None, "too few blocks"),
        ComparisonRow("fio-sequential", "seq_read", "MB/s", higher, None, Interval(0.2, 0.1, 0.3, 3), None,
        None, None),
    )  # fmt: skip
    doubts = (DoubtCount("accelerators-differ", "A ran by tcg, B by kvm.", 1),)
    return ComparisonPage(a, b, 0.95, rows, (Name("iperf3", "throughput"),), (), doubts)
