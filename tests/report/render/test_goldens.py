"""Every rendering of the three results is compared with what was looked at and found good."""

from __future__ import annotations

import json

import pytest

from assay.pages.advice import Advice
from assay.pages.analysis import AnalysisPage
from assay.pages.comparison import ComparisonPage
from assay.pages.context import Page
from assay.pages.document import context_document
from assay.pages.explanation import Explanation, explanation_of
from assay.pages.factor_page import ExportPage, FactorsPage, TryPage
from assay.pages.files import FilesPage
from assay.pages.fleet import FleetPage
from assay.pages.forecast import ForecastPage
from assay.pages.production import ProductionPage
from assay.pages.schema import json_schema
from assay.pages.several import SeveralPage
from assay.pages.starts import StartsPage
from assay.pages.tool_page import ToolPage
from assay.pages.tuning import Tuning
from assay.report.charts.charts import charts
from assay.report.render.compare import markdown_comparison, text_comparison
from assay.report.render.explain import text_explanation
from assay.report.render.html import html_report
from assay.report.render.json import to_json
from assay.report.render.markdown import markdown_report
from assay.report.render.picture import terminal_svg
from assay.report.render.text import text_report
from tests.report.conftest import GOLDEN, ROOT, Golden
from tests.report.packed import packed_in
from tests.report.pages import PAGES

PATHS = {"report": "/var/lib/assay/activities/x/report.html"}
each = pytest.mark.parametrize("name", PAGES)


@each
def test_the_text_is_as_seen(name: str, golden: Golden) -> None:
    golden(GOLDEN / f"{name}.txt", text_report(PAGES[name](), paths=PATHS))


@each
def test_the_markdown_is_as_seen(name: str, golden: Golden) -> None:
    golden(GOLDEN / f"{name}.md", markdown_report(PAGES[name](), paths=PATHS))


@each
def test_the_html_is_as_seen_apart_from_the_libraries(name: str, golden: Golden) -> None:
    html = html_report(PAGES[name](), paths=PATHS)
    for block in ("library", "chart-data"):
        html = html.replace(packed_in(html, block), f"({block})")
    golden(GOLDEN / f"{name}.html", html)


@each
def test_the_charts_are_as_seen(name: str, golden: Golden) -> None:
    golden(
        GOLDEN / f"{name}.charts.json", json.dumps(charts(PAGES[name]()), indent=1, ensure_ascii=False) + "\n"
    )


@each
def test_the_json_is_as_seen(name: str, golden: Golden) -> None:
    golden(GOLDEN / f"{name}.json", to_json(PAGES[name]()))


def test_the_comparison_is_as_seen(comparison: ComparisonPage, golden: Golden) -> None:
    golden(GOLDEN / "comparison.txt", text_comparison(comparison))
    golden(GOLDEN / "comparison.md", markdown_comparison(comparison))
    golden(GOLDEN / "comparison.json", to_json(comparison))


def test_the_explanation_is_as_seen(golden: Golden) -> None:
    explanation = explanation_of(PAGES["phases"]())
    golden(GOLDEN / "explanation.txt", text_explanation(explanation))
    golden(GOLDEN / "explanation.json", to_json(explanation))


def test_the_terminal_picture_is_as_seen(golden: Golden) -> None:
    text = text_report(PAGES["quick"](), colour=True)
    golden(GOLDEN / "terminal.svg", terminal_svg(text, "assay evaluate quick"))


def test_the_published_schemas_are_those_of_the_dataclasses(golden: Golden) -> None:
    for root, title, name in (
        (Page, "assay.report 1.7", "report-v1"),
        (ComparisonPage, "assay.comparison 1.2", "comparison-v1"),
        (AnalysisPage, "assay.analysis 1.1", "analysis-v1"),
        (Explanation, "assay.explanation 1.2", "explanation-v1"),
        (Advice, "assay.advice 1.1", "advice-v1"),
        (FactorsPage, "assay.factors 1.0", "factors-v1"),
        (TryPage, "assay.try 1.1", "try-v1"),
        (ExportPage, "assay.export 1.1", "export-v1"),
        (ToolPage, "assay.tool-output 1.2", "tool-output-v1"),
        (FleetPage, "assay.fleet-report 1.0", "fleet-report-v1"),
        (SeveralPage, "assay.several-results 1.1", "several-results-v1"),
        (FilesPage, "assay.files 1.1", "files-v1"),
        (ForecastPage, "assay.forecast 1.0", "forecast-v1"),
        (ProductionPage, "assay.production 1.0", "production-v1"),
        (StartsPage, "assay.starts 1.1", "starts-v1"),
        (Tuning, "assay.tuning 1.2", "tuning-v1"),
    ):
        text = json.dumps(json_schema(root, title=title), indent=2, ensure_ascii=False) + "\n"
        golden(ROOT / "contracts" / f"{name}.schema.json", text)


def test_the_documented_context_is_that_of_the_dataclasses(golden: Golden) -> None:
    golden(ROOT / "docs" / "report.md", context_document())
