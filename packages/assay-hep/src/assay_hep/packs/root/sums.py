"""The physics of an analysis in whole numbers, the same in whatever order and by whatever workers it was
done.

Of each branch the sum of its values' bit patterns modulo 2**64, and of the two leading leptons the histogram
of their invariant mass: squares, sums and roots of IEEE 754 alone, which are the same on every processor.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from .columns import LEPTONS

_MODULUS = 2**64
_BINS, _BIN_GEV = 64, 8.0


@dataclass
class Sums:
    """What was found in events.

    Attributes:
        events: How many.
        branches: By branch the sum of bit patterns, modulo 2**64.
        mass: Events by invariant mass; empty where no leptons were read.
    """

    events: int = 0
    branches: dict[str, int] = field(default_factory=dict)
    mass: list[int] = field(default_factory=list)

    def add(self, other: Sums) -> None:
        """Add what was found in other events."""
        self.events += other.events
        for name, value in other.branches.items():
            self.branches[name] = (self.branches.get(name, 0) + value) % _MODULUS
        wide = max(len(self.mass), len(other.mass))
        both = (one + [0] * (wide - len(one)) for one in (self.mass, other.mass))
        self.mass = [sum(pair) for pair in zip(*both, strict=True)]

    def of(self, names: Iterable[str]) -> Sums:
        """Return them for some of the branches."""
        kept = {name: self.branches[name] for name in names if name in self.branches}
        return Sums(self.events, kept, self.mass if set(LEPTONS) <= set(kept) else [])

    @property
    def digest(self) -> str:
        """The physics in 16 hex digits."""
        text = json.dumps([self.events, sorted(self.branches.items()), self.mass])
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def sums_of(arrays: dict[str, Any], events: int) -> Sums:
    """Return what is in the arrays of some events.

    Args:
        arrays: By branch, numbers or jagged numbers.
        events: How many events they are of.
    """
    mass = mass_histogram(arrays) if set(LEPTONS) <= set(arrays) else []
    return Sums(events, {name: bit_sum(values) for name, values in arrays.items()}, mass)


def bit_sum(values: Any) -> int:
    """Return the sum of the bit patterns of all numbers in an array, modulo 2**64."""
    import awkward as ak
    import numpy as np

    flat = np.ascontiguousarray(ak.to_numpy(ak.flatten(values, axis=None)))
    whole = flat.astype(np.uint8) if flat.dtype == np.bool_ else flat.view(f"u{flat.dtype.itemsize}")
    return int(whole.sum(dtype=np.uint64))


def mass_histogram(arrays: dict[str, Any]) -> list[int]:
    """Return events by invariant mass of their two leading leptons, in bins of 8 GeV; the last is "more"."""
    import awkward as ak
    import numpy as np

    pairs = ak.num(arrays[LEPTONS[0]]) >= 2
    px, py, pz, e = (
        ak.to_numpy(chosen[:, 0]).astype(np.float64) + ak.to_numpy(chosen[:, 1]).astype(np.float64)
        for chosen in (arrays[name][pairs] for name in LEPTONS)
    )
    mass = np.sqrt(np.maximum(e * e - px * px - py * py - pz * pz, 0.0))
    bins = np.minimum((mass / _BIN_GEV).astype(np.int64), _BINS - 1)
    return [int(count) for count in np.bincount(bins, minlength=_BINS)]
