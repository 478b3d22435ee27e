"""Curves that bend all the way get no knee, and broken lines keep theirs."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import pytest

from assay.explain.scaling import Followed, Form, Resource, ScalePoint, followed_by, knee_of, scaling_of
from assay.explain.scaling.choice import aicc
from tests.explain.scaling.curves import COUNTS, Shape, amdahl, bent, measured, plateau, usl

CAMPAIGNS = 60


def reported(shape: Shape, *, counts: tuple[int, ...] = COUNTS, blocks: int = 5) -> list[Followed]:
    drawn = (measured(shape, counts=counts, blocks=blocks, seed=seed) for seed in range(CAMPAIGNS))
    return [followed_by(points, knee_of(points)) for points in drawn]


def share(found: list[Followed], *forms: Form | None) -> float:
    counted = Counter(one.form for one in found)
    return sum(counted[form] for form in forms) / len(found)


@pytest.mark.parametrize("shape", [plateau(6), bent(6, 0.3), bent(4, -0.3)])
@pytest.mark.parametrize("blocks", [2, 5])
def test_a_broken_line_keeps_its_knee(shape: Shape, blocks: int) -> None:
    assert share(reported(shape, blocks=blocks), Form.HINGE) >= 0.9


@pytest.mark.long
@pytest.mark.parametrize(
    "shape", [amdahl(0.02), amdahl(0.05), amdahl(0.2), usl(0.02, 0.001), usl(0.05, 0.01)]
)
def test_a_curve_that_bends_all_the_way_gets_no_knee(shape: Shape) -> None:
    found = reported(shape)
    assert share(found, Form.HINGE, Form.LINEAR) <= 0.05
    assert share(found, Form.AMDAHL, Form.USL) >= 0.7


@pytest.mark.parametrize("counts", [(1, 2, 4), COUNTS])
def test_a_straight_curve_is_called_straight(counts: tuple[int, ...]) -> None:
    assert share(reported(plateau(100), counts=counts), Form.LINEAR) == 1.0


@pytest.mark.parametrize(("shape", "form"), [(amdahl(0.05), Form.AMDAHL), (usl(0.05, 0.01), Form.USL)])
def test_the_parameters_of_a_law_lie_in_their_intervals(shape: Shape, form: Form) -> None:
    own = [one for one in reported(shape) if one.form is form]
    held = [one.serial for one in own if one.serial is not None]
    assert len(held) >= 0.9 * CAMPAIGNS
    assert sum((s.low or 0) <= 0.05 <= (s.high or 0) for s in held) >= 0.88 * len(held)
    peaks = [one.peak for one in own if one.peak is not None]
    assert len(peaks) == (len(own) if form is Form.USL else 0)
    assert sum((p.low or 0) <= math.sqrt(95) <= (p.high or 0) for p in peaks) >= 0.88 * len(peaks)


def test_few_counts_do_not_tell_a_knee_from_a_law_and_say_so() -> None:
    found = reported(usl(0.05, 0.01), counts=(1, 2, 4))
    untold = [one for one in found if one.form is None]
    assert len(untold) >= CAMPAIGNS / 4
    assert all("describe it about as well" in one.untold for one in untold)
    assert share(found, Form.HINGE) == 0.0


def test_one_block_tells_a_knee_from_five_counts_on() -> None:
    exact = [measured(plateau(2.5), counts=counts, blocks=1, noise=1e-6) for counts in ((1, 2, 4, 8), COUNTS)]
    few, enough = (followed_by(points, knee_of(points)) for points in exact)
    assert few.form is None
    assert few.untold.startswith("4 numbers of workers in so few blocks do not tell a knee")
    assert enough.form is Form.HINGE
    law = measured(amdahl(0.1), blocks=1, noise=1e-6)
    found = followed_by(law, knee_of(law))
    assert found.serial is not None
    assert (found.form, found.serial.low) == (Form.AMDAHL, None)


def test_a_rate_that_never_grows_has_its_knee_at_the_fewest_workers_though_amdahl_says_the_same() -> None:
    found = reported(plateau(1), counts=(1, 2, 4, 8))
    assert share(found, Form.HINGE) >= 0.9


def test_a_curve_that_ends_a_little_below_its_line_is_straight_unless_a_law_is_told() -> None:
    points = measured(plateau(11.5), noise=1e-3)
    assert followed_by(points, knee_of(points)).form is Form.LINEAR
    clear = measured(amdahl(0.005), noise=1e-3)
    assert followed_by(clear, knee_of(clear)).form is Form.AMDAHL


def test_two_counts_follow_nothing_that_could_be_told() -> None:
    assert followed_by(measured(plateau(1), counts=(1, 2)), None) == Followed(None)


def test_a_knee_that_may_lie_up_to_the_most_workers_is_not_told() -> None:
    rates = ({1: 1.0, 2: 2.0, 4: 4.0, 8: 8.0, 16: 9.0}, {1: 1.0, 2: 2.0, 4: 4.0, 8: 8.0, 16: 14.9})
    points = [ScalePoint(n, block, rate) for block, one in enumerate(rates) for n, rate in one.items()]
    assert knee_of(points) is None
    assert scaling_of(points).followed.untold != ""


def test_aicc_by_hand_and_without_the_speed_of_blocks() -> None:
    """Residuals of ± a in each of two blocks; six points, two blocks, one parameter and the noise."""
    a = 0.01
    points = [
        ScalePoint(n, block, n * math.exp(shift + (a if n == 2 else -a if n == 4 else 0.0)))
        for block, shift in enumerate((0.0, 0.5))
        for n in (1, 2, 4)
    ]
    costs = 6 * math.log(4 * a**2 / 6) + 2 * 4 + 2 * 4 * 5 / (6 - 4 - 1)
    assert aicc(points, lambda x: x, 1) == pytest.approx(costs, abs=1e-6)
    assert aicc(points, lambda x: x, 2) == math.inf


@pytest.mark.parametrize(("share", "noise", "reported"), [(0.01, 0.08, False), (0.2, 0.02, True)])
def test_a_law_is_told_only_where_noise_does_not_hide_it(
    share: float, noise: float, *, reported: bool
) -> None:
    forms = [
        followed_by(measured(amdahl(share), noise=noise, seed=seed), None).form for seed in range(CAMPAIGNS)
    ]
    assert (forms.count(Form.AMDAHL) >= 0.9 * CAMPAIGNS) is reported
    assert reported or Form.AMDAHL not in forms


def test_confidence_widens_the_intervals_of_a_law() -> None:
    points = measured(amdahl(0.1))
    wide, narrow = (followed_by(points, None, confidence=level).serial for level in (0.99, 0.8))
    assert wide is not None
    assert narrow is not None
    assert (wide.low or 0) < (narrow.low or 0) < 0.1 < (narrow.high or 0) < (wide.high or 1)
    assert followed_by(points, None) == followed_by(points, None, confidence=0.95)


def test_neither_the_order_of_points_nor_their_unit_changes_the_law() -> None:
    points = measured(usl(0.05, 0.01))
    other = [replace(point, rate=1000 * point.rate) for point in reversed(points)]
    one, two = (followed_by(some, knee_of(some)) for some in (points, other))
    assert one.form is two.form is Form.USL
    assert one.serial is not None
    assert two.serial is not None
    assert two.serial.value == pytest.approx(one.serial.value, rel=1e-6)


def test_what_saturates_is_looked_for_with_the_most_workers_of_a_curve_that_bends_all_the_way() -> None:
    points = [
        replace(point, processors=12, cpu_share=0.98 * point.workers / 12, system_share=0.02)
        for point in measured(amdahl(0.02), noise=0.002)
    ]
    found = scaling_of(points)
    assert (found.knee, found.followed.form) == (None, Form.AMDAHL)
    assert found.saturation.resource is Resource.CPU
    assert found.saturation.sentence.startswith("With the most workers the 12 processors are")
    still = [replace(p, cpu_share=0.5, disk_bytes_per_s=1e6 * p.rate) for p in measured(amdahl(0.1))]
    assert scaling_of(still).saturation.resource is Resource.UNKNOWN  # the disk moves ever more
    full = [replace(p, disk_bytes_per_s=5e6 * min(3.0, p.rate)) for p in still]
    assert scaling_of(full).saturation.resource is Resource.DISK_THROUGHPUT
    bare = scaling_of(measured(amdahl(0.1))).saturation
    assert "tells what limits with the most workers" in bare.sentence


def test_a_curve_of_which_nothing_can_be_told_says_why_and_asks_for_more_counts() -> None:
    found = next(
        one
        for seed in range(CAMPAIGNS)
        if (one := scaling_of(measured(usl(0.05, 0.01), counts=(1, 2, 4), seed=seed))).followed.form is None
    )
    assert found.knee is None
    assert " describe it about as well. Nothing that was measured" in found.saturation.sentence
    assert found.saturation.next == "Measure with more numbers of workers, and in more blocks."
