"""The gravest doubt comes first on every page, whatever it was found by."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import assay
from assay.design import plan_trials
from assay.explain.sanity import severity_of
from assay.model.doubt import Doubt, Severity
from assay.model.errors import AssayError
from assay.report.render.html import html_report
from assay.report.render.json import to_json
from assay.report.render.markdown import markdown_report
from assay.report.render.text import text_report
from assay.results.doubts.damaged import with_damage
from assay.results.doubts.ranked import ranked
from assay.results.outcome import build_page
from assay.results.proofs.proof_file import with_kept_proof
from tests.builders import plan_of, record_of

PLAN = plan_of(plan_trials(("spin",), blocks=3, seed=1))
TOLD = ("no-phase", "one-boot", "disturbed", "oom-kill", "unknown-line")


def test_doubts_of_a_page_stand_in_the_order_of_their_severity() -> None:
    page = build_page(
        PLAN,
        [
            record_of(p, 100.0 + p.index % 5, doubts=tuple(Doubt(c, f"Of {c}.") for c in TOLD))
            for p in PLAN.trials
        ],
    )
    reported = [doubt for doubt in page.doubts if doubt.code in TOLD]
    assert [doubt.code for doubt in reported] == [
        "oom-kill",
        "disturbed",
        "one-boot",
        "no-phase",
        "unknown-line",
    ]
    ranks = [Severity.rank(doubt.severity) for doubt in page.doubts]
    assert ranks == sorted(ranks)
    assert all(doubt.severity is severity_of(doubt.code) for doubt in page.doubts)
    for shown in (text_report(page), markdown_report(page), html_report(page)):
        places = [shown.index(f"Of {doubt.code}") for doubt in reported]
        assert places == sorted(places)
    document = json.loads(to_json(page))
    assert [doubt["severity"] for doubt in document["doubts"] if doubt["code"] in TOLD] == [
        "invalidates", "shifts", "widens", "informs", "informs",
    ]  # fmt: skip


def test_what_is_added_later_takes_its_place(tmp_path: Path) -> None:
    page = build_page(PLAN, [record_of(p, 100.0 + p.index % 5) for p in PLAN.trials])
    quiet = replace(page, doubts=ranked(page.doubts[:0]))
    (tmp_path / "proof.json").write_text("{")
    unproved = with_kept_proof(quiet, tmp_path)
    found = with_damage(unproved, [AssayError("cannot read x")])
    assert [doubt.code for doubt in found.doubts] == ["record-unreadable", "proof-unreadable"]


def test_an_analysis_is_ranked_too() -> None:
    rows = [
        {"block": block, "arm": arm, "value": value, "wall_s": wall}
        for block in range(3)
        for arm, value, wall in (("host", 10.0, 100.0), ("guest", 11.0 + block / 100, 20.0))
    ]
    (row,) = assay.analyse([*rows, {"block": 9, "arm": "host", "value": 10.0}], kind="rate")["estimates"]
    codes = [(doubt["code"], doubt["severity"]) for doubt in row["doubts"]]
    assert codes[0] == ("score-against-wall", "invalidates")
    assert ("incomplete-blocks", "widens") in codes
