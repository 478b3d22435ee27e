"""Sizes by rule, and the sentence where a rule could not be kept."""

import pytest

from assay.model.units import BYTES
from assay.workloads import Sizes
from assay.workloads.sizes import fio_file_bytes, stream_array_bytes

MIB, GIB = BYTES["MiB"], BYTES["GiB"]


@pytest.mark.parametrize("cache", [33 * MIB, int(35.8 * MIB), 64 * MIB, 64 * MIB + 1])
def test_a_stream_array_is_at_least_four_times_the_caches_in_whole_mebibytes(cache: int) -> None:
    size = stream_array_bytes(Sizes(cache, 64 * GIB, 1)).count
    assert 4 * cache <= size < 4 * cache + MIB
    assert size % MIB == 0


@pytest.mark.parametrize("cache", [0, 256 * 1024, 8 * MIB])
def test_a_small_cache_still_gets_arrays_of_32_mebibytes(cache: int) -> None:
    sized = stream_array_bytes(Sizes(cache, 2 * GIB, 1))
    assert sized.count == 32 * MIB
    assert "at least four times" in sized.note


def test_an_unknown_cache_is_said() -> None:
    sized = stream_array_bytes(Sizes(None, 2 * GIB, 1))
    assert sized.count == 128 * MIB
    assert "not known" in sized.note


@pytest.mark.parametrize("memory", [256 * MIB, 512 * MIB, GIB])
def test_arrays_that_do_not_fit_are_the_largest_that_do_and_the_note_says_so(memory: int) -> None:
    sized = stream_array_bytes(Sizes(256 * MIB, memory, 1))
    assert 3 * sized.count <= 0.6 * memory < 3 * (sized.count + MIB)
    assert "rule was not met" in sized.note


@pytest.mark.parametrize(
    ("memory", "expected"),
    [(256 * MIB, 128 * MIB), (GIB, 128 * MIB), (2 * GIB, 256 * MIB), (8 * GIB, GIB), (512 * GIB, GIB)],
)
def test_the_disk_file_is_an_eighth_of_the_memory_within_bounds(memory: int, expected: int) -> None:
    sized = fio_file_bytes(Sizes(None, memory, 1))
    assert sized.count == expected
    assert ("kept between" in sized.note) == (expected * 8 != memory)


@pytest.mark.parametrize(
    ("cache", "memory", "count", "met"),
    [
        (480 * MIB, 2 * GIB, 64 * MIB, False),
        (8 * MIB, 2 * GIB, 32 * MIB, True),
        (16 * MIB, 2 * GIB, 64 * MIB, True),
        (480 * MIB, 256 * MIB, 51 * MIB, False),
    ],
)
def test_for_emulated_guests_arrays_are_at_most_64_mib(
    cache: int, memory: int, count: int, *, met: bool
) -> None:
    found = stream_array_bytes(Sizes(cache, memory, 1, emulated=True))
    assert (found.count, found.rule_met) == (count, met)
    assert ("the guest is emulated" in found.note) is (count == 64 * MIB and not met)
