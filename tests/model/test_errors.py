"""What a wrong name is told."""

from __future__ import annotations

import pytest

from assay.model.errors import UnknownNameError, choices


@pytest.mark.parametrize(
    ("names", "known"),
    [
        (["b", "a"], "a, b"),
        ([f"trial-{number}" for number in range(1, 241)], "trial-1 to trial-240"),
        ([f"n{number:02}" for number in range(1, 13)], "n01 to n09, n10, n11, n12"),
        (["nfs3", "nfs4", "loss"], "loss, nfs3, nfs4"),
        (["c1", "c2", "c4", "c8", "c16", "c32"], "c1, c16, c2, c32, c4, c8"),
        (["9" * 5000], "9" * 5000),  # no number that int() refuses to read
        ([], "none"),
    ],
)
def test_many_names_that_are_numbered_through_are_told_as_the_first_to_the_last(
    names: list[str], known: str
) -> None:
    assert choices("wrong!", names) == f" (known: {known})"


def test_the_nearest_is_one_name_however_many_there_are() -> None:
    error = UnknownNameError("chart", "timeline-7x", [f"timeline-{number}" for number in range(9)])
    assert (
        str(error) == "unknown chart 'timeline-7x'; nearest: 'timeline-7' (known: timeline-0 to timeline-8)"
    )
    assert len(error.known) == 9
