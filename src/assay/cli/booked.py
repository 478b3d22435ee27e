"""What takes a machine for an activity, done at once or when no other activity measures it any more."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from assay.cli.progress import Lines, Live

T = TypeVar("T")
BOOKED_S = 5.0
"""A machine that another activity measures is looked at again after this, where it is waited for."""


def booked(act: Callable[[], T], shown: Lines | Live, *, waits: bool) -> T:
    """Do what takes a machine for an activity; where another measures it, again until it does not."""
    from assay.platforms.errors import ClaimedError

    while True:
        try:
            return act()
        except ClaimedError as error:
            if not waits:
                raise
            shown.step(f"waiting: {error.message}")
            time.sleep(BOOKED_S)
