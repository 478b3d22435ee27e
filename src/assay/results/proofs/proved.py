"""What a proof and a budget have to say to each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from assay.model.figures.proof import Proved
from assay.pages.budget import BudgetShown, CauseShown
from assay.pages.proof import AblationShare, Proof
from assay.scenes import ABLATIONS


def weights_of(budgets: Iterable[BudgetShown]) -> Mapping[str, float]:
    """Return the part of the loss by cause and by state, over all workloads: the order in which ablations are
    tried.
    """
    weights: dict[str, float] = defaultdict(float)
    for budget in budgets:
        for cause in budget.causes:
            weights[cause.code] += cause.contribution
        for part in budget.parts:
            weights[part.category] += part.contribution
    return weights


def with_proof(budgets: Sequence[BudgetShown], proof: Proof | None) -> tuple[BudgetShown, ...]:
    """Return budgets whose causes have what ablations proved of them on one of their metrics, and are called
    caused then.
    """
    if proof is None:
        return tuple(budgets)
    return tuple(_with_shares(budget, list(_shares(budget, proof))) for budget in budgets)


def _with_shares(budget: BudgetShown, shares: Sequence[AblationShare]) -> BudgetShown:
    return replace(budget, causes=tuple(_cause(cause, shares) for cause in budget.causes))


def _cause(cause: CauseShown, shares: Sequence[AblationShare]) -> CauseShown:
    """Return a cause with the largest share that one ablation proved: shares of several have no common
    interval.
    """
    ours = [share for share in shares if cause.code in ABLATIONS[share.ablation].proves_causes]
    if not ours:
        return cause
    best = max(ours, key=lambda share: share.share)
    return replace(cause, evidence="caused", proved=best.share, proved_low=best.low, proved_high=best.high)


def _shares(budget: BudgetShown, proof: Proof) -> Iterator[AblationShare]:
    """Yield the proved shares of a budget's workload and metrics; a loss that has changed since proves
    nothing of it.
    """
    for row in proof.rows:
        if row.workload == budget.workload and row.metric in budget.metrics and not row.changed:
            yield from (s for s in row.shares if s.verdict is Proved.CAUSED and s.ablation in ABLATIONS)
