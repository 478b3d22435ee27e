"""The check of linearity: false alarms, and a kink that is found, placed and named."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from assay.model.figures.scan import Point, Scan
from assay.model.trial import Arm
from assay.report.doubts import worded
from assay.stats.lines.scan import scan
from tests.campaigns import campaigns as of_campaigns
from tests.campaigns import error

SIZES = (10, 100, 200, 400, 600, 800, 1000, 2000, 4000)
NOISE = 0.012


def line(events: int) -> float:
    return 120 + 0.85 * events


def kinked(events: int) -> float:
    """Return a treatment as without preallocation: an event costs a tenth more after 600."""
    return 130 + 0.88 * events + 0.088 * max(events - 600, 0)


def curved(events: int) -> float:
    """Return times that no broken line fits."""
    return 120 + 0.85 * events + 40 * float(np.sin(np.log(events)))


def campaign(
    draw: np.random.Generator,
    treatment: Callable[[int], float] = line,
    *,
    sizes: Sequence[int] = SIZES,
    blocks: int = 5,
    boot: float = 0.005,
    apart: bool = False,
) -> Scan:
    """Return a scan of times with noise; ``apart`` gives each size blocks of its own."""
    arms = []
    for time in (line, treatment):
        effect = draw.normal(0, 0 if apart else boot, blocks)
        arms.append(
            [
                Point(b + apart * blocks * k, n, float(time(n) * np.exp(effect[b] + draw.normal(0, NOISE))))
                for b in range(blocks)
                for k, n in enumerate(sizes)
            ]
        )
    return scan(*arms)


@of_campaigns(100, 400)
@pytest.mark.parametrize(
    ("sizes", "blocks", "boot", "apart"),
    [
        (SIZES, 5, 0.005, False),
        (SIZES, 3, 0.03, False),
        ((1, 300, 1000), 6, 0.005, False),
        (SIZES[::2], 5, 0.0, True),
        (SIZES, 1, 0.0, False),
    ],
)
def test_straight_lines_are_called_bent_in_at_most_five_percent(
    sizes: tuple[int, ...], blocks: int, boot: float, apart: bool, campaigns: int
) -> None:
    draw = np.random.default_rng(11)
    found = [campaign(draw, sizes=sizes, blocks=blocks, boot=boot, apart=apart) for _ in range(campaigns)]
    alarms = sum(any(not check.straight for check in scanned.linearity) for scanned in found)
    assert alarms / campaigns <= 0.05 + 1.65 * error(0.05, campaigns), alarms


def test_a_kink_at_600_events_of_the_treatment_alone_is_found_and_named() -> None:
    draw, campaigns = np.random.default_rng(12), 100
    found = [campaign(draw, kinked) for _ in range(campaigns)]
    named = 0
    for scanned in found:
        baseline, treatment = scanned.linearity
        assert (baseline.arm, treatment.arm) == (Arm.BASELINE, Arm.TREATMENT)
        kink = treatment.kink
        if not (baseline.straight and kink):
            continue
        named += kink.above < 600 < kink.below and kink.slope_after > kink.slope_before
    assert named >= 93, named


def test_the_kink_is_named_in_a_sentence_with_arm_place_and_slopes() -> None:
    doubts = campaign(np.random.default_rng(1), kinked).doubts
    assert [doubt.code for doubt in doubts] == ["kink"]
    assert "treatment has a kink near" in worded(doubts[0]).sentence
    assert "s an event before it" in worded(doubts[0]).sentence


def test_a_kink_without_noise_has_its_place_and_slopes_exactly() -> None:
    arms = [[Point(b, n, time(n)) for b in range(3) for n in SIZES] for time in (line, kinked)]
    check = scan(*arms).linearity[1]
    assert check.kink is not None
    assert (check.kink.events, check.kink.above, check.kink.below) == (600, 400, 800)
    assert check.kink.seconds == pytest.approx(kinked(600), abs=1e-9)
    assert (check.kink.slope_before, check.kink.slope_after) == pytest.approx((0.88, 0.968), abs=1e-9)
    assert check.chance < 1e-9


def test_three_event_numbers_show_a_kink_but_not_where_between_them() -> None:
    arms = [[Point(b, n, time(n)) for b in range(3) for n in (10, 500, 2000)] for time in (line, kinked)]
    check = scan(*arms).linearity[1]
    assert check.kink is not None
    assert (check.kink.above, check.kink.below) == (10, 2000)


def test_a_curve_that_no_kink_explains_is_called_so() -> None:
    draw = np.random.default_rng(2)
    found = [campaign(draw, curved).linearity[1] for _ in range(20)]
    assert all(not check.straight and check.kink is None for check in found)
    codes = [doubt.code for doubt in campaign(draw, curved).doubts]
    assert codes == ["not-a-line"]


def test_two_event_numbers_are_not_checked() -> None:
    assert campaign(np.random.default_rng(1), sizes=(1, 1000)).linearity == ()


def test_interior_sizes_measured_once_are_enough_to_see_a_strong_kink() -> None:
    draw = np.random.default_rng(4)
    cells = [(b, n) for b in range(12) for n in (1, 4000)] + [(0, 300), (0, 600), (0, 1500)]
    found = 0
    for _ in range(50):
        arms = [
            [Point(b, n, float(time(n) * np.exp(draw.normal(0, NOISE)))) for b, n in cells]
            for time in (line, lambda n: 120 + 0.85 * n + 0.3 * max(n - 600, 0))
        ]
        found += not scan(*arms).linearity[1].straight
    assert found >= 45
