"""The picture of a terminal is well-formed and says what the terminal said."""

from __future__ import annotations

from xml.etree import ElementTree

from assay.report.render.picture import terminal_svg
from assay.report.render.text import text_report
from tests.report.pages import PAGES

SVG = "{http://www.w3.org/2000/svg}"


def test_every_line_is_in_the_picture_as_it_was() -> None:
    text = text_report(PAGES["partial"]())
    root = ElementTree.fromstring(terminal_svg(text, 'assay <"&>'))
    lines = [node.text for node in root.findall(f"{SVG}g/{SVG}text")]
    assert lines == [line for line in text.splitlines() if line]
    assert root.get("aria-label") == 'assay <"&>'


def test_colours_are_left_out() -> None:
    page = PAGES["quick"]()
    assert terminal_svg(text_report(page, colour=True), "x") == terminal_svg(text_report(page), "x")
