"""What holds for every text that a kernel, or what imitates one, gives; and both clocks of one moment."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.machines.host import reading as host_reading
from assay.machines.host.counters import below_base, parse_cpu_ticks, parse_swap_pages, sum_throttles

TICKS = st.lists(st.integers(0, 10**18 - 1), min_size=8, max_size=10)
KERNEL_LIKE = st.text(max_size=200) | st.text("cpu0123 \n\t-.pswinot", max_size=200)


def stat(rows: list[list[int]]) -> str:
    """Return ``/proc/stat`` with a line for all processors and one for each."""
    lines = [f"cpu{name} {' '.join(map(str, row))}" for name, row in zip(["", *range(9)], rows, strict=False)]
    return "\n".join([*lines, "intr 12 0 0", "ctxt 5", ""])


@given(rows=st.lists(TICKS, min_size=2, max_size=5), data=st.data())
def test_ticks_of_several_processors_are_the_sum_of_each(rows: list[list[int]], data: st.DataObject) -> None:
    text, count = stat(rows), len(rows) - 1
    cpus = data.draw(st.lists(st.integers(0, count - 1), min_size=1, max_size=count, unique=True))
    each = [parse_cpu_ticks(text, (cpu,)) for cpu in cpus]
    assert each == [(sum(rows[cpu + 1][:3]), rows[cpu + 1][7]) for cpu in cpus]
    assert parse_cpu_ticks(text, cpus) == tuple(map(sum, zip(*(one for one in each if one), strict=True)))
    assert parse_cpu_ticks(text, (*cpus, count)) is None


@given(row=st.lists(st.integers(0, 9), min_size=8, max_size=8), count=st.integers(0, 8))
def test_a_line_that_ends_before_the_stolen_time_tells_nothing(row: list[int], count: int) -> None:
    assert (parse_cpu_ticks(stat([row, row[:count]]), (0,)) is None) is (count < 8)


@given(
    counts=st.dictionaries(
        st.sampled_from(["pswpin", "pswpout", "pgfault", "pgpgin"]), st.integers(0, 10**18 - 1)
    )
)
def test_pages_are_those_swapped_in_and_out_where_both_are_told(counts: dict[str, int]) -> None:
    text = "".join(f"{name} {count}\n" for name, count in counts.items())
    both = {"pswpin", "pswpout"} <= set(counts)
    assert parse_swap_pages(text) == (counts["pswpin"] + counts["pswpout"] if both else None)


@given(text=KERNEL_LIKE)
def test_any_text_is_read_as_counts_of_zero_or_more_or_tells_nothing(text: str) -> None:
    ticks = parse_cpu_ticks(text, (0, 1))
    assert ticks is None or min(ticks) >= 0
    for count in (parse_swap_pages(text), sum_throttles({"core": text, "package": "1\n"})):
        assert count is None or count >= 0
    assert below_base([text], ["2400000\n"]) in (None, False, True)


@pytest.mark.parametrize(
    "text", ["cpu0 1 2 3 4 5 6 7 -8\n", "cpu0 1 2 3 4 5 6 7 8.5\n", "cpu0 a b c d e f g h\n"]
)
def test_a_line_of_other_words_than_whole_numbers_tells_nothing(text: str) -> None:
    assert parse_cpu_ticks(text, (0,)) is None


def test_what_is_no_number_is_not_told() -> None:
    assert parse_swap_pages("pswpin some\npswpout 4\n") is None
    assert sum_throttles({"core": "2\n", "package": "\n"}) is None
    assert below_base(["<unknown>\n"], ["2400000\n"]) is None


@pytest.mark.parametrize(("most", "below"), [("2399999\n", True), ("2400000\n", False), ("2400001\n", False)])
def test_a_limit_at_the_base_frequency_is_not_below_it(most: str, below: bool) -> None:
    assert below_base(["2400000\n"], [most]) is below


def test_the_clocks_are_those_of_the_quickest_of_several_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    firsts, pauses, walls = (10, 20, 30, 40, 50), (9, 5, 2, 5, 9), (7, 7, 1_000_000_031, 7, 7)
    mono = iter(
        moment for first, pause in zip(firsts, pauses, strict=True) for moment in (first, first + pause)
    )
    wall = iter(walls)
    clock = SimpleNamespace(
        monotonic_ns=lambda: next(mono), time_ns=lambda: next(wall), process_time=lambda: 0.0
    )
    monkeypatch.setattr(host_reading, "time", clock)
    reading = host_reading.read_host(())
    assert (reading.mono_s, reading.wall_lead_s) == (32e-9, 1.0)
