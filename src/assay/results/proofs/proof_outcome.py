"""From the runs of a proof to what they prove, metric by metric."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from assay.design.blocks import Block, slowdowns
from assay.explain.shapley import Bounded, Run, shapley_shares
from assay.model.activity import ActivityPlan
from assay.pages.context import Page, Row
from assay.pages.numbers import size_text
from assay.pages.proof import AblationShare, MeanLoss, Proof, ProofRow
from assay.report.tables.reasons import not_in_run, spoiled
from assay.results.doubts.damaged import with_damage
from assay.results.outcome import build_page
from assay.scenes import ABLATIONS
from assay.stats.mean import student
from assay.stats.replication.paired import loss_of
from assay.store.record import DamagedError, read_activity, read_trials

Key = tuple[str, str]


def concluded(proof: Proof, folder: Path, *, home: Path) -> Proof:
    """Return a proof with what its runs prove; unchanged while one of them is left.

    Args:
        proof: The proof.
        folder: The result's folder.
        home: Folder of all state, with the runs' activities.
    """
    if any(run.state in {"planned", "begun"} for run in proof.runs):
        return proof
    pages = [_page(home / "activities" / str(run.activity)) for run in proof.runs]
    plan, before = read_activity(folder), _page(folder)
    rows = tuple(_rows(proof, plan, before, pages))
    return replace(proof, state="complete", rows=rows, doubts=tuple(_doubts(proof, before, pages)))


def _page(folder: Path) -> Page:
    damaged: list[DamagedError] = []
    page = build_page(read_activity(folder), tuple(read_trials(folder, damaged=damaged)))
    return with_damage(page, damaged)


def _by_key(page: Page) -> Mapping[Key, Row]:
    return {(row.workload, row.metric): row for row in page.estimates}


def _rows(proof: Proof, plan: ActivityPlan, before: Page, pages: Sequence[Page]) -> Iterator[ProofRow]:
    then, by_run = _by_key(before), [_by_key(page) for page in pages]
    for key, now in by_run[_all_off(proof)].items():
        rows = [page.get(key) for page in by_run]
        logs = [_logs(row) if row else [] for row in rows]
        if reason := _reason(proof, plan, key, logs):
            yield ProofRow(*key, None, (), None, (), reason)
        else:
            changed = key in then and any(_changed(key, then[key], now))
            yield replace(_row(proof, key, logs), changed=changed)


def _row(proof: Proof, key: Key, logs: Sequence[Sequence[float]]) -> ProofRow:
    names = [ablation.name for ablation in proof.ablations]
    ablated = [tuple(name in run.ablated for name in names) for run in proof.runs]
    runs = [Run(row, tuple(d)) for row, d in zip(ablated, logs, strict=True)]
    shapley = shapley_shares(runs, confidence=proof.confidence)
    shares = (
        AblationShare(name, share.value, share.low, share.high, verdict)
        for name, share, verdict in zip(names, shapley.shares, shapley.verdicts, strict=True)
    )
    measured = tuple(_mean(d, proof.confidence) for d in logs)
    ends = [_end(on, part, ablated, measured) for on, part in ((False, shapley.loss), (True, shapley.rest))]
    return ProofRow(*key, ends[0], tuple(shares), ends[1], measured, None)


def _end(
    on: bool,
    part: Bounded,
    ablated: Sequence[tuple[bool, ...]],
    measured: Sequence[MeanLoss],
) -> MeanLoss:
    """Return the loss with all ablations off or on: as measured where all combinations were run, else by the
    fit.
    """
    if len(ablated) == 2 ** len(ablated[0]):
        return measured[ablated.index((on,) * len(ablated[0]))]
    return _shown(part)


def _shown(part: Bounded) -> MeanLoss:
    return MeanLoss(part.value, part.low, part.high)


def _mean(logs: Sequence[float], confidence: float) -> MeanLoss:
    centre = student(logs, confidence)
    if len(logs) < 2:
        return MeanLoss(loss_of(centre.value), None, None)
    return MeanLoss(loss_of(centre.value), loss_of(centre.low), loss_of(centre.high))


def _logs(row: Row) -> list[float]:
    if row.loss is None:  # not to be compared, whatever its blocks hold
        return []
    return slowdowns((Block(b.block, b.baseline, b.treatment) for b in row.blocks_data), row.direction)


def _all_off(proof: Proof) -> int:
    return next(at for at, run in enumerate(proof.runs) if not run.ablated)


def _reason(proof: Proof, plan: ActivityPlan, key: Key, logs: Sequence[Sequence[float]]) -> str | None:
    """Return why nothing can be said of a metric."""
    copies = {workload.name: workload.placement.copies for workload in plan.workloads}
    for name in (ablation.name for ablation in proof.ablations):
        if key[1] in ABLATIONS[name].spoils and copies.get(key[0], 1) > 1:
            return spoiled(name)
    for run, values in zip(proof.runs, logs, strict=True):
        if not values:
            return not_in_run(run.activity, run.ablated)
    return None


def _doubts(proof: Proof, before: Page, pages: Sequence[Page]) -> Iterator[str]:
    then, now = _by_key(before), _by_key(pages[_all_off(proof)])
    for key in then.keys() & now.keys():
        yield from _changed(key, then[key], now[key])
    for run, page in zip(proof.runs, pages, strict=True):
        if run.state != "complete":
            what = ", ".join(run.ablated) or "nothing"
            yield f"Run {page.result.id} ({what} ablated) is {run.state}: see its own page."


def _changed(key: Key, then: Row, now: Row) -> Iterator[str]:
    """Say so where the loss is no longer what the result found: what is proved is proved of now."""
    if then.low is None or then.high is None or now.low is None or now.high is None:
        return
    if then.low > now.high or now.low > then.high:
        was, is_now = (size_text(row) for row in (then, now))
        yield (
            f"{' '.join(key)}: the result found a loss of {was}, the proof finds {is_now}: something "
            "has changed."
        )
