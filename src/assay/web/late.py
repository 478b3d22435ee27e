"""The sections of a long page: those that are long come once they are opened."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from urllib.parse import quote

from markupsafe import Markup

from assay.web.frame import templates

Section = Callable[[], str]
Late = Callable[[str, Section], str]
LONG = {"losses": 64_000, "differences": 64_000}
"""Longest section that is there at once, where it is another than ``AT_ONCE``."""
AT_ONCE = 16_000
PAGE = 150_000
"""All sections that are there at once."""
_TITLE = re.compile(r"<h2 [^>]*>(.*?)</h2>", re.DOTALL)


def long_ones_late(at: str, asked: str = "", *, surely: Mapping[str, str] | None = None) -> Late:
    """Return what puts the sections of one page into it: a long one by the address of its own page.

    Args:
        at: Address of the page.
        asked: What is asked of it, ``name=value``.
        surely: Titles of sections that are known to be long, by their place: they are not even made.
    """
    room, behind = PAGE, f"?{asked}" if asked else ""

    def later(place: str, title: str) -> Markup:
        stub = templates().get_template("later.html").module
        return Markup(stub.later(place, title, f"{at}/parts/{quote(place)}{behind}"))  # type: ignore[attr-defined] # noqa: S704 - a macro escapes

    def put(place: str, caller: Section) -> str:
        nonlocal room
        if surely and place in surely:
            return later(place, surely[place])
        section = caller()
        title = _TITLE.search(section)
        if title is not None and len(section) > min(LONG.get(place, AT_ONCE), room):
            return later(place, Markup(title[1]))  # noqa: S704 - it is markup already
        room -= len(section)
        return section

    return put


def one_alone(wanted: str) -> Late:
    """Return what leaves all sections of a page out but one."""
    return lambda place, caller: caller() if place == wanted else Markup()
