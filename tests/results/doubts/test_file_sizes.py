"""Files of other sizes are not compared: the row says so, and why."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.design import plan_trials
from assay.design.file_sizes import apart, sizes_differ
from assay.model.figures.estimate import Verdict
from assay.model.trial import Arm, Trial
from assay.report.render.text import text_report
from assay.results.doubts.file_sizes import sizes_by_workload
from assay.results.outcome import build_page
from tests.builders import WORKLOAD, plan_of, record_of

GIB = 1 << 30
PLAN = plan_of(plan_trials(("spin",), blocks=3, seed=1))


def records(here: int | None, there: int | None) -> list[Trial]:
    """Return records whose tool told of files of these sizes."""
    sizes = {Arm.BASELINE: here, Arm.TREATMENT: there}
    return [
        record_of(planned, 100.0 + planned.index % 5, file_bytes=sizes[planned.arm])
        for planned in PLAN.trials
    ]


def test_a_row_of_files_of_other_sizes_has_no_loss_and_says_why() -> None:
    page = build_page(PLAN, records(16 * GIB, 8 * GIB))
    (row,) = page.estimates
    assert (row.verdict, row.loss, row.low, row.slowdown) == (Verdict.NOT_MEASURED, None, None, None)
    assert row.reason is not None
    assert row.reason.startswith("its files were 16 GiB on the baseline and 8 GiB on the treatment: ")
    assert row.blocks_data
    doubt = page.doubts[0]
    assert (doubt.code, doubt.severity) == ("sizes-differ", "invalidates")
    assert doubt.sentence == f"spin: {row.reason}."
    assert "its files were 16 GiB on the baseline" in text_report(page)


@pytest.mark.parametrize(("here", "there"), [(GIB, GIB), (GIB, None), (None, GIB), (None, None)])
def test_the_same_size_and_one_that_nobody_tells_are_compared(here: int | None, there: int | None) -> None:
    page = build_page(PLAN, records(here, there))
    assert page.estimates[0].loss is not None
    assert not [doubt for doubt in page.doubts if doubt.code == "sizes-differ"]


def test_the_size_that_a_workload_was_given_counts_where_its_output_tells_none() -> None:
    given = replace(WORKLOAD, file_bytes=GIB)
    assert sizes_differ(records(None, None), given) is None
    assert sizes_differ(records(None, 2 * GIB), given) is not None
    assert sizes_by_workload(replace(PLAN, workloads=(given,)), records(None, None)) == {"spin": {GIB}}
    assert sizes_by_workload(PLAN, records(None, None)) == {}


def test_several_sizes_are_the_same_where_both_have_all_of_them() -> None:
    both, one = frozenset({GIB, 2 * GIB}), frozenset({GIB})
    assert apart(both, both, "A", "B") is None
    assert str(apart(both, one, "A", "B")).startswith("its files were 1 GiB and 2 GiB on A and 1 GiB on B")
