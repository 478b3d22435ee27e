"""What becomes of jobs that start on one machine, by arithmetic."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.stats.starts.course import KEPT_S, Files, Start, Startup, course

TWO = Startup(10.0, fed=2.0, kept=0.2)


def seconds(starts: list[Start], of: Startup = TWO) -> list[float]:
    return [round(found, 9) for found, _ in course(starts, of)]


def at(guest: str, moment: float, ended: float = 100.0) -> Start:
    return Start(guest, moment, ended)


@pytest.mark.parametrize(("guests", "each"), [(1, 10.0), (2, 10.0), (3, 15.0), (12, 60.0)])
def test_guests_that_start_at_once_share_the_disk(guests: int, each: float) -> None:
    assert seconds([at(f"g{one}", 5.0) for one in range(guests)]) == [each] * guests
    assert TWO.together_s(guests) == each


def test_without_a_limit_nobody_waits() -> None:
    starts = [at(f"g{one}", one / 2) for one in range(50)]
    assert seconds(starts, Startup(10.0)) == [10.0] * 50
    assert Startup(10.0).together_s(50) == 10.0


def test_one_that_comes_later_slows_down_the_others_from_then_on() -> None:
    """a and b read alone to 4 s; three share until a and b have their 10 s at 4 + 6 * 1.5; c has 4 s left."""
    assert seconds([at("a", 0.0), at("b", 0.0), at("c", 4.0)]) == [13.0, 13.0, 13.0]


def test_jobs_of_one_guest_read_once() -> None:
    starts = [at("a", 0.0), at("a", 0.0), at("a", 9.0), at("b", 0.0), at("c", 0.0)]
    found = course(sorted(starts, key=lambda one: one.at_s), TWO)
    assert [files for _, files in found] == [
        Files.DISK,
        Files.FOLLOWED,
        Files.DISK,
        Files.DISK,
        Files.FOLLOWED,
    ]
    assert [round(took, 9) for took, _ in found] == [15.0, 15.0, 15.0, 15.0, 6.0]
    assert seconds([at("a", 0.0), at("a", 9.5)], Startup(10.0, kept=0.5)) == [10.0, 5.0], (
        "its own part is left"
    )


def test_what_was_read_stays_for_an_hour_after_the_last_job() -> None:
    starts = [at("a", 0.0, 50.0), at("a", 20.0, 60.0), at("a", 60.0 + KEPT_S, 9000.0), at("a", 12700.0)]
    found = course(starts, TWO)
    assert [files for _, files in found] == [Files.DISK, Files.MEMORY, Files.MEMORY, Files.DISK]
    assert seconds(starts) == [10.0, 2.0, 2.0, 10.0]


def test_a_job_that_ended_before_its_guest_had_read_keeps_nothing_longer() -> None:
    starts = [at("a", 0.0, 3.0), at("a", 10.0 + KEPT_S, 9999.0), at("a", 50_000.0)]
    assert [files for _, files in course(starts, TWO)] == [Files.DISK, Files.MEMORY, Files.DISK]


def test_no_start_is_no_course() -> None:
    assert course([], TWO) == []


@given(
    st.lists(st.tuples(st.integers(0, 5), st.floats(0, 1000)), max_size=40),
    st.floats(1, 100),
    st.floats(1, 10),
    st.floats(0.01, 1),
)
def test_nobody_is_faster_than_alone_and_work_is_kept(
    jobs: list[tuple[int, float]], alone: float, fed: float, kept: float
) -> None:
    starts = sorted(
        (Start(f"g{guest}", moment, moment + 2000) for guest, moment in jobs), key=lambda s: s.at_s
    )
    found = course(starts, Startup(alone, fed, kept))
    readers = 0
    for took, files in found:
        least = {Files.DISK: alone, Files.FOLLOWED: alone * kept, Files.MEMORY: alone * kept}[files]
        assert took >= least * (1 - 1e-9)
        readers += files is Files.DISK
    assert readers == len({start.guest for start in starts})
    longest = alone * max(1.0, readers / fed)
    assert all(took <= longest * (1 + 1e-6) + 1e-6 for took, _ in found)
    assert math.isfinite(sum(took for took, _ in found))
