"""One metric over machines: the fleet, classes of hardware, outliers and what they have alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.design import plan_trials
from assay.model.figures.estimate import Verdict
from assay.model.machines.machine import Facts, Fingerprint
from assay.model.trial import Arm
from assay.pages.context import Row
from assay.pages.fleet import OtherFact
from assay.report.tables.fleet import fleet_headline, metric_cells, outlier_sentences
from assay.results.fleet.fleet_rows import Measured, fleet_rows, hardware_of
from assay.results.outcome import build_page
from tests.builders import FACTS, plan_of, record_of
from tests.report.fleets import page_with

TRIALS = plan_trials(("spin",), blocks=3, seed=1)
PLAN = plan_of(TRIALS)


def fingerprint(facts: Facts = FACTS, **limits: object) -> Fingerprint:
    return Fingerprint(facts, {"limits": limits, "kernel": {"flags": ["a", "b"]}}, 0)


def machine(
    name: str,
    loss: float,
    value: float = 100.0,
    seen: Fingerprint | None = None,
    *,
    trials: int = len(TRIALS),
) -> Measured:
    """Return a machine whose rate is that, and a treatment that loses so much of it; a little noise."""
    records = [
        record_of(
            trial,
            value * (1 + 0.001 * (trial.block - 1)) * (1 - loss if trial.arm is Arm.TREATMENT else 1.0),
        )
        for trial in TRIALS[:trials]
    ]
    return Measured(name, build_page(PLAN, records), seen or fingerprint(replace(FACTS, hostname=name)))


def test_each_machine_counts_once_and_the_interval_is_over_machines() -> None:
    (row,) = fleet_rows([machine(f"n{at}", 0.09 + 0.01 * at) for at in range(3)])
    assert row.fleet.machines == 3
    assert row.fleet.loss == pytest.approx(0.10, abs=1e-3)
    assert row.fleet.low is not None
    assert row.fleet.high is not None
    # Student's interval of three values a hundredth apart
    assert row.fleet.high - row.fleet.low == pytest.approx(2 * 4.303 * 0.01 / 3**0.5, rel=0.05)
    assert [one.machine for one in row.machines] == ["n0", "n1", "n2"]
    assert (row.classes, row.outliers) == ((), ())


def test_of_one_machine_there_is_no_interval_over_machines() -> None:
    (row,) = fleet_rows([machine("n0", 0.1)])
    assert (row.fleet.machines, row.fleet.low, row.fleet.high) == (1, None, None)
    assert row.machines[0].low is not None


def test_a_machine_without_a_loss_is_shown_and_counts_nowhere() -> None:
    (row,) = fleet_rows([machine("n0", 0.1), machine("n1", 0.1), machine("n2", 0.1, trials=1)])
    assert [one.machine for one in row.machines] == ["n0", "n1", "n2"]
    assert row.machines[2].verdict is Verdict.NOT_MEASURED
    assert row.fleet.machines == 2


def test_classes_of_hardware_have_losses_of_their_own() -> None:
    other = replace(FACTS, cpu_model="Another CPU", memory_bytes=16 << 30)
    fleet = [machine(f"a{at}", 0.1) for at in range(2)]
    fleet += [machine(f"b{at}", 0.3, seen=fingerprint(other)) for at in range(2)]
    (row,) = fleet_rows(fleet)
    assert [(one.hardware, one.machines) for one in row.classes] == [
        ("A CPU, 2 processors, 8 GiB", 2),
        ("Another CPU, 2 processors, 16 GiB", 2),
    ]
    assert [one.loss for one in row.classes] == [pytest.approx(0.1), pytest.approx(0.3)]
    assert next(cells[2] for cells in metric_cells(row)) == "all machines"


def test_memory_that_differs_by_what_the_firmware_keeps_is_one_class() -> None:
    less = replace(FACTS, memory_bytes=FACTS.memory_bytes - (100 << 20))
    assert hardware_of(less) == hardware_of(FACTS)


def with_outliers() -> list[Measured]:
    fleet = [machine(f"n{at:02d}", 0.1 + 0.001 * (at % 3)) for at in range(8)]
    fleet[3] = machine("n03", 0.4, seen=fingerprint(replace(FACTS, hostname="n03"), processors=0.5))
    fleet[6] = machine("n06", 0.1, 70.0, seen=fingerprint(replace(FACTS, hostname="n06", thp="never")))
    return fleet


def test_outliers_are_named_in_what_they_are_with_what_they_have_alone() -> None:
    (row,) = fleet_rows(with_outliers())
    found = {(one.machine, one.of): one for one in row.outliers}
    assert set(found) == {("n03", "loss"), ("n06", "baseline")}
    loss, slow = found["n03", "loss"], found["n06", "baseline"]
    assert (loss.value, loss.others) == (pytest.approx(0.4), pytest.approx(0.101, abs=1e-3))
    assert [(one.field, one.value, one.others) for one in loss.differs] == [
        ("limits.processors", "0.5", None)
    ]
    assert (slow.value, slow.others) == (pytest.approx(70, rel=1e-3), pytest.approx(100, rel=1e-3))
    assert slow.differs == (OtherFact("general.thp", "never", None),)


def test_what_every_machine_has_another_value_of_is_no_difference() -> None:
    (row,) = fleet_rows(with_outliers())
    assert all(one.field != "general.hostname" for outlier in row.outliers for one in outlier.differs)


def test_a_machine_is_compared_with_its_own_class_alone() -> None:
    other = replace(FACTS, cpu_model="Another CPU")
    fleet = [machine(f"n{at}", 0.1 + 0.001 * at) for at in range(6)]
    fleet.append(machine("b0", 0.4, seen=fingerprint(other)))
    (row,) = fleet_rows(fleet)
    assert row.outliers == ()


def test_sentences_name_machine_metric_and_facts() -> None:
    page = page_with(fleet_rows(with_outliers()))
    loss, slow = outlier_sentences(page)
    assert loss.startswith("n03 loses 40 % in spin events, the others of its class 10.1 %; ")
    assert loss.endswith("what it has alone: limits.processors is 0.5, of the others none")
    assert (
        "n06 has 70.00 events/s on its baseline in spin events, the others of its class 100.0 (-30 %)" in slow
    )
    assert fleet_headline(page).endswith("; 2 outliers")


def test_metrics_of_a_treatment_are_judged_together() -> None:
    alone = [machine(f"n{at}", 0.05 + 0.004 * at) for at in range(4)]
    (row,) = fleet_rows(alone)
    more = [
        replace(one, page=replace(one.page, estimates=tuple(_named(one, name) for name in "abcdef")))
        for one in alone
    ]
    rows = fleet_rows(more)
    assert len(rows) == 6
    assert row.fleet.verdict is Verdict.LOSS
    assert rows[0].fleet.low is not None
    assert row.fleet.low is not None
    assert rows[0].fleet.low < row.fleet.low


def _named(one: Measured, name: str) -> Row:
    return replace(one.page.estimates[0], metric=name)


def test_while_machines_measure_there_is_no_verdict() -> None:
    measured = [machine(f"n{at}", 0.09 + 0.01 * at) for at in range(3)]
    (now,), (later,) = (fleet_rows(measured, over=over) for over in (False, True))
    assert (now.fleet.verdict, later.fleet.verdict) == (Verdict.INCONCLUSIVE, Verdict.LOSS)
    assert (now.fleet.loss, now.fleet.low) == (later.fleet.loss, later.fleet.low)


def test_a_value_that_one_other_shares_is_no_tie_with_that_of_the_class() -> None:
    seen = [fingerprint(replace(FACTS, hostname=f"n{at}"), thp=at < 2) for at in range(8)]
    measured = [machine(f"n{at}", 0.4 if at == 0 else 0.1 + 0.001 * at, seen=seen[at]) for at in range(8)]
    (row,) = fleet_rows(measured)
    (outlier,) = row.outliers
    assert OtherFact("limits.thp", "true", "false") in outlier.differs
