"""Columns of events as branches of a ROOT tree. Imports awkward."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from assay.exchange.chain.events import Columns


def branches_of(columns: Columns, rows: str | None) -> dict[str, Any]:
    """Return a run of events as uproot takes them: an array a branch, rows of several columns as one."""
    import awkward as ak

    branches: dict[str, Any] = dict(columns.flat)
    if rows is not None:
        branches[rows] = ak.zip(
            {name: _jagged(values, columns.counts) for name, values in columns.rows.items()}
        )
    if columns.samples is not None:
        branches["sample"] = _jagged(columns.samples, columns.sample_counts)
    return branches


def _jagged(values: Any, counts: Any) -> Any:
    import awkward as ak
    import numpy as np

    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    content = ak.contents.NumpyArray(np.ascontiguousarray(values))
    return ak.Array(ak.contents.ListOffsetArray(ak.index.Index64(offsets), content))


def types_of(branches: dict[str, Any]) -> dict[str, Any]:
    """Return what uproot declares each branch as: without any event it could not tell from the values."""
    import awkward as ak

    return {
        name: ak.type(values).content if isinstance(values, ak.Array) else values.dtype
        for name, values in branches.items()
    }


def names_of(branches: dict[str, Any]) -> Iterator[str]:
    """Yield the names of branches as they stand in the file."""
    for name, values in branches.items():
        fields = getattr(values, "fields", [])
        if not hasattr(values, "fields"):
            yield name
        else:
            yield f"n{name}"
            yield from (f"{name}_{one}" for one in fields) if fields else (name,)
