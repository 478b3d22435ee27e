"""From a table to the document: ``assay.analyse``."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import assay
from assay.exchange import TableError
from assay.model.errors import AssayError, Exit, UnknownNameError
from assay.results.analysis.analyse import AnalysisError, analyse_table, exit_of

ROOT = Path(__file__).parents[3]
CONTRACT = json.loads((ROOT / "contracts/analysis-v1.schema.json").read_text())
PROMISED = ("metric", "baseline", "treatment", "blocks", "loss", "low", "high", "confidence", "slowdown",
"mean",
            "verdict", "blocks_more", "method", "doubts")  # fmt: skip


def table(**arms: float) -> list[dict[str, Any]]:
    return [
        {
            "block": block,
            "arm": arm,
            "value": seconds * (1 + 0.001 * (block % 3) + 1e-6 * (len(arm) % 3) * block),
        }
        for block in range(8)
        for arm, seconds in arms.items()
    ]


def test_the_document_has_what_is_promised_and_keeps_its_contract() -> None:
    document = assay.analyse(table(host=90.0, guest=100.0))
    assert document["schema"] == "assay.analysis"
    (estimate,) = document["estimates"]
    assert all(name in estimate for name in PROMISED)
    assert set(estimate["mean"]) >= {"loss", "low", "high"}
    assert estimate["loss"] == pytest.approx(0.1, rel=1e-4)
    assert estimate["verdict"] == "loss"
    Draft202012Validator(CONTRACT).validate(document)


def test_each_treatment_has_an_estimate_in_the_order_of_names() -> None:
    document = assay.analyse(table(vm10=110.0, pm=100.0, vm9=120.0, tuned=99.0))
    assert [row["treatment"] for row in document["estimates"]] == ["tuned", "vm10", "vm9"]
    assert document["baseline"] == "pm"
    assert document["notes"] == ["the baseline is 'pm', by its name"]


@pytest.mark.parametrize(
    "name", ["baseline", "host", "physical", "PM", "bare metal", "Bare-Metal", "bare_metal"]
)
def test_the_baseline_is_known_by_its_usual_names(name: str) -> None:
    assert assay.analyse(table(**{name: 90.0, "guest": 100.0}))["baseline"] == name


def test_the_baseline_that_is_named_is_taken() -> None:
    document = assay.analyse(table(host=90.0, guest=100.0), baseline="guest")
    assert document["estimates"][0]["treatment"] == "host"
    assert document["notes"] == []


@pytest.mark.parametrize(
    ("arms", "options", "kind", "said"),
    [
        ({"a": 1.0, "b": 2.0}, {}, AnalysisError, "expected a baseline, got the arms a, b"),
        ({"host": 1.0}, {}, AnalysisError, "expected two arms or more, got 'host' alone"),
        ({"host": 1.0, "guest": 2.0}, {"baseline": "hots"}, UnknownNameError, "nearest: 'host'"),
        ({"host": 1.0, "guest": 2.0}, {"kind": "tim"}, UnknownNameError, "nearest: 'time'"),
        ({"host": 1.0, "guest": 2.0}, {"margin": 1.0}, AnalysisError, "margin from 0 to below 1, got 1.0"),
        ({"host": 1.0, "guest": 2.0}, {"margin": float("nan")}, AnalysisError, "margin"),
        (
            {"host": 1.0, "guest": 2.0},
            {"confidence": 95},
            AnalysisError,
            "confidence from 0.5 to 0.9999, got 95",
        ),
    ],
)
def test_a_wrong_question_is_refused_with_what_would_be_right(
    arms: dict[str, float], options: dict[str, Any], kind: type[AssayError], said: str
) -> None:
    with pytest.raises(kind, match=said):
        assay.analyse(table(**arms), **options)


def test_a_wrong_row_is_a_value_error_that_names_it() -> None:
    rows = table(host=90.0, guest=100.0)
    rows[4]["value"] = "n/a"
    with pytest.raises(ValueError, match="cannot read row 5: expected a number in 'value', got 'n/a'"):
        assay.analyse(rows)


@pytest.mark.parametrize("path", ["/no/such/file.csv", "/tmp", "a\0b"])
def test_a_file_that_cannot_be_read_is_named(path: str) -> None:
    with pytest.raises(TableError, match="expected a file that can be read"):
        assay.analyse(path)


def test_arms_that_no_machine_carried_together_are_refused() -> None:
    rows = [
        row | {"machine": "node1" if row["arm"] == "host" else "node2"} for row in table(host=9, guest=10)
    ]
    with pytest.raises(AnalysisError, match="no machine carried both") as caught:
        assay.analyse(rows)
    assert "reference workload" in str(caught.value.hint)


def test_several_machines_are_a_fleet() -> None:
    rows = [row | {"machine": f"node{row['block'] % 4}"} for row in table(host=90.0, guest=100.0)]
    (estimate,) = assay.analyse(rows)["estimates"]
    assert (estimate["aim"]["scope"], estimate["level"], estimate["machines"]) == ("fleet(4)", "machine", 4)
    assert estimate["blocks"] == 8


def test_events_bring_fixed_cost_slope_and_the_number_from_which_it_matters_no_more() -> None:
    rows = [
        {"block": b, "arm": arm, "value": fixed + slope * n, "events": n}
        for b in range(4)
        for n in (10, 1000)
        for arm, fixed, slope in (("host", 35.0, 0.85), ("guest", 70.0, 0.875))
    ]
    document = assay.analyse(rows)
    (estimate,) = document["estimates"]
    assert estimate["fixed_cost_s"]["baseline"]["value"] == pytest.approx(35.0)
    assert set(estimate["per_event_s"]) == {"baseline", "treatment", "loss", "loss_low", "loss_high"}
    assert set(estimate["per_event_s"]["treatment"]) == {"value", "low", "high"}
    assert estimate["aim"]["phase"] == "total(1000)"
    n = estimate["events_within_margin"]
    away = [abs(1 - (35 + 0.85 * e) / (70 + 0.875 * e) - (1 - 0.85 / 0.875)) for e in (n - 1, n)]
    assert away[1] <= 0.01 < away[0]
    Draft202012Validator(CONTRACT).validate(document)


def test_no_event_at_all_has_no_rate() -> None:
    rows = [row | {"events": 0} for row in table(host=90.0, guest=100.0)]
    with pytest.raises(TableError, match="row 1: expected events above 0"):
        assay.analyse(rows, kind="rate")


def test_nothing_measured_is_no_success() -> None:
    apart = [{"block": 1, "arm": "host", "value": 9}, {"block": 2, "arm": "guest", "value": 9}]
    page = analyse_table(apart)
    assert exit_of(page) is Exit.NOTHING
    assert page.estimates[0].verdict == "not measured"
    some = analyse_table([*apart, {"block": 1, "arm": "tuned", "value": 9}])
    assert exit_of(some) is Exit.PARTIAL
    assert exit_of(analyse_table(table(host=9.0, guest=10.0))) is Exit.DONE


def test_the_order_of_rows_changes_nothing() -> None:
    rows = [row | {"session": row["block"] % 2} for row in table(host=90.0, guest=100.0, tuned=95.0)]
    shuffled = random.Random(3).sample(rows, len(rows))
    assert assay.analyse(shuffled)["estimates"] == assay.analyse(rows)["estimates"]


def test_values_that_lie_absurdly_far_apart_still_give_a_document() -> None:
    rows = [
        {"block": block, "arm": arm, "value": value}
        for block, both in enumerate(((1e30, 1e-30), (1e-30, 1e30), (1.0, 1.0)))
        for arm, value in zip(("host", "guest"), both, strict=True)
    ]
    Draft202012Validator(CONTRACT).validate(assay.analyse(rows, confidence=0.9999))


@pytest.mark.parametrize("margin", ["1 %", "1%", "0.01", 0.01])
def test_a_margin_is_a_share_however_it_is_written(margin: float | str) -> None:
    document = assay.analyse(table(host=90.0, guest=100.0), margin=margin, confidence="95 %")
    assert (document["margin"], document["confidence"]) == (0.01, 0.95)


@pytest.mark.parametrize("wrong", ["much", "120 %", "", None, [0.01], True, {"margin": 1}])
@pytest.mark.parametrize("option", ["margin", "confidence"])
def test_what_is_no_share_is_refused_with_a_hint(option: str, wrong: object) -> None:
    with pytest.raises(AnalysisError, match=f"expected a {option} from") as caught:
        assay.analyse(table(host=90.0, guest=100.0), **{option: wrong})  # type: ignore[arg-type]
    assert caught.value.hint is not None


def test_event_numbers_of_each_block_are_its_total() -> None:
    rows = [
        {"block": b, "arm": arm, "events": 1000 + 37 * b, "value": fixed + slope * (1000 + 37 * b)}
        for b in range(9)
        for arm, fixed, slope in (("host", 35.0, 0.85), ("guest", 70.0, 0.875))
    ]
    (estimate,) = assay.analyse(rows)["estimates"]
    assert (estimate["aim"]["phase"], estimate["blocks"], estimate["incomplete_blocks"]) == ("total", 9, 0)
    assert "events-vary" in [doubt["code"] for doubt in estimate["doubts"]]


def test_the_order_of_runs_is_used_and_told_where_the_table_has_it() -> None:
    rows = table(host=90.0, guest=100.0)
    ordered = [row | {"order": at} for at, row in enumerate(sorted(rows, key=lambda row: row["arm"]))]
    plain, reported = assay.analyse(rows), assay.analyse(ordered)
    assert (plain["ordered"], reported["ordered"]) == (False, True)
    assert "order-confounded" not in [doubt["code"] for doubt in plain["estimates"][0]["doubts"]]
    (doubt,) = [one for one in reported["estimates"][0]["doubts"] if one["code"] == "order-confounded"]
    assert doubt["sentence"].startswith("All runs of guest come before those of host: what drifts over time")
    assert doubt["severity"] == "shifts"
    assert "in random order" in doubt["next"]
    assert reported["estimates"][0]["loss"] == plain["estimates"][0]["loss"]
    Draft202012Validator(CONTRACT).validate(reported)
