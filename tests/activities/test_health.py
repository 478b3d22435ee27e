"""What a machine says of itself, read; and what it says in another form is not told."""

from __future__ import annotations

import pytest

from assay.activities.health import read_health
from assay.report.tables.health import health_table

SAID = """\
load 0.52
cpu  100 0 100 700 50 0 0 50 30 0
cpu  130 10 110 790 50 0 0 60 40 0
temperature 54000
temperature 61500
temperature 0
throttles 3
throttles 4
""".splitlines()


def test_shares_are_of_the_time_between_two_readings() -> None:
    seen = read_health("n01", SAID, free_bytes=5 << 30)
    assert (seen.load, seen.temperature_c, seen.throttles, seen.free_bytes) == (0.52, 61.5, 7, 5 << 30)
    assert seen.busy == pytest.approx((30 + 10 + 10) / 150)
    assert seen.steal == pytest.approx(10 / 150)
    assert seen.why is None


@pytest.mark.parametrize(
    "lines",
    [
        [],
        ["load", "cpu 1 2 3", "cpu 1 2 3", "temperature warm", "throttles many"],
        ["load 1 2", "cpu a b c d e f g h", "cpu 1 2 3 4 5 6 7 8"],
        ["cpu 1 2 3 4 5 6 7 8", "cpu 1 2 3 4 5 6 7 8"],
    ],
)
def test_what_is_in_another_form_is_not_told(lines: list[str]) -> None:
    seen = read_health("n01", lines, free_bytes=1)
    told = (seen.load, seen.busy, seen.steal, seen.temperature_c, seen.throttles)
    assert told == (None,) * 5
    assert health_table([seen], {}).splitlines()[1].split()[3:6] == ["-", "-", "-"]
