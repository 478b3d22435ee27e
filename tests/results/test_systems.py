"""Where each arm ran, from its first record."""

from __future__ import annotations

from assay.results.methods.system import systems_of
from tests.results.test_outcome import PLAN, records


def test_each_arm_is_told_of_once_in_the_order_of_the_plan() -> None:
    found = systems_of(PLAN, records())
    assert [one.label for one in found] == [arm.label for arm in PLAN.arms]
    first = records()[0]
    assert (found[0].hostname, found[0].kernel) == (first.facts.hostname, first.facts.kernel)
    assert found[0].confined == first.limits.cpus
    assert found[0].platform is None


def test_an_arm_without_a_record_is_left_out() -> None:
    assert [one.label for one in systems_of(PLAN, records()[:1])] == [PLAN.baseline.label]
    assert systems_of(PLAN, ()) == ()
