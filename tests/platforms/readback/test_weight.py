"""What a guest weighs, from QEMU's files."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest

from assay.platforms.readback.host_view import HostView
from assay.platforms.readback.weight import kilobytes, weigh

MIB = 1 << 20


@dataclass
class Seen:
    ram: dict[str, str]
    status: dict[str, str]
    started_s: float = 0.0

    def process_file(self, name: str) -> str:
        assert name == "stat"
        ticks = int(self.started_s * os.sysconf("SC_CLK_TCK"))
        return f"7 (qemu (x)) S {' '.join(['0'] * 18)} {ticks} 0 0"


def disk(folder: Path) -> Path:
    file = folder / "disk.img"
    file.write_bytes(b"x" * MIB)
    return file


def test_what_qemu_holds_beside_the_guests_memory_is_told_apart(tmp_path: Path) -> None:
    seen = Seen({"Rss": "300 kB", "Private_Hugetlb": "0 kB"}, {"VmRSS": "500 kB", "HugetlbPages": "0 kB"})
    seen.started_s = time.clock_gettime(time.CLOCK_BOOTTIME) - 60
    weight = weigh(cast("HostView", seen), memory_bytes=512 * MIB, disk=disk(tmp_path))
    assert weight is not None
    assert (weight.memory_bytes, weight.touched_bytes, weight.beside_bytes) == (
        512 * MIB,
        300 << 10,
        200 << 10,
    )
    assert weight.disk_bytes >= MIB
    assert weight.age_s == pytest.approx(60, abs=5)


def test_memory_in_huge_pages_counts_though_it_is_not_resident_for_the_kernel(tmp_path: Path) -> None:
    seen = Seen({"Rss": "0 kB", "Private_Hugetlb": "2048 kB"}, {"VmRSS": "100 kB", "HugetlbPages": "2048 kB"})
    weight = weigh(cast("HostView", seen), memory_bytes=2 * MIB, disk=disk(tmp_path))
    assert weight is not None
    assert (weight.touched_bytes, weight.beside_bytes) == (2 * MIB, 100 << 10)


def test_memory_that_is_not_found_is_not_told(tmp_path: Path) -> None:
    assert weigh(cast("HostView", Seen({}, {})), memory_bytes=MIB, disk=disk(tmp_path)) is None


def test_fields_that_are_not_there_count_nothing() -> None:
    assert kilobytes({"Rss": "4 kB"}, "Rss", "Swap") == 4096
