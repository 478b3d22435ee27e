"""A test that fails with a mistake must pass without it, run after the same tests."""

from __future__ import annotations

from collections.abc import Callable

from campaign.forked import Ended

Run = Callable[[list[str]], Ended]
"""Runs tests until one fails, whose name is told."""


class Confirmation:
    """Knows the tests that can be relied on.

    The first time that a test notices a mistake, the tests before it and itself are run without one. A test
    that fails there as well judges nothing from then on: a busy machine, or the order of the tests, must not
    kill a mutant.
    """

    def __init__(self, control: Run) -> None:
        self._control = control
        self._trusted: set[str] = set()
        self.doubtful: list[str] = []

    def run(self, names: list[str], with_mistake: Run) -> Ended:
        """Return how the tests end with the mistake, by tests that can be relied on."""
        while True:
            left = [name for name in names if name not in self.doubtful]
            if not left:
                return Ended(0, "", 0.0, late=False)
            ended = with_mistake(left)
            if ended.code == 0 or ended.late or self._relied_on(left, ended.told):
                return ended

    def _relied_on(self, names: list[str], failed: str) -> bool:
        if failed in self._trusted or failed not in names:
            return True
        control = self._control(names[: names.index(failed) + 1])
        if control.code == 0:
            self._trusted.add(failed)
            return True
        self.doubtful.append(control.told if control.told in names else failed)
        return False
