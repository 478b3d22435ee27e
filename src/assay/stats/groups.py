"""Rows in groups, and exactly rounded sums and means of each group."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from assay.stats.centre import Values, mean_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Places = NDArray[np.intp]

Keys: TypeAlias = "Sequence[Hashable] | Places"
"""What groups of rows are known by, one a row."""


def grouped(values: Values, keys: Keys) -> list[Values]:
    """Return the values of each group, in the order in which they stand.

    Args:
        values: One a row.
        keys: The group of each row; of two arrays groups are in the order of their numbers, else in that in
            which they first come.
    """
    import numpy as np

    if isinstance(values, Sequence) or isinstance(keys, Sequence):
        groups: dict[Hashable, list[float]] = {}
        for value, key in zip(values, keys, strict=True):
            groups.setdefault(key, []).append(value)
        return [*groups.values()]
    if not len(keys):
        return []
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    return [*np.split(values[order], np.flatnonzero(ordered[1:] != ordered[:-1]) + 1)]


def codes_of(keys: Keys) -> Places:
    """Return a number, from 0 on, for the group of each row."""
    import numpy as np

    if not isinstance(keys, Sequence):
        return np.unique(keys, return_inverse=True)[1]
    known: dict[Hashable, int] = {}
    return np.array([known.setdefault(key, len(known)) for key in keys], dtype=np.intp)


def mean_logs(values: Numbers, groups: Places, count: int) -> Numbers:
    """Return the mean logarithm of each group's values, in any order of rows the same.

    Logarithms are those of the C library: numpy's own differ in the last digit from processor to processor.

    Args:
        values: > 0, shape (rows,).
        groups: The group of each, 0 to ``count`` - 1.
        count: Number of groups.

    Returns:
        Shape (count,); NaN where a group has no value.
    """
    import numpy as np

    logs = np.fromiter(map(math.log, values.tolist()), np.float64, len(values))
    means = np.full(count, np.nan)
    sizes = np.bincount(groups, minlength=count)
    single = sizes[groups] == 1
    means[groups[single]] = logs[single]
    several = np.flatnonzero(sizes > 1)
    if len(several):
        means[several] = [mean_of(group) for group in _lists(logs[~single], groups[~single])]
    return means


def _lists(values: Numbers, groups: Places) -> Iterator[list[float]]:
    """Yield the values of each group: of many small ones lists are quicker than arrays."""
    import numpy as np

    order = np.argsort(groups, kind="stable")
    held, ends = values[order].tolist(), np.cumsum(np.unique(groups, return_counts=True)[1]).tolist()
    return (held[a:b] for a, b in pairwise([0, *ends]))


def geometric_means(values: Numbers, groups: Places, count: int) -> Numbers:
    """Return the geometric mean of each group's values; a single value is its own, to the last digit.

    Args:
        values: As of ``mean_logs``, as of what follows.
        groups: Likewise.
        count: Likewise.

    Returns:
        Shape (count,); NaN where a group has no value.
    """
    import numpy as np

    sizes = np.bincount(groups, minlength=count)
    means = np.full(count, np.nan)
    single = sizes[groups] == 1
    means[groups[single]] = values[single]
    several = np.flatnonzero(sizes > 1)
    if len(several):
        logs = mean_logs(values[~single], groups[~single], count)[several]
        means[several] = [math.exp(log) for log in logs.tolist()]
    return means
