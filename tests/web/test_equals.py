"""As many machines of a site as a loss equals."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assay.model.machines.inventory import Entry
from assay.model.machines.machine import Fingerprint, Machine, Reach
from assay.pages.context import Page
from assay.pages.score import Score
from assay.store.fingerprints import keep_fingerprint
from assay.store.store import Store
from assay.web.equals import equal_machines, machines_like
from assay.web.site import Site
from tests.builders import FACTS
from tests.report.pages import quick_page


def scored(loss: float | None = 0.08, low: float | None = 0.06, high: float | None = 0.1) -> Page:
    score = Score(("a", "b"), 1 - (loss or 0), loss, low, high, 9)
    return replace(quick_page(), scores=(score,))


def test_a_loss_equals_that_part_of_the_machines_with_its_interval() -> None:
    found = equal_machines(scored(), 50)
    assert found is not None
    assert (found.count, found.low, found.high) == pytest.approx((4, 3, 5))
    assert found.sentence == "equals 4.0 (3.0 to 5.0) of your 50 machines"
    many = equal_machines(scored(), 1000, processor="EPYC")
    assert many is not None
    assert many.sentence == "equals 80 (60 to 100) of your 1000 machines with EPYC"


@pytest.mark.parametrize(
    ("loss", "low", "high"),
    [
        (0.05, -0.01, 0.1),
        (0.05, 0.0, 0.1),
        (-0.05, -0.1, -0.01),
        (0.005, 0.001, 0.009),
        (0.05, None, None),
        (None, None, None),
    ],
)
def test_no_loss_and_an_undecided_one_equal_nothing(
    loss: float | None, low: float | None, high: float | None
) -> None:
    assert equal_machines(scored(loss, low, high), 50) is None


def test_of_a_single_machine_and_of_several_treatments_nothing_is_said() -> None:
    assert equal_machines(scored(), 1) is None
    several = replace(scored(), scores=scored().scores * 2)
    assert equal_machines(several, 50) is None


def test_without_a_score_the_only_metric_counts() -> None:
    row = replace(quick_page().estimates[0], loss=0.2, low=0.1, high=0.3)
    found = equal_machines(replace(quick_page(), scores=(), estimates=(row,)), 10)
    assert found is not None
    assert (found.of, found.count) == (f"{row.workload} {row.metric}", pytest.approx(2))
    two = replace(quick_page(), scores=(), estimates=(row, replace(row, workload="other")))
    assert equal_machines(two, 10) is None


def test_machines_with_the_processor_that_was_measured_are_counted_else_all(tmp_path: Path) -> None:
    store = Store(tmp_path)
    named = [Entry(Machine(f"n{at}", Reach.SSH, "h")) for at in range(5)]
    store.add_machines([*named, Entry(Machine("vm", Reach.SSH, "h"), guest_of="n0")])
    site = cast("Site", SimpleNamespace(home=tmp_path, store=store))
    page = scored()
    page = replace(page, systems=(cast("Any", SimpleNamespace(cpu_model="A CPU")),))
    found = machines_like(site, page)
    assert found is not None
    assert (found.machines, found.processor) == (6, None)
    for at, model in enumerate(("A CPU", "A CPU", "Another", None)):
        keep_fingerprint(tmp_path, f"n{at}", Fingerprint(replace(FACTS, cpu_model=model), {}, 10**18))
    (tmp_path / "machines/n4").mkdir()
    (tmp_path / "machines/n4/2026-01-01T000000Z.json").write_text("[")
    found = machines_like(site, page)
    assert found is not None
    assert (found.machines, found.processor, found.count) == (2, "A CPU", pytest.approx(0.16))
    store.close()
