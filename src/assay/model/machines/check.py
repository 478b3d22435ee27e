"""What a check of a machine has found."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Check:
    """One thing that a machine must have, or may have.

    Attributes:
        name: What was looked for.
        good: It serves as it is.
        sentence: What was found.
        optional: It is not there and may be missing: few workloads need it, so it is good all the same.
    """

    name: str
    good: bool
    sentence: str
    optional: bool = False

    @property
    def word(self) -> str:
        """Its state in one word: ``ok``, ``optional`` or ``missing``."""
        if not self.good:
            return "missing"
        return "optional" if self.optional else "ok"


@dataclass(frozen=True)
class Found:
    """What the last check of a machine has found.

    Attributes:
        machine: Its name.
        at_ns: When, ns since 1970 on this machine's clock.
        scene: Name of the scene that it was checked for; ``None`` is every ready workload.
        error: Why it could not be looked at; ``None`` where it could.
        checks: What it must have; empty where it could not be looked at.
    """

    machine: str
    at_ns: int
    scene: str | None
    error: str | None
    checks: tuple[Check, ...]

    @property
    def good(self) -> bool:
        """Whether it has all that it must have."""
        return self.error is None and all(check.good for check in self.checks)
