"""What is written of a level, and the one spelling under which it is kept."""

from __future__ import annotations

import pytest

from assay.factors.base.levels import SWITCH, LevelError, Pattern, Size, Whole, Words

CACHES = Words(("none", "writeback"))
CPUS = Pattern(r"[0-9]+(-[0-9]+)?", "a set of processors", ("0-1",))
SIZE = Size("8 MiB", "8 GiB", ("64 MiB", "1024 MiB"), step=1 << 20)


@pytest.mark.parametrize(
    ("levels", "written", "kept"),
    [
        (CACHES, "none", "none"),
        (SWITCH, "on", "on"),
        (Whole(1, 8, (1,)), 4, "4"),
        (Whole(1, 8, (1,)), " 04 ", "4"),
        (SIZE, "1024 MiB", "1 GiB"),
        (SIZE, "1.5GiB", "1536 MiB"),
        (CPUS, " 0-1 ", "0-1"),
        (CPUS, 1, "1"),
    ],
)
def test_a_level_has_one_spelling(
    levels: Words | Whole | Size | Pattern, written: str | int, kept: str
) -> None:
    assert levels.read(written) == kept
    assert levels.read(kept) == kept


@pytest.mark.parametrize(
    ("levels", "written", "expected", "nearest"),
    [
        (CACHES, "writback", "one of none, writeback", "writeback"),
        (SWITCH, True, "one of on, off", None),
        (Whole(1, 8, (1,)), 9, "a whole number from 1 to 8", None),
        (Whole(1, 8, (1,)), True, "a whole number from 1 to 8", None),
        (Whole(1, 8, (1,)), "2.5", "a whole number from 1 to 8", None),
        (SIZE, "64", "a size from 8 MiB to 8 GiB, like '64 MiB'", None),
        (SIZE, "4 MiB", "a size from 8 MiB to 8 GiB, like '64 MiB'", None),
        (SIZE, "8193 KiB", "a size from 8 MiB to 8 GiB, like '64 MiB', a multiple of 1 MiB", None),
        (CPUS, "0-", "a set of processors, like '0-1'", None),
        (CPUS, ["0"], "a set of processors, like '0-1'", None),
    ],
)
def test_what_is_no_level_is_refused_with_what_was_expected(
    levels: Words | Whole | Size | Pattern, written: object, expected: str, nearest: str | None
) -> None:
    with pytest.raises(LevelError) as error:
        levels.read(written)
    assert (error.value.expected, error.value.nearest) == (expected, nearest)
