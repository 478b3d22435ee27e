"""What is computed for many campaigns at once is what the product computes for each."""

from __future__ import annotations

import numpy as np
import pytest

from assay.model.figures.estimate import Looks, Verdict
from assay.stats import paired_loss
from assay.stats.centre import Centre
from assay.stats.fieller import ratio_of_totals
from assay.stats.mean import student
from assay.stats.rank import hodges_lehmann
from assay.stats.replication.fleet import fleet_loss
from assay.stats.verdicts.sequence import evidence_path
from evidence import many
from evidence.families import FAMILIES, draw_family
from evidence.fleet import fleet_ends
from evidence.noise import PRESETS, Campaigns, simulate

VERDICTS = {
    Verdict.INCONCLUSIVE: "inconclusive",
    Verdict.LOSS: "loss",
    Verdict.GAIN: "gain",
    Verdict.EQUIVALENT: "equivalent",
}


def drawn(blocks: int, *, campaigns: int = 20, loss: float = 0.03) -> Campaigns:
    draw = np.random.default_rng(blocks)
    return simulate(PRESETS["typical"], draw, campaigns=campaigns, blocks=blocks, loss=loss)


def assert_same(found: many.Ends, wanted: list[Centre]) -> None:
    for place, name in enumerate(("value", "low", "high")):
        assert found[place] == pytest.approx([getattr(one, name) for one in wanted], rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("pairs", [6, 7, 24, 61])
def test_hodges_lehmann_and_student_are_the_products(pairs: int) -> None:
    d = drawn(pairs).d
    assert_same(many.typical(d), [hodges_lehmann(row.tolist()) for row in d])
    assert_same(many.student(d), [student(row.tolist()) for row in d])


@pytest.mark.parametrize("pairs", [2, 5, 30])
def test_fieller_is_the_products(pairs: int) -> None:
    of = drawn(pairs)
    treatment, baseline = np.exp(of.treatment), np.exp(of.baseline)
    rows = zip(treatment.tolist(), baseline.tolist(), strict=True)
    assert_same(many.fieller(treatment, baseline), [ratio_of_totals(*row) for row in rows])


@pytest.mark.parametrize("centre", [0.0, 0.03])
def test_the_evidence_is_the_products_after_every_block(centre: float) -> None:
    d = drawn(30).d
    found = many.evidence(d, centre)
    for row in range(10):
        assert found[row] == pytest.approx(evidence_path(d[row].tolist(), centre), abs=1e-9)


@pytest.mark.parametrize("family", ["typical", "outliers 5 %", "heavy tails"])
@pytest.mark.parametrize("loss", [0.0, 0.01, 0.03])
def test_verdicts_are_the_products(family: str, loss: float) -> None:
    d = draw_family(family, seed=1, campaigns=12, blocks=30, loss=loss).d
    for row, last, code in zip(d.tolist(), *many.verdicts(d, margin=0.01), strict=True):
        looks = [
            paired_loss(row[: n + 1], margin=0.01, looks=Looks.EVERY).verdict for n in range(1, last + 1)
        ]
        assert set(looks[:-1]) <= {Verdict.INCONCLUSIVE}
        assert VERDICTS[looks[-1]] == many.NAMES[int(code)]


def test_families_differ_by_one_effect_each_and_are_the_same_for_a_seed() -> None:
    made = {name: draw_family(name, seed=1, campaigns=200, blocks=20, loss=0.03) for name in FAMILIES}
    again = draw_family("trend", seed=1, campaigns=200, blocks=20, loss=0.03)
    assert np.array_equal(made["trend"].d, again.d)
    for drawn in made.values():
        assert drawn.d.shape == (200, 20)
        assert np.median(drawn.d) == pytest.approx(-np.log1p(-0.03), abs=0.002)
    left, right = made["correlated"].d[:, :-1], made["correlated"].d[:, 1:]
    assert np.corrcoef(left.ravel(), right.ravel())[0, 1] == pytest.approx(0.25, abs=0.05)


@pytest.mark.parametrize(("machines", "pairs"), [(3, 4), (4, 10), (8, 5), (10, 10)])
def test_intervals_of_fleets_are_the_products(machines: int, pairs: int) -> None:
    d = drawn(pairs, campaigns=5 * machines).d.reshape(5, machines, pairs)
    low, high = fleet_ends(d)
    for row in range(5):
        wanted = fleet_loss({str(name): values.tolist() for name, values in enumerate(d[row])})
        assert many.losses(low)[row] == pytest.approx(wanted.low, rel=1e-9)
        assert many.losses(high)[row] == pytest.approx(wanted.high, rel=1e-9)
