"""How much may be asked: requests in a time, and the size of one."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

MOST_BYTES = 1 << 20
"""Size of a request's body that is read; a scene is a few kilobytes."""
MOST_KNOWN = 10_000
"""Clients that are remembered; the one that was quiet longest is forgotten first."""


@dataclass(frozen=True)
class Rate:
    """How often something may be asked.

    Attributes:
        burst: Requests at once.
        per_s: Requests a second in the long run.
    """

    burst: int
    per_s: float


READS = Rate(burst=300, per_s=50.0)
WRITES = Rate(burst=30, per_s=1.0)
CHECKS = Rate(burst=60, per_s=4.0)
"""Of a text that is looked at as it is typed, which changes nothing: a page asks twice a second at most."""
SIGN_INS = Rate(burst=60, per_s=0.5)
"""Of an address: a site's people may all come by one, and each needs three."""


class Limiter:
    """Counts requests by client: a bucket of tokens each (one clock, no threads).

    Args:
        rate: How often.
        clock: Seconds that only grow.
    """

    def __init__(self, rate: Rate, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._clock = rate, clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait_s(self, client: str) -> float:
        """Take one request of a client.

        Returns:
            0 where it may go on; else the seconds after which it may ask again.
        """
        now = self._clock()
        left, at = self._left.pop(client, (float(self._rate.burst), now))
        left = min(self._rate.burst, left + (now - at) * self._rate.per_s)
        allowed = left >= 1
        self._left[client] = (left - 1 if allowed else left, now)
        if len(self._left) > MOST_KNOWN:
            self._left.popitem(last=False)
        return 0.0 if allowed else (1 - left) / self._rate.per_s
