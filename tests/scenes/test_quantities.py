"""Both ends of every range that a scene may ask for, and what lies just beyond."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.model.work.placement import Pinning
from assay.scenes.forms import quantities
from assay.scenes.values.expected import ExpectedError

MIB, GIB = 1024**2, 1024**3
Read = Callable[[object], object]


@pytest.mark.parametrize(
    ("read", "written", "value"),
    [
        (quantities.whole(3, 9), 3, 3),
        (quantities.whole(3, 9), 9, 9),
        (quantities.levels(3, 9), 3, (3,)),
        (quantities.levels(3, 9), [9, 3], (9, 3)),
        (quantities.vcpus, "auto", None),
        (quantities.vcpus, 1, 1),
        (quantities.vcpus, 1024, 1024),
        (quantities.size("1 MiB", "1 GiB"), "1 MiB", MIB),
        (quantities.size("1 MiB", "1 GiB"), "1024 MiB", GIB),
        (quantities.record("4 KiB", "1 MiB"), "4 KiB", 4096),
        (quantities.record("4 KiB", "1 MiB"), "1 MiB", MIB),
        (quantities.rate("1 kB/s", "1 MB/s"), "1 kB/s", 1000),
        (quantities.rate("1 kB/s", "1 MB/s"), "1 MB/s", 10**6),
        (quantities.seconds("1 s", "1 h"), "1 s", 1.0),
        (quantities.seconds("1 s", "1 h"), "60 min", 3600.0),
        (quantities.whole_seconds("1 s", "1 h"), "2000 ms", 2),
        (quantities.QUOTA, "100 %", 1.0),
        (quantities.PAUSE, "90 %", 0.9),
        (quantities.CONFIDENCE, "50 %", 0.5),
        (quantities.CONFIDENCE, "99.99 %", 0.9999),
        (quantities.PRECISION, "99.99 %", 0.9999),
        (quantities.MARGIN, "0.01 %", 0.0001),
        (quantities.QUOTA, "57 %", 0.57),
        (quantities.pinning, "none", Pinning.NONE),
        (quantities.pinning, [0, 65535], ((0, 65535),)),
        (quantities.nodes, [[0], [65535]], ((0,), (65535,))),
    ],
)
def test_both_ends_of_a_range_are_taken(read: Read, written: object, value: object) -> None:
    assert read(written) == value


@pytest.mark.parametrize(
    ("read", "written"),
    [
        (quantities.whole(3, 9), 2),
        (quantities.whole(3, 9), 10),
        (quantities.whole(0, 9), True),
        (quantities.whole(3, 9), 3.0),
        (quantities.levels(3, 9), 2),
        (quantities.levels(3, 9), [3, 10]),
        (quantities.levels(3, 9), [3, 4, 3]),
        (quantities.levels(0, 9), [1, True]),
        (quantities.levels(3, 9), []),
        (quantities.vcpus, 0),
        (quantities.vcpus, 1025),
        (quantities.vcpus, True),
        (quantities.size("1 MiB", "1 GiB"), "1048575 B"),
        (quantities.size("1 MiB", "1 GiB"), "1073741825 B"),
        (quantities.record("4 KiB", "1 MiB"), "0 KiB"),
        (quantities.record("4 KiB", "1 MiB"), "6 KiB"),
        (quantities.record("4 KiB", "1 MiB"), "1028 KiB"),
        (quantities.rate("1 kB/s", "1 MB/s"), "999 B/s"),
        (quantities.rate("1 kB/s", "1 MB/s"), "1000001 B/s"),
        (quantities.seconds("1 s", "1 h"), "999 ms"),
        (quantities.seconds("1 s", "1 h"), "3601 s"),
        (quantities.whole_seconds("1 s", "1 h"), "1500 ms"),
        (quantities.whole_seconds("1 s", "1 h"), "3601 s"),
        (quantities.QUOTA, "0 %"),
        (quantities.QUOTA, "100.01 %"),
        (quantities.PAUSE, "0 %"),
        (quantities.PAUSE, "90.01 %"),
        (quantities.CONFIDENCE, "49.99 %"),
        (quantities.CONFIDENCE, "99.991 %"),
        (quantities.PRECISION, "0 %"),
        (quantities.PRECISION, "100 %"),
        (quantities.MARGIN, "0 %"),
        (quantities.MARGIN, "100 %"),
        (quantities.pinning, [0, 65536]),
        (quantities.pinning, [-1]),
        (quantities.pinning, "every"),
        (quantities.nodes, []),
        (quantities.nodes, [[0], []]),
        (quantities.nodes, [True]),
    ],
)
def test_what_lies_beyond_a_range_is_refused(read: Read, written: object) -> None:
    with pytest.raises(ExpectedError):
        read(written)


@given(numbers=st.lists(st.integers(0, 12) | st.booleans(), max_size=5))
def test_a_list_of_levels_is_taken_whole_and_in_its_order_or_not_at_all(numbers: list[int]) -> None:
    good = bool(numbers) and len(set(numbers)) == len(numbers)
    good = good and all(type(one) is int and 3 <= one <= 9 for one in numbers)
    try:
        assert quantities.levels(3, 9)(list(numbers)) == tuple(numbers)
    except ExpectedError:
        assert not good
    else:
        assert good
