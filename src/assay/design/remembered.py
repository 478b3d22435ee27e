"""What is computed of the same plan and records again and again, while one page is made."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_KEPT: ContextVar[dict[Any, tuple[Any, tuple[Any, ...]]] | None] = ContextVar("remembered", default=None)


@contextmanager
def remembering() -> Iterator[None]:
    """Have ``remembered`` functions keep what they return until the end; within another, until its end.

    What they are given must not be changed meanwhile.
    """
    if _KEPT.get() is not None:
        yield
        return
    token = _KEPT.set({})
    try:
        yield
    finally:
        _KEPT.reset(token)


def remembered(function: Callable[P, T]) -> Callable[P, T]:
    """Return a function that computes nothing twice of the very same objects while something remembers.

    What it returns is shared by its callers, who do not change it.
    """

    @wraps(function)
    def once(*args: P.args, **named: P.kwargs) -> T:
        kept = _KEPT.get()
        if kept is None:
            return function(*args, **named)
        given = (*args, *named.values())
        key = (function, *(_key(one) for one in given), *named)
        if key not in kept:
            kept[key] = function(*args, **named), given  # with what it was given: no other takes its number
        value: T = kept[key][0]
        return value

    return once


def _key(given: object) -> object:
    """Return what tells an argument from others: small ones by their value, others by what they are."""
    return given if isinstance(given, str | int | float | None) else id(given)
