from pathlib import Path
from xml.etree import ElementTree

from assay.platforms.guests.mark import Mark, mark_element, mark_text, parse_mark


def test_a_mark_is_read_back_as_it_was_written() -> None:
    for pending in (True, False):
        mark = Mark("20261121-abc", Path("/var/lib/assay & more"), pending=pending)
        assert parse_mark(mark_text(mark)) == mark
        assert parse_mark(ElementTree.tostring(mark_element(mark), encoding="unicode")) == mark


def test_an_element_of_somebody_else_is_no_mark() -> None:
    assert parse_mark("<guest owner='x'/>") is None
