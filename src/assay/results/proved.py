"""What a proof and a budget have to say to each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from assay.model.proof import Proved
from assay.report.budget import BudgetShown, CauseShown
from assay.report.proof import Proof
from assay.scenes import TOGGLES


def weights_of(budgets: Iterable[BudgetShown]) -> Mapping[str, float]:
    """Return the part of the loss by cause and by state, over all workloads: the order in which toggles are tried."""
    weights: dict[str, float] = defaultdict(float)
    for budget in budgets:
        for cause in budget.causes:
            weights[cause.code] += cause.contribution
        for part in budget.parts:
            weights[part.category] += part.contribution
    return weights


def with_proof(budgets: Sequence[BudgetShown], proof: Proof | None) -> tuple[BudgetShown, ...]:
    """Return budgets whose causes are called caused where a toggle proved them on one of their metrics."""
    if proof is None:
        return tuple(budgets)
    return tuple(
        replace(budget, causes=tuple(_cause(cause, _proved(budget, proof)) for cause in budget.causes))
        for budget in budgets
    )


def _cause(cause: CauseShown, proved: frozenset[str]) -> CauseShown:
    return replace(cause, evidence="caused") if cause.code in proved else cause


def _proved(budget: BudgetShown, proof: Proof) -> frozenset[str]:
    """Return the codes of all causes that toggles proved on a budget's workload and metrics."""
    ours = (r for r in proof.rows if r.workload == budget.workload and r.metric in budget.metrics)
    shares = (share for row in ours for share in row.shares if share.verdict is Proved.CAUSED)
    toggles = (TOGGLES[share.toggle] for share in shares if share.toggle in TOGGLES)
    return frozenset(code for toggle in toggles for code in toggle.proves_causes)
