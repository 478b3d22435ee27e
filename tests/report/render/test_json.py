"""The JSON context: documented, complete, exact, and refused where it can't be understood."""

from __future__ import annotations

import json
import re
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from assay.pages.comparison import ComparisonPage
from assay.pages.context import Page
from assay.pages.decode import ContextError
from assay.pages.explanation import explanation_of
from assay.pages.schema import help_of, kinds
from assay.report.render.json import comparison_from_json, from_json, from_own_json, to_json
from tests.contracts import fits
from tests.report.pages import PAGES
from tests.report.render.test_proof import page as proved

each = pytest.mark.parametrize("name", PAGES)


@pytest.mark.parametrize("kind", [*kinds(Page), *kinds(ComparisonPage)])
def test_every_field_has_its_help(kind: type[Any]) -> None:
    assert kind.__doc__
    assert [item.name for item in fields(kind) if not help_of(item).endswith(".")] == []


@each
def test_a_page_comes_back_as_it_was_written(name: str) -> None:
    page = PAGES[name]()
    assert from_json(to_json(page).encode()) == from_own_json(to_json(page).encode()) == page


def test_a_comparison_comes_back_as_it_was_written(comparison: ComparisonPage) -> None:
    assert comparison_from_json(to_json(comparison).encode()) == comparison


@each
def test_a_page_fits_the_published_schema(name: str) -> None:
    fits(json.loads(to_json(PAGES[name]())), "report-v1")


def test_a_comparison_fits_the_published_schema(comparison: ComparisonPage) -> None:
    fits(json.loads(to_json(comparison)), "comparison-v1")


def test_an_explanation_fits_the_published_schema() -> None:
    explanation = explanation_of(PAGES["phases"]())
    fits(json.loads(to_json(explanation)), "explanation-v1")


def test_the_published_schema_refuses_a_loss_in_words() -> None:
    page = json.loads(to_json(PAGES["quick"]()))
    page["estimates"][0]["loss"] = "12.3 %"
    with pytest.raises(jsonschema.ValidationError):
        fits(page, "report-v1")


def test_numbers_are_full_doubles() -> None:
    page = PAGES["quick"]()
    written = json.loads(to_json(page))["estimates"]
    assert [row["loss"] for row in written] == [row.loss for row in page.estimates]
    assert to_json(page).endswith("}\n")


def test_a_number_that_json_lacks_is_never_written() -> None:
    page = PAGES["quick"]()
    broken = replace(page, estimates=(replace(page.estimates[0], loss=float("nan")),))
    with pytest.raises(ValueError, match="not JSON compliant"):
        to_json(broken)


def test_a_newer_minor_version_is_read_and_its_new_fields_passed_over() -> None:
    page = PAGES["quick"]()
    newer = json.loads(to_json(page)) | {"version": [1, 9], "colour": "blue"}
    newer["result"]["mood"] = {"new": [1]}
    assert from_json(json.dumps(newer).encode()) == page


FORMER = {
    "ablated": "lifted",
    "ablation": "toggle",
    "ablations": "toggles",
    "counted": "beside",
    "parallelism": "lanes",
    "tied": "alike",
}


def _as_before(value: Any) -> Any:
    """Return a page's values by the names of version 1.7."""
    if isinstance(value, dict):
        return {FORMER.get(name, name): _as_before(one) for name, one in value.items()}
    return [_as_before(one) for one in value] if isinstance(value, list) else value


def test_names_of_before_are_those_that_the_fields_have_kept() -> None:
    kept = [(item.name, item.metadata["validation_alias"]) for kind in kinds(Page) for item in fields(kind)]
    assert {name: was for name, was in kept if was is not None} == FORMER


@pytest.mark.parametrize("name", ["layouts", "phases", "proved"])
def test_a_page_of_before_its_names_changed_is_read(name: str) -> None:
    page = proved() if name == "proved" else PAGES[name]()
    before = _as_before(json.loads(to_json(page))) | {"version": [1, 7]}
    assert set(FORMER.values()) & set(re.findall(r'"(\w+)":', json.dumps(before)))
    assert from_json(json.dumps(before).encode()) == page


def test_whole_numbers_are_read_where_doubles_are_kept() -> None:
    page = json.loads(to_json(PAGES["quick"]()))
    page["result"]["margin"] = 1
    margin = from_json(json.dumps(page).encode()).result.margin
    assert (margin, type(margin)) == (1.0, float)


def _damaged(path: list[str | int], value: Any) -> bytes:
    page = json.loads(to_json(PAGES["quick"]()))
    place = page
    for step in path[:-1]:
        place = place[step]
    if value is ...:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return json.dumps(page).encode()


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["version"], [2, 0], "page.version: expected at most 1.x, got 2.0"),
        (["version"], "1.0", r"page.version: expected \[major, minor\], got '1.0'"),
        (["schema"], "assay.comparison", "page.schema: expected 'assay.report', got 'assay.comparison'"),
        (["estimates", 0, "loss"], "12", r"page.estimates\[0\].loss: expected a number, got a string"),
        (["estimates", 0, "blocks"], True, r"page.estimates\[0\].blocks: expected an integer, got a boolean"),
        (["trials", 3, "name"], ..., r"page.trials\[3\].name: expected a value, got nothing"),
        (["estimates", 1, "verdict"], "good", "expected one of loss, gain"),
        (["trials"], {}, "page.trials: expected an array, got an object"),
        (["result"], None, "page.result: expected an object, got null"),
        (["result", "state"], [], "expected one of complete, partial"),
    ],
)
def test_a_damaged_page_is_refused_with_its_place(path: list[str | int], value: Any, message: str) -> None:
    with pytest.raises(ContextError, match=f"cannot read report: .*{message}"):
        from_json(_damaged(path, value))


@pytest.mark.parametrize("data", [b"", b"{", b"\xff\xfe", b"[]", b"null", b'{"schema": 1}'])
def test_what_is_no_page_is_refused(data: bytes) -> None:
    with pytest.raises(ContextError, match="cannot read report: page"):
        from_json(data)


def test_the_goldens_of_this_version_are_read(tmp_path: Path) -> None:
    for name, page in PAGES.items():
        assert from_json((Path(__file__).parents[1] / "golden" / f"{name}.json").read_bytes()) == page()
