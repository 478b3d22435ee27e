"""What docs/evidence measures on a machine is measured anew: figures differ each time, what they are held to
does not.

It stands among the last tests of the lane of guests: those without guests have ended by then, and disturb no
loss.
"""

from __future__ import annotations

import pytest

from evidence import planted
from evidence.__main__ import pages
from tests.evidence.test_recomputed import MEASURED, committed

pytestmark = [pytest.mark.live, pytest.mark.long]


@pytest.mark.parametrize("part", [part for part in MEASURED if part != "planted"])
def test_what_is_measured_anew_holds_what_the_committed_page_holds(part: str) -> None:
    page = pages(part)
    assert page.held.keys() == committed(part)["held"].keys()
    assert all(page.held.values()), page.rows


def test_planted_losses_are_found_by_fewer_campaigns_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planted, "CAMPAIGNS", 5)
    monkeypatch.setattr(planted, "MOST_ASIDE", 2)
    page = planted.page()
    assert [row["plant"] for row in page.rows] == [row["plant"] for row in committed("planted")["rows"]]
    assert all(page.held.values()), page.rows
