"""A proof in every rendering: the shares, what is left, the runs, and what nothing is said of."""

from __future__ import annotations

import json
from dataclasses import replace

from assay.model.figures.proof import Proved
from assay.pages.context import Page
from assay.pages.proof import (
    AblationShare,
    AblationText,
    LeftOut,
    MeanLoss,
    Proof,
    ProofRow,
    ProofRun,
    proof_from_json,
    proof_to_json,
)
from assay.report.charts.charts import charts
from assay.report.charts.proof import proof_charts
from assay.report.render.html import html_report
from assay.report.render.json import from_json, to_json
from assay.report.render.markdown import markdown_report
from assay.report.render.proof_text import text_proof
from assay.report.render.text import text_report
from tests.report.conftest import GOLDEN, Golden
from tests.report.pages import command_page


def proof() -> Proof:
    """Return a proof of two ablations: one cause, one not proved, one metric of which nothing is said."""
    shares = (
        AblationShare("disk-cache", 0.312, 0.28, 0.344, Proved.CAUSED),
        AblationShare("preload", 0.004, -0.011, 0.019, Proved.NOT_PROVED),
    )
    runs = tuple(MeanLoss(loss, loss - 0.02, loss + 0.02) for loss in (0.88, 0.875, 0.57, 0.564))
    return Proof(
        result="20261121-110000-c0de", state="complete", blocks=3, confidence=0.95,
        ablations=(
            AblationText("disk-cache", "the host's page cache", "The disk <causes> it."),
            AblationText("preload", "files in the page cache", "Reading causes it."),
        ),
        left_out=(LeftOut("cpu-quota", applies=False, reason="no quota"),
        LeftOut("memory", applies=True, reason="three come first"),),
        design="All 4 combinations of 2 ablations are run.",
        runs=tuple(
            ProofRun(ablated, at, f"0000000{at}", "complete")
            for at, ablated in enumerate([(), ("preload",), ("disk-cache",), ("disk-cache", "preload")])
        ),
        rows=(
            ProofRow("my-job", "wall", MeanLoss(0.88, 0.86, 0.9), shares, MeanLoss(0.564, 0.54, 0.59), runs,
            None),
            ProofRow("my-job", "cpu", None, (), None, (), "it was not measured in run 00000002"),
        ),
        doubts=("my-job wall: something has changed.",),
    )  # fmt: skip


def page() -> Page:
    return replace(command_page(), proof=proof())


def test_the_proof_as_text_is_as_seen(golden: Golden) -> None:
    golden(GOLDEN / "proof.txt", text_proof(proof()) + "\n")


def test_every_rendering_tells_share_verdict_and_what_is_left() -> None:
    for shown in (text_report(page()), markdown_report(page()), html_report(page())):
        for words in (
            "Proved by ablation",
            "31.2 pp [28.0, 34.4]",
            "caused",
            "not proved",
            "56.4 %",
            "00000003",
        ):
            assert words in shown
        assert "Nothing is said of my-job cpu: it was not measured in run 00000002" in shown


def test_a_page_with_a_proof_survives_json() -> None:
    assert from_json(to_json(page()).encode()) == page()


def test_the_bars_hold_loss_shares_and_rest_unrounded() -> None:
    (spec,) = proof_charts(proof())
    bars = [(bar["name"], bar["part"], bar["look"]) for bar in spec["data"]["values"]]
    assert bars == [
        ("loss", 0.88, "loss"),
        ("disk-cache", 0.312, "caused"),
        ("preload", 0.004, "not proved"),
        ("left", 0.564, "left"),
    ]


def test_the_page_draws_the_proofs_chart_in_its_section() -> None:
    at = charts(page()).index(proof_charts(proof())[0])
    section = html_report(page()).split('<h2 id="proof">')[1].split("</section>")[0]
    assert f'data-chart="{at}"' in section


def test_an_unfinished_proof_says_how_to_go_on_and_claims_nothing() -> None:
    begun = replace(
        proof(), state="begun", rows=(), doubts=(),
        runs=(*proof().runs[:2], *(replace(run, activity=None, state="planned") for run in proof().runs[2:])),
    )  # fmt: skip
    text = text_proof(begun)
    assert "2 of 4 runs are left; nothing is proved before the last." in text
    assert "to go on: assay explain 20261121-110000-c0de --prove" in text
    assert "caused" not in text.replace("called caused only where", "")
    assert proof_charts(begun) == []


def test_a_proof_of_before_its_names_changed_is_read() -> None:
    text = proof_to_json(proof()).decode()
    names = {"ablations": "toggles", "ablation": "toggle", "ablated": "lifted"}
    for name, was in names.items():
        assert f'"{name}":' in text
        text = text.replace(f'"{name}":', f'"{was}":')
    before = json.loads(text) | {"version": [1, 0]}
    assert proof_from_json(json.dumps(before).encode()) == proof()
