"""Values that were measured elsewhere, held against what stands beside them in the same table."""

from __future__ import annotations

from typing import Any

import pytest

import assay
from assay.exchange import TableError
from assay.report.render.analysis_text import text_analysis
from assay.results.analysis.analyse import analyse_table, exit_of

Rows = list[dict[str, Any]]


def table(here: dict[str, Any], there: dict[str, Any], *, blocks: int = 3) -> Rows:
    """Return a table of two arms; values differ a little from block to block."""
    return [
        {
            "block": block,
            "arm": arm,
            **cells,
            "value": cells["value"] * (1 + 0.001 * (block % 3) * (arm == "guest")),
        }
        for block in range(blocks)
        for arm, cells in (("host", here), ("guest", there))
    ]


def estimate(rows: Rows, kind: str = "rate") -> dict[str, Any]:
    (found,) = assay.analyse(rows, kind=kind)["estimates"]
    return found  # type: ignore[no-any-return]


def codes(rows: Rows, kind: str = "rate") -> set[str]:
    mine = {"score-against-wall", "faster-than-disk", "sizes-differ"}
    return {doubt["code"] for doubt in estimate(rows, kind)["doubts"]} & mine


def said(rows: Rows, code: str) -> str:
    (doubt,) = (doubt for doubt in estimate(rows)["doubts"] if doubt["code"] == code)
    assert doubt["next"]
    return str(doubt["sentence"])


def test_a_score_of_115_percent_in_a_quarter_of_the_wall_time_is_doubted() -> None:
    rows = table({"value": 10.0, "wall_s": 439.0}, {"value": 11.5, "wall_s": 100.0})
    assert said(rows, "score-against-wall") == (
        "By its values guest is 1.15 times as fast as host, by the wall times of the same runs "
        "4.39 times (1.15 and 4.39 at worst, in block 0). For the same work both cannot be true."
    )


@pytest.mark.parametrize(
    ("kind", "here", "there", "doubted"),
    [
        ("rate", (10.0, 150.0), (10.0, 100.0), False),
        ("rate", (10.0, 152.0), (10.0, 100.0), True),
        ("rate", (10.0, 100.0), (10.0, 152.0), True),
        ("rate", (10.0, 100.0), (5.0, 100.0), False),  # runs for a given time
        ("time", (100.0, 100.0), (100.0, 152.0), True),
        ("time", (100.0, 110.0), (200.0, 210.0), False),
        ("time", (100.0, 200.0), (200.0, 100.0), True),
    ],
)
def test_values_and_wall_times_are_apart_from_half_as_much_again_on(
    kind: str, here: tuple[float, float], there: tuple[float, float], *, doubted: bool
) -> None:
    arms = [{"value": value, "wall_s": wall} for value, wall in (here, there)]
    assert codes(table(arms[0], arms[1]), kind) == ({"score-against-wall"} if doubted else set())


def test_the_worst_block_is_told_beside_the_median() -> None:
    rows = table({"value": 10.0, "wall_s": 400.0}, {"value": 10.0, "wall_s": 100.0})
    rows[3] |= {"wall_s": 25.0}
    assert "4 times (1 and 16 at worst, in block 1)" in said(rows, "score-against-wall")


@pytest.mark.parametrize("absent", [None, "", float("nan")])
def test_a_wall_time_that_is_not_there_contradicts_nothing(absent: object) -> None:
    rows = table({"value": 10.0, "wall_s": 439.0}, {"value": 11.5, "wall_s": absent})
    assert codes(rows) == set()
    assert codes(table({"value": 10.0}, {"value": 11.5})) == set()


def test_blocks_of_other_event_numbers_are_not_held_together() -> None:
    rows = table(
        {"value": 10.0, "wall_s": 400.0, "events": 10}, {"value": 10.0, "wall_s": 100.0, "events": 20}
    )
    assert codes(rows, "time") == set()


@pytest.mark.parametrize(("rate", "doubted"), [(180.0, False), (181.0, True), (669.0, True)])
def test_a_rate_beyond_the_disks_own_is_doubted(rate: float, *, doubted: bool) -> None:
    rows = [{**row, "value": rate} for row in table({"value": 1.0, "disk_rate": 150.0}, {"value": 1.0})]
    assert codes(rows) == ({"faster-than-disk"} if doubted else set())
    assert codes(rows, "time") == set()


def test_a_rate_beyond_the_disk_tells_the_median_and_the_worst() -> None:
    rows = table({"value": 100.0}, {"value": 454.0, "disk_rate": 150.0})
    rows[3] |= {"value": 669.0}
    assert said(rows, "faster-than-disk").startswith(
        "The values of guest are 3.03 times what its disk gives by itself (4.46 times at worst, "
        "669 in block 1)"
    )


def test_files_of_other_sizes_are_not_compared_and_the_page_says_why() -> None:
    rows = table({"value": 100.0, "file_size": "4 GiB"}, {"value": 50.0, "file_size": 8 << 30})
    row = estimate(rows)
    assert (row["loss"], row["verdict"], row["ratio_of_totals"]) == (None, "not measured", None)
    assert row["baseline_value"] == pytest.approx(100.0)
    assert row["reason"].startswith("its files were 4 GiB on host and 8 GiB on guest: ")
    assert row["doubts"][0]["code"] == "sizes-differ"
    page = analyse_table(rows, kind="rate")
    assert exit_of(page) == 6
    text = text_analysis(page)
    assert "not comparable" in text
    assert "Not compared\n  its files were 4 GiB on host" in text


def test_only_the_treatment_of_other_files_is_barred() -> None:
    rows = table({"value": 100.0, "file_size": "4 GiB"}, {"value": 50.0, "file_size": "4 GiB"})
    rows += [{**row, "arm": "other", "file_size": "1 GiB"} for row in rows if row["arm"] == "guest"]
    guest, other = assay.analyse(rows, kind="rate")["estimates"]
    assert guest["loss"] is not None
    assert (other["loss"], bool(other["reason"])) == (None, True)


@pytest.mark.parametrize(
    ("column", "cell", "expected"),
    [
        ("wall_s", "-1", "a number above 0 in 'wall_s'"),
        ("wall_s", "0", "a number above 0 in 'wall_s'"),
        ("wall_s", "soon", "a number in 'wall_s'"),
        ("disk_rate", "0", "a number above 0 in 'disk_rate'"),
        ("file_size", "0", "a size above 0 in 'file_size'"),
        ("file_size", "large", "a size above 0 in 'file_size'"),
        ("file_size", "inf", "a size above 0 in 'file_size'"),
        ("file_size", "4 pounds", "a size above 0 in 'file_size'"),
    ],
)
def test_a_cell_that_cannot_be_such_a_figure_is_named(column: str, cell: str, expected: str) -> None:
    rows = table({"value": 10.0, column: cell}, {"value": 10.0, column: cell})
    with pytest.raises(TableError, match=expected):
        assay.analyse(rows)
