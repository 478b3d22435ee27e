"""What is said of a proof before it is run, and options that mean nothing without it."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.cli.entry import main
from assay.cli.prove import plan_lines
from assay.design import Cost
from assay.report.proof import LeftOut, Proof, ProofRun, ToggleText

RUNS = (
    ProofRun((), 1, "0000aaaa", "complete"),
    ProofRun(("cpu-quota",), 2, None, "planned"),
    ProofRun(("cpu-quota", "preload"), 3, None, "planned"),
)
PROOF = Proof(
    "0123abcd", "begun", 3, 0.95,
    (ToggleText("cpu-quota", "the treatment without its quota", "It causes it."),),
    (LeftOut("disk-cache", applies=False, reason="the treatment is no guest"),),
    "All combinations are run.", RUNS,
)  # fmt: skip


def test_a_plan_says_what_is_lifted_what_is_not_and_how_long_the_rest_takes() -> None:
    assert plan_lines(PROOF, Cost(18, 90.0)) == [
        "cpu-quota: the treatment without its quota",
        "does not apply: disk-cache: the treatment is no guest",
        "All combinations are run.",
        "run 2: lifted cpu-quota",
        "run 3: lifted cpu-quota + preload",
        "18 trials in 2 runs of 3 blocks: about 1 min 30 s",
    ]


@pytest.mark.parametrize("option", [("--toggle", "preload"), ("--blocks", "4"), ("--dry-run",)])
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
