"""A CSV file of measurements: what is read, and what is refused by its line."""

from __future__ import annotations

import contextlib
import random
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from assay.exchange import TableError, from_table, parse, spelling_notes, to_runs
from tests.measured_runs import MeasuredRun, rows

HEAD = "block,arm,value\n"
ORDERED = "block,arm,value,order\n"


def runs_of(text: str | bytes) -> list[MeasuredRun]:
    data = text if isinstance(text, bytes) else text.encode()
    return rows(to_runs(parse(data, name="runs.csv")))


def test_columns_may_stand_in_any_order_and_in_any_case() -> None:
    (run,) = runs_of("Value, arm ,session,Block,machine,events\n90.5,host,monday,3,node1,1e3\n")
    assert run == MeasuredRun("3", "host", 90.5, "monday", "node1", 1000, "runs.csv:2")


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbfblock,arm,value\n1,host,90\n",
        b"block,arm,value\r\n1,host,90\r\n",
        b"block,arm,value\r1,host,90\r",
        b"\nblock,arm,value\n\n1,host,90",
        b"block;arm;value\n1;host;90\n",
        b"block\tarm\tvalue\n1\thost\t90\n",
        b'"block","arm","value"\n"1","host","90"\n',
    ],
    ids=["byte-order-mark", "crlf", "cr", "empty-lines", "semicolons", "tabs", "quotes"],
)
def test_the_same_table_is_read_however_it_is_written(data: bytes) -> None:
    (run,) = runs_of(data)
    assert (run.block, run.arm, run.value) == ("1", "host", 90.0)


def test_unknown_columns_and_other_separators_are_told() -> None:
    sheet = parse(b"block;arm;value;comment\n1;host;90;fine\n", name="runs.csv")
    assert sheet.notes == ("runs.csv is separated by semicolons", "1 column is not used: 'comment'")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "runs.csv: expected a line of column names"),
        (HEAD, "runs.csv: expected rows below the column names, got none"),
        ("1,host,90\n", "runs.csv:1: expected the columns block, arm, value, got no 'block'"),
        ("block,arm,values\n1,host,90\n", "no 'value'; nearest: 'values'"),
        ("block,arm,value,arm\n1,host,90,x\n", "runs.csv:1: expected one column 'arm', got 2"),
        (HEAD + "1,host,90\n2,host\n", "runs.csv:3: expected 3 cells, got 2"),
        (HEAD + "1,host,90,5\n", "runs.csv:2: expected 3 cells, got 4"),
        (HEAD + "\n\n1,host,\n", "runs.csv:4: expected a cell in 'value', got nothing"),
        (HEAD + ",host,90\n", "runs.csv:2: expected a cell in 'block'"),
        (HEAD + "1,  ,90\n", "runs.csv:2: expected a cell in 'arm'"),
        (HEAD + "1,host,fast\n", "runs.csv:2: expected a number in 'value', got 'fast'"),
        (HEAD + '1,host,"90,5"\n', "runs.csv:2: expected a number in 'value', got '90,5'"),
        (HEAD + "1,host,1_000\n", "runs.csv:2: expected a number in 'value'"),
        (HEAD + "1,host,nan\n", "runs.csv:2: expected a finite number in 'value', got 'nan'"),
        (HEAD + "1,host,-inf\n", "runs.csv:2: expected a finite number"),
        (HEAD + "1,host,0\n", "runs.csv:2: expected a number above 0 in 'value', got '0'"),
        (HEAD + "1,host,-3\n", "runs.csv:2: expected a number above 0 in 'value', got '-3'"),
        (HEAD + "1,host,1e99\n", "runs.csv:2: expected a time or a rate"),
        (HEAD + "1,host,90\n1,Host,91\n", "runs.csv:3: expected the arm 'host' as at runs.csv:2, got 'Host'"),
        (HEAD + '1,"ho\nst",90\n2,host,x\n', "runs.csv:4: expected a number"),
        (HEAD + '1,"host,90\n', "runs.csv:2: expected a line of CSV"),
        ("block,arm,value,events\n1,host,90,1.5\n", "runs.csv:2: expected a whole number >= 0 in 'events'"),
        ("block,arm,value,events\n1,host,90,-1\n", "runs.csv:2: expected a whole number >= 0 in 'events'"),
        ("block,arm,value,session\n1,host,90,\n", "runs.csv:2: expected a cell in 'session'"),
        (ORDERED + "1,host,90,\n", "runs.csv:2: expected a cell in 'order', got nothing"),
        (
            ORDERED + "1,host,90,first\n",
            "runs.csv:2: expected a number or an ISO 8601 time in 'order', got 'first'",
        ),
        (ORDERED + "1,host,90,11:00\n", "runs.csv:2: expected a number or an ISO 8601 time in 'order'"),
        (ORDERED + "1,host,90,inf\n", "runs.csv:2: expected a number or an ISO 8601 time in 'order'"),
        (
            ORDERED + "1,host,90,3\n1,guest,90,2026-11-21T11:00Z\n",
            "runs.csv:3: expected a number in 'order' as at runs.csv:2",
        ),
        (
            ORDERED + "1,host,90,2026-11-21T11:00Z\n1,guest,90,2026-11-21T11:10\n",
            "runs.csv:3: expected a time with its zone in 'order' as at runs.csv:2, got '2026-11-21T11:10'",
        ),
    ],
)
def test_what_is_wrong_is_named_by_its_line(text: str, said: str) -> None:
    with pytest.raises(TableError) as caught:
        runs_of(text)
    assert caught.value.message.startswith("cannot read runs.csv")
    assert said in caught.value.message
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("cells", "apart"),
    [
        (("1", "2.5"), 1.5),
        (("-3", "1e3"), 1003.0),
        (("1763722800123456789", "1763722860123456789"), 60e9),
        (("2026-11-21T11:00:00Z", "2026-11-21T13:00:30+01:00"), 3630.0),
        (("2026-11-21 23:59", "2026-11-22 00:01"), 120.0),
        (("2026-11-21", "2026-11-22"), 86400.0),
    ],
)
def test_the_order_of_runs_is_told_by_numbers_or_by_times(cells: tuple[str, str], apart: float) -> None:
    first, second = runs_of(ORDERED + "".join(f"1,host,90,{cell}\n" for cell in cells))
    assert first.order is not None
    assert second.order is not None
    assert second.order - first.order == pytest.approx(apart)


