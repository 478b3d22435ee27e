"""What disturbed the host: the median and the worst, and no advice to add blocks of the same."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.design import plan_trials
from assay.model.doubt import Doubt
from assay.model.trial import Arm, Trial
from assay.model.work.disturbance import HostOver
from assay.report.doubts import worded
from assay.results.doubts.disturbed import SWAMPED, disturbance, is_swamped
from assay.results.outcome import build_page
from tests.builders import plan_of, record_of

TRIALS = plan_trials(("spin",), blocks=4, seed=1)
PLAN = plan_of(TRIALS)


def over(foreign_s: float = 0.0, steal_s: float = 0.0, swap: int = 0) -> HostOver:
    """Return a host of two processors over ten seconds."""
    return HostOver(10.0, (0, 1), foreign_s, steal_s, 0, below_base=False, swap_pages=swap, clock_step_s=0.0)


def records(*hosts: HostOver | None) -> list[Trial]:
    """Return records of which the first ones ran on these hosts, each with its doubt; the rest was quiet."""
    reported = [*hosts, *[over()] * (len(TRIALS) - len(hosts))]
    found = []
    for planned, host in zip(TRIALS, reported, strict=True):
        noisy = 100.0 + (planned.index * 7) % 13 + 2 * (planned.arm is Arm.TREATMENT)
        doubts = (Doubt("disturbed", "The host was disturbed meanwhile."),) if host != over() else ()
        found.append(replace(record_of(planned, noisy), host=host, doubts=doubts))
    return found


def test_the_median_and_the_worst_are_told_and_not_the_first() -> None:
    held = records(over(1.4), over(15.4), over(19.6))  # of 20 s: 7, 77 and 98 %
    found = disturbance(held, held[:3])
    assert found is not None
    worst = TRIALS[2]
    assert worded(found).sentence == (
        "The host was disturbed in 3 of 12 trials: others had 77% in the median and 98% at most "
        "of the measured "
        f"processors' time (foreign-cpu, 3 trials, worst in block {worst.block}, {worst.arm}, spin)."
    )
    assert worded(found).next is not None
    assert "rerun: [foreign-cpu]" in str(worded(found).next)


def test_each_cause_is_told_also_what_has_no_share() -> None:
    held = records(over(4.0, 1.0, 300))
    found = disturbance(held, held[:1])
    assert found is not None
    place = f"{TRIALS[0].block}, {TRIALS[0].arm}, spin"
    assert worded(found).sentence == (
        "The host was disturbed in 1 of 12 trials: others had 20% of the measured processors' "
        "time (foreign-cpu, 1 trial, "
        f"block {place}); the host's own hypervisor took 5% of the measured processors' time "
        f"(host-steal, 1 trial, block {place}); the host swapped 300 pages (swap, 1 trial, in block {place})."
    )


def test_what_has_no_share_is_told_by_its_worst_case_too() -> None:
    """300 pages in the first trial, 90000 in the second: the second is told, and what is usual."""
    held = records(over(swap=300), over(swap=90_000), over(swap=700))
    found = disturbance(held, held[:3])
    assert found is not None
    worst = TRIALS[1]
    assert worded(found).sentence == (
        "The host was disturbed in 3 of 12 trials: the host swapped 90000 pages (swap, 3 trials, "
        f"worst in block {worst.block}, {worst.arm}, spin, 700 in the median)."
    )


def test_records_that_do_not_tell_what_the_host_did_keep_their_own_sentence() -> None:
    held = records(None)
    assert disturbance(held, held[:1]) is None
    (doubt,) = (one for one in build_page(PLAN, held).doubts if one.code == "disturbed")
    assert doubt.sentence.startswith("The host was disturbed meanwhile.")


def test_a_page_tells_it_once_with_the_number_of_trials() -> None:
    (doubt,) = (
        one for one in build_page(PLAN, records(over(15.0), over(5.0))).doubts if one.code == "disturbed"
    )
    assert doubt.count == 2
    assert "50% in the median and 75% at most" in doubt.sentence


@pytest.mark.parametrize(("disturbed", "swamped"), [(5, False), (6, True)])
def test_where_half_of_the_trials_were_disturbed_no_blocks_are_advised(
    disturbed: int, *, swamped: bool
) -> None:
    assert SWAMPED == 0.5
    held = records(*[over(10.0)] * disturbed)
    assert is_swamped(held) is swamped
    page = build_page(PLAN, held)
    (row,) = page.estimates
    assert row.verdict == "inconclusive"
    assert (row.blocks_more is None) is swamped
    assert any("activity extend" in command for command in page.next) is not swamped


def test_nothing_that_was_read_is_not_swamped() -> None:
    assert not is_swamped([])
    assert not is_swamped(records(*[None] * 12))
