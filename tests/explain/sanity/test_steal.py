"""Steal inside a guest against its vCPUs' waits on the host."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.explain.sanity import Sampled
from assay.explain.sanity.steal import steal_disagrees
from assay.report.doubts import worded
from tests.explain.sanity.both import QUIET, THERE, both


@pytest.mark.parametrize(("steal_s", "doubts"), [(10.0, 0), (13.5, 0), (2.0, 1), (20.0, 1), (None, 0)])
def test_steal_that_is_not_the_waiting_outside_is_doubted(steal_s: float | None, doubts: int) -> None:
    sampled = {THERE.name: Sampled(vcpu_wait_s=(9.5, 12.0))}
    found = list(steal_disagrees(both(QUIET, replace(QUIET, steal_s=steal_s), sampled=sampled)))
    assert len(found) == doubts
    for doubt in found:
        assert doubt.code == "steal-disagrees"
        assert "9.5 to 12 s" in worded(doubt).sentence


def test_without_a_watch_of_the_host_nothing_is_doubted() -> None:
    assert list(steal_disagrees(both(QUIET, replace(QUIET, steal_s=50.0)))) == []
