"""A column whose values come again and again, as codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Places = NDArray[np.intp]
    Mask = NDArray[np.bool_]

Value = TypeVar("Value")
DENSE = 4
"""Numbers that may occur, over rows, up to which those that do are counted."""


@dataclass(frozen=True, eq=False)
class Coded(Generic[Value]):
    """One column.

    Attributes:
        codes: Of each row the place of its value in ``values``, shape (rows,).
        values: What may stand in the column, each once; not all of it need occur.
    """

    codes: Places
    values: tuple[Value, ...]

    def __getitem__(self, row: int) -> Value:
        """Return the value of one row."""
        return self.values[int(self.codes[row])]

    def of(self, rows: Places | Mask) -> Coded[Value]:
        """Return some of the rows."""
        return Coded(self.codes[rows], self.values)

    def equal(self, value: Value) -> Mask:
        """Tell of each row whether a value stands in it."""
        import numpy as np

        code = self.values.index(value) if value in self.values else -1
        return np.asarray(self.codes == code)

    def held(self) -> list[Value]:
        """Return the values that occur, in the order of ``values``."""
        import numpy as np

        return [self.values[code] for code in np.flatnonzero(np.bincount(self.codes)).tolist()]


def named(codes: Places, names: Sequence[str]) -> Coded[str]:
    """Return a column of names, which it puts in their natural order: a code that is larger comes later.

    Args:
        codes: Of each row the place of its name, shape (rows,).
        names: Each once.
    """
    import numpy as np

    order = natural_order(names)
    ranks = np.empty_like(order)
    ranks[order] = np.arange(len(order))
    return Coded(ranks[codes], tuple(names[at] for at in order.tolist()))


def distinct(keys: Places, bound: int) -> tuple[Places, Places]:
    """Return what numbers occur, ascending, and of each row the place of its own among them.

    Args:
        keys: Whole numbers from 0 on, shape (rows,).
        bound: More than the largest.
    """
    import numpy as np

    if bound > DENSE * len(keys):
        found, place = np.unique(keys, return_inverse=True)
        return found, place
    held = np.bincount(keys, minlength=bound) > 0  # counted, not sorted
    return np.flatnonzero(held), (np.cumsum(held) - 1)[keys]


def natural_order(names: Sequence[str]) -> Places:
    """Return the places of names as people count: numbers by their size, before words.

    Args:
        names: Each once; numbers of one size (7, 07) are in the order of their letters.
    """
    import numpy as np

    numbers = [at for at, name in enumerate(names) if name.isdecimal()]
    words = sorted((at for at, name in enumerate(names) if not name.isdecimal()), key=names.__getitem__)
    sizes = np.array([float(names[at]) for at in numbers])
    if len(np.unique(sizes)) < len(sizes):
        numbers.sort(key=names.__getitem__)
        sizes = np.array([float(names[at]) for at in numbers])
    ordered = np.array(numbers, dtype=np.intp)[np.argsort(sizes, kind="stable")]
    return np.concatenate([ordered, np.array(words, dtype=np.intp)])
