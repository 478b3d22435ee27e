"""The badge of trust: the gravest of what the doubts do, in every notation."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.model.doubt import Severity
from assay.pages.context import DoubtCount
from assay.report.render.html import html_report
from assay.report.render.markdown import markdown_report
from assay.report.render.text import text_report
from assay.report.render.trust import trust_level, trust_text
from tests.report.pages import quick_page

INVALIDATES, SHIFTS, WIDENS, INFORMS = Severity
GOOD = "trust: good, no doubt is about the losses"


def doubts(*severities: Severity) -> tuple[DoubtCount, ...]:
    return tuple(
        DoubtCount(f"c{at}", "A sentence.", 1, severity=severity) for at, severity in enumerate(severities)
    )


@pytest.mark.parametrize(
    ("severities", "level", "text"),
    [
        ((), "good", GOOD),
        ((INFORMS,), "good", GOOD),
        ((INFORMS, WIDENS), "good", "trust: good, less is known than it seems (c1)"),
        (
            (WIDENS, SHIFTS, SHIFTS),
            "limited",
            "trust: limited, figures may be shifted by more than the margin (c1, c2)",
        ),
        ((SHIFTS, INVALIDATES), "low", "trust: low, figures are not what they are called (c1)"),
        (
            (SHIFTS,) * 6,
            "limited",
            "trust: limited, figures may be shifted by more than the margin (c0, c1, c2, c3 and 2 more)",
        ),
    ],
)
def test_the_badge_is_the_gravest_of_the_doubts(
    severities: tuple[Severity, ...], level: str, text: str
) -> None:
    page = replace(quick_page(), doubts=doubts(*severities))
    assert (trust_level(page), trust_text(page)) == (level, text)


def test_a_code_that_comes_twice_is_named_once() -> None:
    page = replace(quick_page(), doubts=doubts(SHIFTS) * 3)
    assert trust_text(page).endswith("(c0)")


def test_every_notation_has_it_beside_the_headline() -> None:
    page = replace(quick_page(), doubts=doubts(SHIFTS))
    assert text_report(page).splitlines()[2] == trust_text(page)
    assert trust_text(page) in markdown_report(page)
    shown = html_report(page)
    assert '<span class="trust limited">trust: limited</span>' in shown
    assert trust_text(page) in shown


def test_where_nothing_was_measured_there_is_nothing_to_trust() -> None:
    page = replace(quick_page(), estimates=())
    assert "trust:" not in text_report(page)
    assert "trust:" not in markdown_report(page)
    assert 'class="trust' not in html_report(page)
