"""What the runs of a proof prove, from activities in folders."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from assay.design import plan_trials
from assay.model.figures.proof import Proved
from assay.model.trial import Arm, Trial
from assay.pages.proof import AblationText, Proof, ProofRun, proof_to_json
from assay.results.outcome import build_page
from assay.results.proofs.proof_file import FILE, proof_of, with_kept_proof
from assay.results.proofs.proof_outcome import concluded
from assay.results.proofs.proved import weights_of
from assay.store.record import RecordError
from tests.builders import plan_of, record_of
from tests.report.budgets import phases_budget
from tests.results.folders import kept

TRIALS = plan_trials(("spin",), blocks=3, seed=1)
PLAN = plan_of(TRIALS)
QUOTA, MEMORY = "cpu-quota", "memory"


def measured(loss: float) -> list[Trial]:
    """Return records that lose so much, a thousandth more in each block."""
    return [
        record_of(t, 100.0 * (1 - min(1.0, loss + t.block / 1000) * (t.arm is Arm.TREATMENT)), usage=None)
        for t in TRIALS
    ]


def mean_of(loss: float) -> float:
    """Return the loss of such records: of the geometric mean of what is left in each block."""
    return 1 - math.prod(1 - loss - block / 1000 for block in range(3)) ** (1 / 3)


def proof_with(
    *ablated: tuple[str, ...], names: tuple[str, ...] = (QUOTA,), state: str = "complete"
) -> Proof:
    """Return a proof of these runs."""
    runs = tuple(ProofRun(run, at, f"{at:08x}", state) for at, run in enumerate(ablated))  # type: ignore[arg-type]
    ablations = tuple(AblationText(name, "It is ablated.", "It was the cause.") for name in names)
    return Proof("0123abcd", "begun", 3, 0.95, ablations, (), "all", runs)


def concluded_in(home: Path, proof: Proof, *losses: float, before: float = 0.3) -> Proof:
    """Return a proof whose runs lost so much, of a result that lost ``before``."""
    for run, loss in zip(proof.runs, losses, strict=True):
        kept(home / "activities" / str(run.activity), replace(PLAN, id=str(run.activity)), measured(loss))
    return concluded(proof, kept(home / "result", PLAN, measured(before)), home=home)


ONE = proof_with((), (QUOTA,))


def test_what_an_ablation_wins_back_is_the_difference_of_both_runs(tmp_path: Path) -> None:
    found = concluded_in(tmp_path, ONE, 0.3, 0.1)
    (row,) = found.rows
    assert (found.state, found.doubts, row.changed, row.reason) == ("complete", (), False, None)
    assert (row.workload, row.metric) == ("spin", "events")
    assert row.loss is not None
    assert row.rest is not None
    assert row.loss.loss == pytest.approx(mean_of(0.3))
    assert row.rest.loss == pytest.approx(mean_of(0.1))
    assert row.loss.low is not None
    assert row.loss.high is not None
    assert row.loss.low < row.loss.loss < row.loss.high
    (share,) = row.shares
    assert (share.ablation, share.verdict) == (QUOTA, Proved.CAUSED)
    assert share.share == pytest.approx(mean_of(0.3) - mean_of(0.1))
    assert share.low is not None
    assert share.high is not None
    assert share.low < share.share < share.high
    assert row.runs == (row.loss, row.rest)


def test_two_ablations_share_what_both_win_back(tmp_path: Path) -> None:
    """Losses of 40 % with none, 30 and 20 % with one of them, 10 % with both: gains of 10 and 20 points."""
    proof = proof_with((), (QUOTA,), (MEMORY,), (QUOTA, MEMORY), names=(QUOTA, MEMORY))
    (row,) = concluded_in(tmp_path, proof, 0.4, 0.3, 0.2, 0.1).rows
    assert [share.ablation for share in row.shares] == [QUOTA, MEMORY]
    assert [share.share for share in row.shares] == pytest.approx([0.1, 0.2], abs=1e-4)
    assert row.loss is not None
    assert row.rest is not None
    assert (row.loss.loss, row.rest.loss) == pytest.approx((mean_of(0.4), mean_of(0.1)))


def test_of_a_fraction_both_ends_are_those_of_the_fit(tmp_path: Path) -> None:
    proof = proof_with((), (QUOTA,), (MEMORY,), names=(QUOTA, MEMORY))
    (row,) = concluded_in(tmp_path, proof, 0.4, 0.3, 0.2).rows
    assert row.loss is not None
    assert row.rest is not None
    total = sum(share.share for share in row.shares) + row.rest.loss
    assert total == pytest.approx(row.loss.loss)
    assert row.rest not in row.runs


def test_an_ablation_that_does_nothing_is_not_proved_and_one_that_costs_adds(tmp_path: Path) -> None:
    nothing, more = (
        concluded_in(tmp_path / str(loss), ONE, 0.3, loss).rows[0].shares[0].verdict for loss in (0.3, 0.35)
    )
    assert (nothing, more) == (Proved.NOT_PROVED, Proved.ADDS)


@pytest.mark.parametrize("state", ["planned", "begun"])
def test_while_runs_are_left_nothing_is_said(tmp_path: Path, state: str) -> None:
    left = replace(ONE, runs=(ONE.runs[0], replace(ONE.runs[1], state=state)))
    assert concluded(left, tmp_path, home=tmp_path) is left


def test_a_loss_that_is_no_longer_the_results_is_doubted(tmp_path: Path) -> None:
    found = concluded_in(tmp_path, ONE, 0.3, 0.1, before=0.5)
    (sentence,) = found.doubts
    assert sentence.startswith("spin events: the result found a loss of ")
    assert ", the proof finds " in sentence
    assert sentence.endswith(": something has changed.")
    assert sentence.index("50") < sentence.index("30")
    assert found.rows[0].changed is True
    assert concluded_in(tmp_path / "less", ONE, 0.3, 0.1, before=0.1).rows[0].changed is True


def test_a_run_that_did_not_end_well_is_doubted_by_what_it_ablated(tmp_path: Path) -> None:
    runs = tuple(replace(run, state="partial") for run in ONE.runs)
    assert concluded_in(tmp_path, replace(ONE, runs=runs), 0.3, 0.1).doubts == (
        "Run 00000000 (nothing ablated) is partial: see its own page.",
        "Run 00000001 (cpu-quota ablated) is partial: see its own page.",
    )


def test_a_metric_that_a_run_did_not_measure_has_no_share(tmp_path: Path) -> None:
    found = concluded_in(tmp_path, ONE, 0.3, 1.0)
    (row,) = found.rows
    assert row.reason == "it was not measured in run 00000001 (cpu-quota ablated)"
    assert (row.loss, row.shares, row.rest, row.runs) == (None, (), None, ())
    (none,) = concluded_in(tmp_path / "more", ONE, 1.0, 0.3).rows
    assert none.reason == "it was not measured in run 00000000 (nothing ablated)"


def test_one_block_of_each_run_has_shares_without_intervals(tmp_path: Path) -> None:
    for run, loss in zip(ONE.runs, (0.3, 0.1), strict=True):
        few = [r for r in measured(loss) if r.planned.block == 0]
        kept(tmp_path / "activities" / str(run.activity), replace(PLAN, id=str(run.activity)), few)
    (row,) = concluded(ONE, kept(tmp_path / "result", PLAN, measured(0.3)), home=tmp_path).rows
    assert row.loss is not None
    assert (row.loss.loss, row.loss.low, row.loss.high) == (pytest.approx(0.3), None, None)
    assert (row.shares[0].low, row.shares[0].high) == (None, None)
    assert row.shares[0].share == pytest.approx(0.2)


def test_the_proof_of_a_folder_is_read_or_left_out_with_a_doubt(tmp_path: Path) -> None:
    page = build_page(PLAN, measured(0.3))
    assert proof_of(tmp_path) is None
    assert with_kept_proof(page, tmp_path) == page
    (tmp_path / FILE).write_bytes(proof_to_json(ONE))
    assert with_kept_proof(page, tmp_path).proof == ONE
    (tmp_path / FILE).write_text("{}")
    with pytest.raises(RecordError, match="cannot read") as error:
        proof_of(tmp_path)
    assert error.value.hint == (
        f"move it away: what it lists stays as results of their own ({tmp_path / FILE})"
    )
    left_out = with_kept_proof(page, tmp_path)
    assert left_out.proof is None
    doubt = left_out.doubts[-1]
    assert (doubt.code, doubt.count) == ("proof-unreadable", 1)
    assert doubt.sentence == f"The proof is left out: {error.value.message}."
    assert doubt.next == "Move the file away; 'assay explain RESULT --prove' then begins another proof."
    assert left_out.doubts[:-1] == page.doubts


def test_a_proof_whose_run_is_no_activity_is_refused(tmp_path: Path) -> None:
    run = replace(ONE.runs[0], activity="../../etc")
    (tmp_path / FILE).write_bytes(proof_to_json(replace(ONE, runs=(run,))))
    with pytest.raises(
        RecordError, match=r"proof.runs.activity: expected eight hexadecimal digits, got '../../etc'"
    ):
        proof_of(tmp_path)


def test_ablations_are_tried_by_the_parts_and_causes_of_all_workloads() -> None:
    budget = phases_budget()
    weights = weights_of([budget, budget])
    for category in {part.category for part in budget.parts}:
        once = sum(part.contribution for part in budget.parts if part.category == category)
        assert weights[category] == pytest.approx(2 * once)
    for cause in budget.causes:
        assert weights[cause.code] == pytest.approx(2 * cause.contribution)
