"""The context as JSON and back: full doubles, UTF-8, a newer major version refused."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any, TypeVar

from assay.model.files.json_text import parse_json
from assay.pages.advice import Advice
from assay.pages.analysis import AnalysisPage
from assay.pages.comparison import ComparisonPage
from assay.pages.context import Page
from assay.pages.decode import ContextError, decode, decode_text, defaults
from assay.pages.explanation import Explanation
from assay.pages.factor_page import ExportPage, FactorsPage, TryPage
from assay.pages.files import FilesPage
from assay.pages.fleet import FleetPage
from assay.pages.forecast import ForecastPage
from assay.pages.production import ProductionPage
from assay.pages.several import SeveralPage
from assay.pages.starts import StartsPage
from assay.pages.tool_page import ToolPage

AnyPage = TypeVar("AnyPage", Page, ComparisonPage, AnalysisPage)


Written = (
    Page
    | Advice
    | ComparisonPage
    | AnalysisPage
    | Explanation
    | FactorsPage
    | FilesPage
    | FleetPage
    | SeveralPage
    | TryPage
    | ExportPage
    | ForecastPage
    | ProductionPage
    | StartsPage
    | ToolPage
)


def to_json(page: Written) -> str:
    """Return the page as JSON with a newline at the end; schema and version come first.

    Raises:
        ValueError: a number is NaN or infinite, which a page never holds.
    """
    values = asdict(page)
    first = {name: values.pop(name) for name in ("schema", "version")}
    return json.dumps(first | values, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def from_json(data: bytes) -> Page:
    """Return the page of a result that ``to_json`` wrote.

    Raises:
        ContextError: not JSON, another format, a newer major version, or a field missing or of a wrong type.
    """
    return _read(Page, data)


def from_own_json(data: bytes) -> Page:
    """Return the page of a result from what this very version wrote, known to be unchanged since: its numbers
    and its version are not looked at again, which takes twice as long as reading it.

    Raises:
        ContextError: A field is missing or of a wrong type.
    """
    return decode_text(Page, data, "page")


def comparison_from_json(data: bytes) -> ComparisonPage:
    """Return the comparison that ``to_json`` wrote.

    Raises:
        ContextError: as ``from_json``.
    """
    return _read(ComparisonPage, data)


def _read(kind: type[AnyPage], data: bytes) -> AnyPage:
    values = _parse(data)
    known = defaults(kind)
    _check_version(values, known["schema"], known["version"])
    return decode(kind, values | {"version": list(known["version"])}, "page")


def _parse(data: bytes) -> dict[str, Any]:
    try:
        values = parse_json(data)
    except ValueError as error:
        raise ContextError(place="page", expected="JSON in UTF-8", actual=str(error)) from None
    if not isinstance(values, dict):
        raise ContextError(place="page", expected="an object", actual=type(values).__name__)
    return values


def _check_version(values: dict[str, Any], schema: str, version: tuple[int, int]) -> None:
    if values.get("schema") != schema:
        raise ContextError(place="page.schema", expected=f"'{schema}'", actual=repr(values.get("schema")))
    given = values.get("version")
    if not (isinstance(given, list) and len(given) == 2 and all(type(part) is int for part in given)):
        raise ContextError(place="page.version", expected="[major, minor]", actual=repr(given))
    if given[0] > version[0]:
        expected, actual = f"at most {version[0]}.x", f"{given[0]}.{given[1]}"
        raise ContextError(place="page.version", expected=expected, actual=actual, hint=NEWER)


NEWER = "read it with the version of assay that wrote it, or a newer one"