def test_a_table_without_the_column_tells_no_order() -> None:
    assert [run.order for run in runs_of(HEAD + "1,host,90\n1,guest,91\n")] == [None, None]


def test_times_of_python_and_of_numpy_are_orders_too() -> None:
    begun = datetime(2026, 11, 21, 11, tzinfo=UTC)
    for times in (
        [begun, begun + timedelta(minutes=1)],
        list(np.array(["2026-11-21", "2026-11-22"], "M8[s]")),
    ):
        table = {"block": [1, 1], "arm": ["host", "guest"], "value": [90, 91], "order": times}
        one, two = rows(to_runs(from_table(table)))
        assert (one.order or 0) < (two.order or 0)


def test_bytes_that_are_no_text_are_named_by_their_line() -> None:
    with pytest.raises(TableError, match=r"runs\.csv:3: expected text in UTF-8, got the byte 0xe9"):
        runs_of(b"block,arm,value\n1,host,90\n1,caf\xe9,90\n")


def test_a_rare_arm_spelled_nearly_like_a_common_one_is_told() -> None:
    text = HEAD + "".join(f"{b},guest,9\n" for b in range(6)) + "7,gusst,9\n8,guest2,9\n"
    runs = to_runs(parse(text.encode(), name="runs.csv"))
    assert list(spelling_notes(runs.arm)) == [
        "the arm 'gusst' (1 row) is spelled nearly like 'guest' (6 rows)"
    ]


@pytest.mark.parametrize("seed", range(20))
def test_random_bytes_are_read_or_refused_and_nothing_else(seed: int) -> None:
    random_number = random.Random(seed)
    parts = [
        b"1",
        b"host",
        b"guest",
        b"nan",
        b'"',
        b",",
        b";",
        b"\n",
        b"\r\n",
        b"\0",
        b"\xff",
        b"1e999",
        b" ",
    ]
    for _ in range(100):
        body = b"".join(random_number.choice(parts) for _ in range(random_number.randrange(80)))
        head = random_number.choice([b"", HEAD.encode(), b"block;arm;value;events\n"])
        with contextlib.suppress(TableError):
            to_runs(parse(head + body, name="runs.csv"))


def test_a_cell_that_is_too_long_is_said_to_be() -> None:
    data = b'block,arm,value\n1,host,"' + b"9" * 140_000 + b"\n1,guest,3\n"
    with pytest.raises(
        TableError, match=r"long\.csv:2: expected cells of at most 131,072 characters"
    ) as caught:
        to_runs(parse(data, name="long.csv"))
    assert "a quote that is never closed" in str(caught.value.hint)


def test_rows_are_read_by_words_of_any_column() -> None:
    head, *lines = b"Block,arm,value,metric,job", b"1,host,1,wall,a", b"1,guest,2,wall,a", b"1,host,7,cpu,a"
    data = b"\n".join([head, *lines, b"1,guest,3,wall,b", b""])
    found = rows(to_runs(parse(data, name="v.csv", only={"METRIC": {"wall"}, "job": {"a", "c"}})))
    assert [(run.arm, run.value, run.place) for run in found] == [
        ("host", 1.0, "v.csv:2"), ("guest", 2.0, "v.csv:3"),
    ]  # fmt: skip
    with pytest.raises(TableError, match=r"v\.csv: expected rows that --only takes, got none"):
        to_runs(parse(data, name="v.csv", only={"metric": {"rss"}}))
    with pytest.raises(TableError, match=r"v\.csv:1: expected a column 'metrics', got none; nearest: 'met"):
        parse(data, name="v.csv", only={"metrics": {"rss"}})


@pytest.mark.parametrize("session", ["d1", " d1 ", "7", ""])
def test_a_column_of_one_word_is_read_as_others_are(session: str) -> None:
    lines = [f"{block},{arm},3,{session}" for block in range(300) for arm in ("host", "guest")]
    text = "\n".join(["block,arm,value,session", *lines])
    if not session:
        with pytest.raises(TableError, match=r"runs\.csv:2"):
            to_runs(parse(text.encode(), name="runs.csv"))
        return
    runs = to_runs(parse(text.encode(), name="runs.csv"))
    assert {one.session for one in rows(runs)} == {session.strip()}
    assert len(runs) == 600
