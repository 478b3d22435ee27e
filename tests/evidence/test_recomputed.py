"""The figures of docs/evidence are what the code gives now: recomputed, not read."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evidence.__main__ import LIVE, QUICK, pages
from evidence.page import Page, markdown

FOLDER = Path(__file__).parents[2] / "docs/evidence"
CHEAP = ("published", "budgets", "fleet", "intervals")
"""Seconds: recomputed in every run of the tests."""
MEASURED = ("speed", "tuning", *LIVE)
"""They are measured anew by ``make evidence``, which ends with 1 where a figure is missed."""


def committed(part: str) -> Any:
    return json.loads((FOLDER / f"{part}.json").read_text())


def assert_as_committed(page: Page) -> None:
    assert all(page.held.values()), page.rows
    kept = committed(page.name)
    as_kept = replace(page, rows=kept["rows"])  # a last digit that differs may change how a figure is rounded
    assert markdown(as_kept) == (FOLDER / f"{page.name}.md").read_text()
    assert_close(json.loads(json.dumps([dict(row) for row in page.rows])), kept["rows"])
    assert kept["held"] == page.held
    for name, picture in page.pictures.items():
        assert picture == (FOLDER / name).read_text()


def assert_close(found: Any, wanted: Any) -> None:
    """Check that figures agree but for the last digits, in which processors differ."""
    if isinstance(wanted, dict):
        assert found.keys() == wanted.keys()
        for key, value in wanted.items():
            assert_close(found[key], value)
    elif isinstance(wanted, list):
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted, strict=True):
            assert_close(one, other)
    elif isinstance(wanted, float):
        assert found == pytest.approx(wanted, rel=1e-9, abs=1e-12)
    else:
        assert found == wanted


@pytest.mark.parametrize("part", CHEAP)
def test_a_cheap_part_gives_the_committed_page_again(part: str) -> None:
    assert_as_committed(pages(part))


@pytest.mark.long
@pytest.mark.parametrize("part", [part for part in QUICK if part not in (*CHEAP, *MEASURED)])
def test_every_seeded_part_gives_the_committed_page_again(part: str) -> None:
    assert_as_committed(pages(part))
