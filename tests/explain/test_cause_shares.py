"""From which share of a loss on a cause is named, and when a cold start is."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from assay.explain.budget import Budget, budget
from assay.explain.causes import Cause, causes
from assay.explain.split import Category
from tests.explain.cases import GUEST, HOST, made

IO, IDLE, QUEUE, USER = Category.IO, Category.IDLE, Category.QUEUE, Category.USER


def named(budget_: Budget) -> dict[str, Cause]:
    """Return the causes of a budget by their codes."""
    return {cause.code: cause for cause in causes(budget_, HOST, GUEST)}


def grown(io: Sequence[float], idle: Sequence[float]) -> Budget:
    """Return the budget of jobs of 10 s whose waits and idle time grow by so much, one of each a block."""
    base = {USER: 6.0, IO: 2.0, IDLE: 2.0}
    return made(*((base, {USER: 6.0, IO: 2 + a, IDLE: 2 + b}) for a, b in zip(io, idle, strict=True)))


@pytest.mark.parametrize(("io_s", "is_named"), [(0.99, False), (1.0, True), (1.01, True)])
def test_a_cause_is_named_from_a_tenth_of_the_loss_on(io_s: float, is_named: bool) -> None:
    found = named(grown([io_s] * 3, [10 - io_s] * 3))
    assert ("io-wait" in found) is is_named
    assert found["waiting"].share == pytest.approx(1 - io_s / 10)


@pytest.mark.parametrize(
    ("last_s", "is_named"),
    [(8.8, False), (9.0, True), (9.2, True)],  # 0.49, 0.5 and 0.51 of the loss, with 1 s in the first block
)
def test_a_cause_whose_interval_holds_zero_is_named_from_half_of_the_loss_on(
    last_s: float, is_named: bool
) -> None:
    found = named(grown([1.0, last_s], [9.0, 10 - last_s]))
    assert ("io-wait" in found) is is_named
    if is_named:
        part = found["io-wait"].contribution
        assert part.value == pytest.approx((1 + last_s) / 40)
        assert part.low is not None
        assert part.low < 0


def test_the_share_of_a_cause_is_of_the_loss_and_its_contribution_of_the_treatments_time() -> None:
    cause = named(grown([4.0] * 2, [6.0] * 2))["io-wait"]
    assert cause.contribution.value == pytest.approx(0.2)
    assert cause.share == pytest.approx(0.4)
    assert cause.overlaps is False


def test_of_the_categories_of_a_claim_those_that_shrank_do_not_count() -> None:
    base, treated = {USER: 6.0, IO: 1.0, IDLE: 3.0}, {USER: 16.0, IO: 2.0, IDLE: 2.0}
    seen = {"memory_bytes": 1 << 20, "limit_hits": 50.0}
    from dataclasses import replace

    found = causes(
        made((base, treated), (base, treated)), replace(HOST, limit_hits=0.0), replace(GUEST, **seen)
    )
    shares = {cause.code: cause.share for cause in found}
    assert shares["memory-limit"] == pytest.approx(0.1)


def test_a_category_belongs_to_one_cause_alone() -> None:
    """Memory that is short takes I/O wait and idle time, so that neither is named again."""
    from dataclasses import replace

    short = replace(GUEST, limit_hits=50.0, read_bytes=0.0, write_bytes=0.0)
    found = causes(grown([4.0] * 2, [6.0] * 2), replace(HOST, limit_hits=0.0), short)
    assert [(cause.code, cause.share) for cause in found] == [("memory-limit", pytest.approx(1.0))]


def test_a_claim_that_is_too_small_leaves_its_categories_to_the_next_rule() -> None:
    """A quota takes waits for a processor: where these did not grow the idle time is still named."""
    from dataclasses import replace

    base, treated = {USER: 5.0, QUEUE: 1.0, IDLE: 4.0}, {USER: 5.0, QUEUE: 1.0, IDLE: 14.0}
    quota = replace(GUEST, throttled_s=5.0)
    found = causes(made((base, treated), (base, treated)), HOST, quota)
    assert [cause.code for cause in found] == ["waiting"]


def started(
    init: Sequence[float], loop: Sequence[float], *, phases: tuple[str, str] = ("init", "loop")
) -> Budget:
    """Return the budget of jobs of 2 + 8 s whose phases grow by so much."""
    first, second = phases
    base = {(first, USER): 2.0, (second, USER): 8.0}
    return budget(
        [(base, {(first, USER): 2.0 + a, (second, USER): 8.0 + b}) for a, b in zip(init, loop, strict=True)]
    )


@pytest.mark.parametrize(("init_s", "is_named"), [(4.99, False), (5.0, True), (5.01, True)])
def test_a_cold_start_holds_half_of_the_loss_at_least(init_s: float, is_named: bool) -> None:
    assert ("cold-start" in named(started([init_s] * 3, [10 - init_s] * 3))) is is_named


def test_a_cold_start_whose_interval_holds_zero_is_not_named() -> None:
    found = started([2.0, 9.0], [8.0, 1.0])
    assert found.sum_of(lambda key: key[0] == "init").value / found.loss.value > 0.5
    assert set(named(found)) == {"slower-cpu"}


@pytest.mark.parametrize(
    ("phases", "is_named"),
    [
        (("init", "event-loop"), True),
        (("init", "rest"), False),
        (("init", "total"), False),
        (("warm-up", "event-loop"), False),
    ],
)
def test_a_cold_start_is_the_first_of_several_phases(phases: tuple[str, str], is_named: bool) -> None:
    assert ("cold-start" in named(started([9.0] * 2, [1.0] * 2, phases=phases))) is is_named


def test_a_cold_start_is_told_with_its_times_and_what_to_do() -> None:
    cause = named(started([9.0] * 2, [1.0] * 2))["cold-start"]
    assert cause.sentence == (
        "Initialization takes 11 s instead of 2 s and holds 90% of the loss: with more events a "
        "job loses less."
    )
    assert (
        cause.next == "run more events in a job, or warm what it reads at its start: cache, images, preload"
    )
    assert cause.overlaps is True
    assert cause.contribution.value == pytest.approx(0.45)
    assert cause.share == pytest.approx(0.9)


def test_causes_are_told_the_largest_first() -> None:
    assert list(named(started([9.0] * 2, [1.0] * 2))) == ["slower-cpu", "cold-start"]
    assert list(named(grown([4.0] * 2, [6.0] * 2))) == ["waiting", "io-wait"]
