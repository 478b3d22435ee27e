"""Both ends of what a cell may be, and how much of it a message shows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.exchange import TableError, parse, spelling_notes, to_runs
from tests.measured_runs import rows

HEAD = "block,arm,value,events\n"


def read(row: str) -> tuple[float, int | None]:
    (run,) = rows(to_runs(parse(f"{HEAD}{row}\n".encode(), name="runs.csv")))
    return run.value, run.events


@pytest.mark.parametrize(
    ("row", "value", "events"),
    [
        ("1,host,1e-30,0", 1e-30, 0),
        ("1,host,1e30,1000000000000000", 1e30, 10**15),
        ("1,host,90.5,1e3", 90.5, 1000),
    ],
)
def test_both_ends_of_a_value_and_of_a_number_of_events_are_taken(
    row: str, value: float, events: int
) -> None:
    assert read(row) == (value, events)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("1,host,9e-31,0", "expected a time or a rate from 1e-30 to 1e+30 in 'value', got '9e-31'"),
        ("1,host,1.1e30,0", "expected a time or a rate from 1e-30 to 1e+30 in 'value', got '1.1e30'"),
        ("1,host,0,0", "expected a number above 0 in 'value', got '0'"),
        ("1,host,90,1000000000000001", "expected a whole number >= 0 in 'events'"),
        ("1,host,90,0.5", "expected a whole number >= 0 in 'events'"),
        (f"1,host,{'x' * 40},0", f"got '{'x' * 40}'"),
        (f"1,host,{'x' * 41},0", f"got '{'x' * 39}…'"),
    ],
)
def test_what_lies_beyond_is_refused_and_shown_in_at_most_forty_letters(row: str, said: str) -> None:
    with pytest.raises(TableError) as caught:
        read(row)
    assert said in caught.value.message
    assert ("leave out runs that failed" in str(caught.value.hint)) is (row == "1,host,0,0")


@pytest.mark.parametrize(("common", "reported"), [(2, False), (3, True), (4, True)])
def test_an_arm_with_a_third_of_anothers_rows_may_be_a_slip(common: int, reported: bool) -> None:
    lines = "".join(f"{block},guest,9,1\n" for block in range(common)) + "9,gusst,9,1\n"
    notes = list(spelling_notes(to_runs(parse(f"{HEAD}{lines}".encode(), name="runs.csv")).arm))
    assert bool(notes) is reported


@pytest.mark.parametrize(
    ("names", "shown"),
    [(8, "(found: c0, c1, c2, c3, c4, c5, c6, c7)"), (9, "(found: c0, c1, c2, c3, c4, c5, c6, c7, …)")],
)
def test_at_most_eight_of_the_names_found_are_shown(names: int, shown: str) -> None:
    head = ",".join(f"c{number}" for number in range(names))
    with pytest.raises(TableError) as caught:
        parse(f"{head}\n{'1,' * (names - 1)}1\n".encode(), name="runs.csv")
    assert shown in caught.value.message


@pytest.mark.parametrize(
    ("more", "note"), [("x", "1 column is not used: 'x'"), ("x,y", "2 columns are not used: 'x', 'y'")]
)
def test_columns_that_are_not_used_are_counted(more: str, note: str) -> None:
    empty = "," * len(more.split(","))
    assert parse(f"block,arm,value,{more}\n1,host,9{empty}\n".encode(), name="runs.csv").notes == (note,)


CELLS = st.sampled_from(
    ["1", "host", "guest", "9.5", "-1", "", "nan", "1e400", '"', "a,b", "é", "\x00", " "]
) | st.text(max_size=5)


@given(
    table=st.lists(st.lists(CELLS, min_size=1, max_size=5), max_size=6),
    ends=st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_any_table_gives_runs_above_zero_or_the_place_that_is_wrong(
    table: list[list[str]], ends: str
) -> None:
    text = HEAD + "".join(",".join(row) + ends for row in table)
    try:
        runs = to_runs(parse(text.encode("utf-8", "surrogatepass"), name="runs.csv"))
    except TableError as error:
        wrong = error
        assert wrong.message.startswith("cannot read runs.csv")
        return
    assert all(0 < run.value < float("inf") and run.block and run.arm for run in rows(runs))


@given(values=st.lists(st.floats(1e-30, 1e30), min_size=1, max_size=9))
def test_values_are_read_to_the_last_bit_as_python_prints_them(values: list[float]) -> None:
    text = HEAD + "".join(f"{block},host,{value!r},1\n" for block, value in enumerate(values))
    assert to_runs(parse(text.encode(), name="runs.csv")).value.tolist() == values


@given(cells=st.lists(st.from_regex(r"0{0,3}[1-9][0-9]{0,28}", fullmatch=True), min_size=1, max_size=9))
def test_whole_numbers_are_read_as_python_reads_them(cells: list[str]) -> None:
    text = HEAD + "".join(f"{block},host,{cell},1\n" for block, cell in enumerate(cells))
    assert to_runs(parse(text.encode(), name="runs.csv")).value.tolist() == [float(cell) for cell in cells]


@pytest.mark.parametrize("cell", ["9" * 400, "9" * 5000, "0", "\u00b2", ""])
def test_digits_that_are_no_value_are_refused_by_their_line(cell: str) -> None:
    text = f"{HEAD}1,host,3,1\n2,host,{cell},1\n"
    with pytest.raises(TableError, match=r"runs\.csv:3"):
        to_runs(parse(text.encode(), name="runs.csv"))


def test_digits_of_other_scripts_are_numbers() -> None:
    assert read("1,host,\u0663,\u0661\u0662") == (3.0, 12)
