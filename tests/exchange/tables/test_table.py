"""Tables in Python: columns, rows and data frames, without any library of theirs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from assay.exchange import TableError, from_table, to_runs
from tests.measured_runs import rows

COLUMNS = {"block": [1, 1, 2], "arm": ["host", "guest", "host"], "value": [90, 100.0, "91"]}


class Frame:
    """What the data frames of pandas and polars have in common."""

    def __init__(self, columns: dict[str, Any]) -> None:
        self._held = columns
        self.columns = list(columns)

    def __getitem__(self, name: str) -> Any:
        return self._held[name]


def as_rows(columns: dict[str, list[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]


ARRAYS = {name: np.array(cells, dtype=object) for name, cells in COLUMNS.items()}


@pytest.mark.parametrize(
    "table",
    [COLUMNS, as_rows(COLUMNS), iter(as_rows(COLUMNS)), Frame(COLUMNS), ARRAYS, Frame(ARRAYS)],
    ids=["columns", "rows", "an iterator", "a frame", "arrays", "a frame of arrays"],
)
def test_every_kind_of_table_gives_the_same_runs(table: object) -> None:
    runs = rows(to_runs(from_table(table)))
    assert [(run.block, run.arm, run.value) for run in runs] == [
        ("1", "host", 90.0), ("1", "guest", 100.0), ("2", "host", 91.0),
    ]  # fmt: skip
    assert [run.place for run in runs] == ["row 1", "row 2", "row 3"]


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (3, "the table: expected a mapping of columns"),
        ([], "the table: expected rows, got none"),
        ({}, "the table: expected rows, got none"),
        ([{"block": 1, "arm": "host"}], "got no 'value'"),
        ([{"block": 1, "arm": "host", "value": 9}, 3], "row 2: expected a mapping, got int"),
        ([{"block": 1, "arm": "host", "value": 9}, {"block": 1, "arm": "x"}],
        "row 2: expected a cell in 'value'"),
        ({"block": [1, 2], "arm": ["host"], "value": [1, 2]},
        "columns of one length, got block 2, arm 1, value 2"),
        ({"block": 1, "arm": ["host"], "value": [1]}, "column 'block' of the table: expected a sequence"),
        ({"block": [1], "arm": ["host"], "value": [float("nan")]}, "row 1: expected a cell in 'value'"),
        ({"block": [1], "arm": [None], "value": [1]}, "row 1: expected a cell in 'arm'"),
        ({"block": [1], "arm": ["host"], "value": [True]}, "row 1: expected a number in 'value', got 'True'"),
        ({"block": [1], "arm": ["host"], "value": [-1]}, "row 1: expected a number above 0"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_by_its_row(table: object, said: str) -> None:
    with pytest.raises(TableError) as caught:
        to_runs(from_table(table))
    assert said in caught.value.message
