"""Only a test that passes without the mistake may notice it."""

from __future__ import annotations

from campaign.confirm import Confirmation
from campaign.forked import Ended

TESTS = ["a", "b", "c"]


def ends(failed: str) -> Ended:
    return Ended(int(bool(failed)), failed, 0.1, late=False)


class Runs:
    """Runs of tests of which some always fail."""

    def __init__(self, *failing: str) -> None:
        self.failing, self.asked = failing, []

    def __call__(self, names: list[str]) -> Ended:
        self.asked.append(names)
        return ends(next((name for name in names if name in self.failing), ""))


def test_a_failure_counts_where_the_test_passes_without_the_mistake() -> None:
    control = Runs()
    confirmation = Confirmation(control)
    assert confirmation.run(TESTS, Runs("b")) == ends("b")
    assert control.asked == [["a", "b"]]
    assert confirmation.run(TESTS, Runs("b")) == ends("b")
    assert len(control.asked) == 1, "a test is confirmed once"


def test_a_test_that_fails_anyhow_judges_nothing_and_the_others_are_asked() -> None:
    confirmation = Confirmation(Runs("a", "b"))
    assert confirmation.run(TESTS, Runs("a", "b", "c")) == ends("c")
    assert confirmation.doubtful == ["a", "b"]
    assert confirmation.run(TESTS, Runs("a", "b")) == ends("")


def test_what_survives_is_late_or_cannot_be_collected_is_not_asked_again() -> None:
    control = Runs("a")
    confirmation = Confirmation(control)
    assert confirmation.run(TESTS, Runs()) == ends("")
    late = Ended(-9, "a", 9.0, late=True)
    assert confirmation.run(TESTS, lambda _: late) == late
    refused = Ended(2, "the tests cannot be collected", 1.0, late=False)
    assert confirmation.run(TESTS, lambda _: refused) == refused
    assert control.asked == []


def test_a_mistake_that_no_test_can_be_asked_about_survives() -> None:
    confirmation = Confirmation(Runs("a"))
    confirmation.doubtful = ["a"]
    asked = Runs("a")
    assert confirmation.run(["a"], asked).code == 0
    assert asked.asked == []
