"""What is said of a proof before it is run, and options that mean nothing without it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.activities import proof_plan, prove
from assay.cli.commands.prove import plan_lines, run_proof
from assay.cli.entry import main
from assay.design import Cost
from assay.model.errors import AssayError
from assay.pages.proof import AblationText, LeftOut, Proof, ProofRun
from assay.platforms.errors import ClaimedError
from assay.store.record import write_activity
from assay.store.store import Store
from tests.command import run
from tests.results.test_outcome import PLAN

RUNS = (
    ProofRun((), 1, "0000aaaa", "complete"),
    ProofRun(("cpu-quota",), 2, None, "planned"),
    ProofRun(("cpu-quota", "preload"), 3, None, "planned"),
)
PROOF = Proof(
    "0123abcd", "begun", 3, 0.95,
    (AblationText("cpu-quota", "the treatment without its quota", "It causes it."),),
    (LeftOut("disk-cache", applies=False, reason="the treatment is no guest"),),
    "All combinations are run.", RUNS,
)  # fmt: skip


def test_a_plan_says_what_is_ablated_what_is_not_and_how_long_the_rest_takes() -> None:
    assert plan_lines(PROOF, Cost(18, 90.0)) == [
        "cpu-quota: the treatment without its quota",
        "does not apply: disk-cache: the treatment is no guest",
        "All combinations are run.",
        "run 2: ablated cpu-quota",
        "run 3: ablated cpu-quota + preload",
        "18 trials in 2 runs of 3 blocks: about 1 min 30 s",
    ]


@pytest.mark.parametrize("option", [("--ablate", "preload"), ("--blocks", "4"), ("--dry-run",)])
def test_options_of_a_proof_are_refused_without_it(
    option: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("ASSAY_HOME", str(tmp_path))
    with pytest.raises(SystemExit) as ended:
        main(["explain", "last", *option])
    assert ended.value.code == 2
    assert "go with --prove" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "reported"), [(AssayError("cannot go on"), True), (ClaimedError("cannot start"), False)]
)
def test_what_to_go_on_with_is_not_said_while_another_activity_runs(
    error: AssayError,
    reported: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def refuse(*_: Any, **__: Any) -> Proof:
        raise error

    monkeypatch.setattr(proof_plan, "proof_cost", lambda *_: Cost(18, 90.0))
    monkeypatch.setattr(prove, "prove", refuse)
    with pytest.raises(AssayError):
        run_proof(tmp_path, PROOF, store=None)
    assert ("to go on: assay explain 0123abcd --prove" in capsys.readouterr().err) == reported


def test_a_damaged_proof_is_left_out_of_explanation_and_report_with_a_doubt(measured: Path) -> None:
    (damaged,) = measured.glob("activities/*")
    (damaged / "proof.json").write_text('{"schema": "assay.proof", "version": 3}')
    for command in ("explain", "report"):
        done = run(command, "last", home=measured)
        assert done.code == 0, done.err
        assert "The proof is left out: cannot read" in " ".join(done.out.split())
    done = run("explain", "last", "--prove", home=measured)
    assert done.code == 3
    assert done.err.startswith("error: cannot read ")
    assert "move it away" in done.err


def test_last_is_never_a_run_of_a_proof_but_for_activities(measured: Path) -> None:
    plan = replace(PLAN, id="ffff0000", created_ns=PLAN.created_ns + 1, proof_of=PLAN.id)
    folder = measured / "activities" / plan.id
    folder.mkdir()
    write_activity(folder, plan)
    store = Store(measured)
    store.import_folder(folder)
    store.close()
    for command in (("explain",), ("report",), ("result", "show")):
        assert PLAN.id in run(*command, "last", home=measured).out, command
    assert "activity ffff0000" in run("activity", "show", "last", home=measured).out
