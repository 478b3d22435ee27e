"""Columns of numbers are what Python itself makes of their cells, however a series is cut into pieces."""

from __future__ import annotations

import io
import math
import random
from pathlib import Path

import pytest

from assay.probe import columns, parse_series, read_series
from assay.probe.columns import read_columns

CELLS = (
    "", "0", "00012", "12.5", ".5", "5.", ".", "1.2.3", "-4", "-", "+5", "1e3", "1e999", "nan", "inf", "1_0",
    " 3", "x", "1/2", "1:2", "0x10", "1\r", "1\x0b2", "\u2028", "\u0663", "0.022269179",
    "1795270287496089935", "9999999999999999999", "18446744073709551615", "99999999999999999999",
    "0.1234567890123456789", "9007199254740993", "9007199254740993.0", "90071992547409.93",
)  # fmt: skip
PLAIN = ("", "0", "12.5", "0.022269179", "7385088", "1795270287496089935", "9007199254740993")


def by_itself(data: bytes) -> dict[str, list[float]]:
    """Return the columns of a series cell by cell."""
    text = data[: data.rfind(b"\n") + 1].decode(errors="replace")
    names, *rows = [line.split(",") for line in text.splitlines()] or [[]]
    whole = [[number(cell) for cell in row] for row in rows if len(row) == len(names)]
    if "mono_ns" in names:
        whole = [row for row in whole if not math.isnan(row[names.index("mono_ns")])]
    return {name: [row[at] for row in whole] for at, name in enumerate(names)}


def number(cell: str) -> float:
    try:
        found = float(cell)
    except ValueError:
        return math.nan
    return found if math.isfinite(found) else math.nan


def series(chance: random.Random) -> bytes:
    names = [chance.choice(("mono_ns", "a", "b", "c")) for _ in range(chance.randint(1, 4))]
    cells = chance.choice((CELLS, PLAIN))
    counts = [chance.choice((len(names),) * 9 + (chance.randint(0, 5),)) for _ in range(chance.randint(0, 8))]
    lines = [",".join(chance.choice(cells) for _ in range(count)) for count in counts]
    return "\n".join((",".join(names), *lines)).encode() + chance.choice((b"", b"\n", b"\n", b"\xff\n"))


@pytest.mark.parametrize("piece", [16, 64, 1 << 20])
def test_columns_are_what_their_cells_say(piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "PIECE_BYTES", piece)
    chance = random.Random(piece)
    for data in (b"", b"\n", b"a", b"a\n", b"\na\n1\n", *(series(chance) for _ in range(400))):
        found = {name: values.tolist() for name, values in parse_series(data).items()}
        assert repr(found) == repr(by_itself(data)), data


def test_numbers_are_the_nearest_doubles() -> None:
    chance = random.Random(1)
    cells = [str(chance.getrandbits(chance.randint(1, 64))) for _ in range(3000)]
    cells += [f"{chance.random() * 10 ** chance.randint(-6, 9):.{at % 16}f}" for at in range(3000)]
    found = read_columns(io.BytesIO(("a\n" + "\n".join(cells) + "\n").encode()), None, "mono_ns")["a"]
    assert found.tolist() == [float(cell) for cell in cells]


def test_a_file_is_read_by_the_columns_that_are_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "samples.csv"
    assert read_series(file) == {}
    file.write_text("mono_ns,source,a,b\n1,taskstats,2,\n,taskstats,3,4\n5,taskstats,6,7\n8,task")
    found = {name: values.tolist() for name, values in read_series(file, ("b", "c")).items()}
    assert repr(found) == repr({"mono_ns": [1.0, 5.0], "b": [math.nan, 7.0]})
    assert list(read_series(file)) == ["mono_ns", "source", "a", "b"]
