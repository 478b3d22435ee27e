"""The catalogue for people and programs, and the page that is written from it."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from typing import Any

import jsonschema
import pytest

from assay.factors.base.plain_host import PlainHost
from assay.factors.catalogue import FACTORS, LevelCheck, Refusal
from assay.factors.export.words_of import export
from assay.pages.factor_page import ExportPage, FactorsPage, TryPage
from assay.pages.schema import help_of, kinds
from assay.report.lists.factor_document import factor_document, parse_recording, record
from assay.report.lists.factors import export_page, factor_table, factors_in_full, factors_page, try_page
from assay.report.render.json import to_json
from tests.report.conftest import ROOT

HOST = PlainHost()
RECORDING = json.loads((ROOT / "src/assay/selftest/built-on.json").read_text())


def _schema(name: str) -> Any:
    return json.loads((ROOT / "contracts" / f"{name}-v1.schema.json").read_text())


@pytest.mark.parametrize("kind", [*kinds(FactorsPage), *kinds(TryPage), *kinds(ExportPage)])
def test_every_field_has_its_help(kind: type[Any]) -> None:
    assert [item.name for item in fields(kind) if not help_of(item).endswith(".")] == []


@pytest.mark.parametrize(
    ("name", "page"),
    [
        ("factors", factors_page(tuple(FACTORS.values()), HOST)),
        (
            "try",
            try_page(
                (LevelCheck("disk.cache", "none", "none", "QMP"),),
                (Refusal("net.mtu", "no card"),),
                accelerator="tcg",
            ),
        ),
        ("export", export_page("nova", export({"net.mtu": "9000", "net.model": "virtio"}, "nova", HOST))),
    ],
    ids=str,
)
def test_what_is_printed_fits_the_published_schema(
    name: str, page: FactorsPage | TryPage | ExportPage
) -> None:
    written = json.loads(to_json(page))
    assert written["schema"] == f"assay.{name}"
    jsonschema.validate(written, _schema(name))


def test_a_factor_that_cannot_be_had_says_why() -> None:
    page = factors_page([FACTORS["net.backend"], FACTORS["host.thp"]], HOST)
    assert "this kernel has no transparent huge pages" in factor_table(page)
    assert "passt: libvirt 9.0.0 says" in factors_in_full(page)
    refused = {choice.level for choice in page.factors[0].choices if not choice.usable}
    assert refused == {"passt", "ethernet", "bridge", "direct"}


def test_the_page_of_factors_is_what_the_code_says_or_tools_factor_docs_must_be_run() -> None:
    recording = parse_recording(RECORDING)
    assert recording.factors == tuple(FACTORS), "tools/factor-docs --record"
    assert (ROOT / "docs/factors.md").read_text() == factor_document(recording), "tools/factor-docs"


def test_a_recording_comes_back_as_it_was_written() -> None:
    made = record(HOST, kernel="6.1")
    values = {"machine": list(made.machine), "factors": list(made.factors), "refused": dict(made.refused)}
    assert parse_recording(values) == made
    assert made.refused["host.thp"] == "this kernel has no transparent huge pages"


def test_every_row_of_the_page_has_its_cells() -> None:
    text = (ROOT / "docs/factors.md").read_text()
    rows = [line for line in text.splitlines() if re.match(r"\| `\w+\.[\w-]+`:", line)]
    assert len(rows) == len(FACTORS)
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {10}
