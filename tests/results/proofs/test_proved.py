"""Causes of a budget that a proof speaks of."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.model.figures.proof import Proved
from assay.pages.budget import CauseShown
from assay.pages.proof import AblationShare, Proof, ProofRow
from assay.results.proofs.proved import with_proof
from tests.report.budgets import phases_budget

QUOTA = AblationShare("cpu-quota", 0.12, 0.08, 0.16, Proved.CAUSED)


def proved(*shares: AblationShare, metric: str = "wall_time", changed: bool = False) -> CauseShown:
    """Return what a proof makes of a quota that is attributed half of the throughput."""
    cause = CauseShown("cpu-quota", "A quota.", "lift it", 0.5, 0.49, 0.51, 0.9, overlaps=False)
    budget = replace(phases_budget(), causes=(cause,))
    row = ProofRow("my-job", metric, None, shares, None, (), None, changed=changed)
    proof = Proof("id", "complete", 3, 0.95, (), (), "all", (), (row,))
    (shown,) = with_proof([budget], proof)
    (only,) = shown.causes
    return only


def test_a_proved_cause_has_the_share_that_was_proved_and_not_all_that_is_attributed() -> None:
    cause = proved(QUOTA)
    assert cause.evidence == "caused"
    assert (cause.proved, cause.proved_low, cause.proved_high) == (0.12, 0.08, 0.16)
    assert cause.contribution == 0.5


@pytest.mark.parametrize("verdict", [Proved.NOT_PROVED, Proved.ADDS])
def test_a_share_whose_interval_holds_zero_or_less_proves_nothing(verdict: Proved) -> None:
    cause = proved(replace(QUOTA, low=-0.01, verdict=verdict))
    assert (cause.evidence, cause.proved) == ("attributed", None)


def test_what_is_proved_of_a_loss_that_has_changed_is_not_the_results_cause() -> None:
    assert proved(QUOTA, changed=True).evidence == "attributed"


def test_another_metrics_proof_and_another_ablations_say_nothing() -> None:
    assert proved(QUOTA, metric="other").evidence == "attributed"
    assert proved(replace(QUOTA, ablation="memory")).evidence == "attributed"
