"""The same work on many machines at once; what one of them costs, the others do not wait for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Generic, TypeVar

from assay.model.errors import AssayError
from assay.model.machines.machine import Machine

T = TypeVar("T")

AT_ONCE = 32
"""Machines that are worked on at one time."""


@dataclass(frozen=True)
class Outcome(Generic[T]):
    """What became of the work on one machine.

    Attributes:
        machine: Its name.
        value: What the work returned; ``None`` where it did not.
        error: Why it did not; ``None`` where it did.
    """

    machine: str
    value: T | None = None
    error: AssayError | None = None


def side_by_side(
    machines: Sequence[Machine],
    work: Callable[[Machine], T],
    over: Callable[[Outcome[T]], None] = lambda _: None,
) -> tuple[Outcome[T], ...]:
    """Do something with each machine, up to ``AT_ONCE`` at a time; return what became of it, in their order.

    Args:
        machines: Which.
        work: What to do; an ``AssayError`` is kept for its machine, any other ends all.
        over: Is told of each as soon as it is done.
    """

    def one(machine: Machine) -> Outcome[T]:
        try:
            return Outcome(machine.name, work(machine))
        except AssayError as error:
            return Outcome(machine.name, error=error)

    with ThreadPoolExecutor(max_workers=min(AT_ONCE, len(machines))) as pool:
        waiting = [pool.submit(one, machine) for machine in machines]
        for done in as_completed(waiting):
            over(done.result())
        return tuple(done.result() for done in waiting)
