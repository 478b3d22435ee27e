"""What is computed for many campaigns at once is what the product computes for each."""

from __future__ import annotations

import numpy as np
import pytest

from assay.model.estimate import Verdict
from assay.stats import paired_loss
from assay.stats.centre import Centre
from assay.stats.fieller import ratio_of_totals
from assay.stats.fleet import fleet_loss
from assay.stats.mean import student
from assay.stats.rank import hodges_lehmann
from assay.stats.sequence import confidence_sequence
from evidence import many
from evidence.fleet import fleet_ends
from evidence.noise import PRESETS, Campaigns, simulate
from evidence.verdicts import NAMES, codes

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
    assert_same(many.hodges_lehmann(d), [hodges_lehmann(row.tolist()) for row in d])
    assert_same(many.student(d), [student(row.tolist()) for row in d])


@pytest.mark.parametrize("pairs", [2, 5, 30])
def test_fieller_is_the_products(pairs: int) -> None:
    of = drawn(pairs)
    treatment, baseline = np.exp(of.treatment), np.exp(of.baseline)
    rows = zip(treatment.tolist(), baseline.tolist(), strict=True)
    assert_same(many.fieller(treatment, baseline), [ratio_of_totals(*row) for row in rows])


def test_the_confidence_sequence_is_the_products_after_every_block() -> None:
    d = drawn(30).d
    low, high = many.sequences(d)
    for row in range(3):
        wanted = [confidence_sequence(d[row, :n].tolist()) for n in range(1, 31)]
        assert low[row] == pytest.approx([ends[0] for ends in wanted], rel=1e-9)
        assert high[row] == pytest.approx([ends[1] for ends in wanted], rel=1e-9)


@pytest.mark.parametrize("loss", [0.0, 0.01, 0.03])
def test_verdicts_are_the_products(loss: float) -> None:
    d = drawn(30, loss=loss, campaigns=10).d
    found = codes(*(many.losses(ends) for ends in many.sequences(d)), margin=0.01)
    for row, code in zip(d, found, strict=True):
        wanted = [VERDICTS[paired_loss(row[:n].tolist(), margin=0.01).verdict] for n in range(6, 31)]
        assert [NAMES[int(one)] for one in code[5:]] == wanted


@pytest.mark.parametrize(("machines", "pairs"), [(3, 4), (4, 10), (8, 5), (10, 10)])
def test_intervals_of_fleets_are_the_products(machines: int, pairs: int) -> None:
    d = drawn(pairs, campaigns=5 * machines).d.reshape(5, machines, pairs)
    low, high = fleet_ends(d)
    for row in range(5):
        wanted = fleet_loss({str(name): values.tolist() for name, values in enumerate(d[row])})
        assert many.losses(low)[row] == pytest.approx(wanted.low, rel=1e-9)
        assert many.losses(high)[row] == pytest.approx(wanted.high, rel=1e-9)
