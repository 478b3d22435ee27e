"""What is remembered while a page is made, and forgotten after it."""

from __future__ import annotations

from assay.design.remembered import remembered, remembering

CALLS: list[object] = []


@remembered
def total(values: list[int], name: str, *, twice: bool = False) -> int:
    CALLS.append((name, twice))
    return sum(values) * (2 if twice else 1)


def test_the_same_objects_are_computed_once_and_others_again() -> None:
    CALLS.clear()
    one, like_it = [1, 2], [1, 2]
    with remembering():
        for _ in range(3):
            assert total(one, "a") == 3
            assert total(like_it, "a") == 3
            assert total(one, "b") == 3
            assert total(one, "a", twice=True) == 6
    assert CALLS == [("a", False), ("a", False), ("b", False), ("a", True)]


def test_nothing_is_kept_outside_and_after_the_end() -> None:
    CALLS.clear()
    values = [1]
    assert total(values, "a") == 1
    values.append(1)
    assert total(values, "a") == 2
    with remembering():
        with remembering():
            assert total(values, "a") == 2
        assert total(values, "a") == 2  # the outer one goes on
    values.append(1)
    assert total(values, "a") == 3
    assert len(CALLS) == 4


def test_what_is_gone_is_not_taken_for_what_came_in_its_place() -> None:
    with remembering():
        for number in range(200):
            assert total([number], "a") == number
