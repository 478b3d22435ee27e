"""The light that was detected, held against what the detector is known to see: a broken run is wrong, not
fast.
"""

from __future__ import annotations

from typing import Any

from ..errors import PackError
from .geometry import ELECTRON_MEV, LIGHT_PER_MEV, hit_share

WIDER = {"opticalphoton": 0.03, "e-": 0.1}
"""What may be seen more or less beside five standard errors: light hangs on the direction of an event too, by
1 %, and electrons lose some of their energy to gammas that leave.
"""


class Light:
    """Sums over events."""

    def __init__(self) -> None:
        self._radius, self._shares, self._hits = 0.0, list[float](), list[int]()

    def began(self, radius_m: float) -> None:
        """Take the place of an event."""
        self._shares.append(hit_share(radius_m))

    def ended(self, hits: int) -> int:
        """Take what was detected of an event and return the number of events so far."""
        self._hits.append(hits)
        return len(self._hits)

    def checked(self, events: int, photons: int | None) -> dict[str, Any]:
        """Return the sums.

        Args:
            events: How many there should be.
            photons: That started in each; ``None`` for an electron, whose light is known on average.

        Raises:
            PackError: fewer events, or other light than expected.
        """
        if len(self._hits) != events or len(self._shares) != events:
            msg = f"cannot trust the simulation: expected {events} events, got {len(self._hits)}"
            raise PackError(msg, code=1)
        each = ELECTRON_MEV * LIGHT_PER_MEV if photons is None else photons
        wider = WIDER["e-" if photons is None else "opticalphoton"]
        expected = sum(each * share for share in self._shares)
        error = sum(each * share * (1 - share) for share in self._shares) ** 0.5
        hits, range_ = sum(self._hits), wider * expected + 5 * error
        if abs(hits - expected) > range_:
            msg = (
                f"cannot trust the simulation: expected {expected:.0f} +- {range_:.0f} photons "
                f"detected, got {hits}"
            )
            raise PackError(msg, code=1)
        light = {"events": events, "photons": None if photons is None else events * photons, "hits": hits}
        return {**light, "hits_expected": round(expected, 1), "hits_range": round(range_, 1)}
