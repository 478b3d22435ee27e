"""Doubts are ranked by what they do to the figure, and every code has its rank, in the code and in
docs/doubts.md.
"""

from __future__ import annotations

import pytest

from assay.explain.sanity import SEVERITIES, severity_of, worst_severity
from assay.model.doubt import Doubt, Severity
from assay.report.doubts import NEXT
from tests.explain.sanity.test_docs import documented, known


def test_every_doubt_has_a_severity() -> None:
    assert sorted(set(known()) - set(SEVERITIES)) == []
    assert sorted(set(SEVERITIES) - set(known())) == []
    assert set(NEXT) <= set(SEVERITIES)


def test_the_documented_severity_is_the_one_that_is_told() -> None:
    reported = {code: row[3] for code, row in documented().items()}
    assert reported == {code: str(severity) for code, severity in SEVERITIES.items()}


def test_the_order_is_from_what_bars_a_figure_to_what_stands_beside_it() -> None:
    assert [str(one) for one in sorted(Severity, key=Severity.rank)] == [
        "invalidates", "shifts", "widens", "informs",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("codes", "worst"),
    [
        ((), None),
        (("no-phase",), Severity.INFORMS),
        (("no-phase", "sessions-differ"), Severity.WIDENS),
        (("sessions-differ", "disturbed", "no-phase"), Severity.SHIFTS),
        (("disturbed", "cached-reads"), Severity.INVALIDATES),
    ],
)
def test_the_worst_of_several_stands_for_all(codes: tuple[str, ...], worst: Severity | None) -> None:
    assert worst_severity(Doubt(code, "…") for code in codes) is worst


def test_a_code_of_another_version_may_shift_the_figure() -> None:
    assert severity_of("of-tomorrow") is Severity.SHIFTS
