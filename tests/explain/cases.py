"""Cases for the rules of causes: seconds by category on both arms, and what was seen of both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from assay.explain.budget import Budget, budget
from assay.explain.evidence import Case, Seen
from assay.explain.split import Category

HOST = Seen("host", 10.0, io_known=True, queue_known=True)
GUEST = replace(HOST, label="guest", wall_s=20.0)
MIB = 1 << 20
Seconds = Mapping[Category, float]


def made(*blocks: tuple[Seconds, Seconds], phase: str = "total") -> Budget:
    """Return the budget of a job of one phase from its seconds by category."""
    return budget([tuple({(phase, c): s for c, s in arm.items()} for arm in pair) for pair in blocks])  # type: ignore[misc]


def case(
    here: Seconds | None = None, there: Seconds | None = None, *, base: Any = None, treated: Any = None
) -> Case:
    """Return a case of 10 s against 20 s of user time but for what is said of categories and of figures."""
    seconds = ({Category.USER: 10.0} | dict(here or {}), {Category.USER: 20.0} | dict(there or {}))
    return Case(made(seconds), replace(HOST, **(base or {})), replace(GUEST, **(treated or {})))
