"""A picture of terminal output for the README: an SVG with the very text in it."""

from __future__ import annotations

import re
from html import escape

from assay.report.tables.tables import plain, width

COLUMN, LINE, MARGIN, BAR = 8.4, 19, 18, 40
"""Pixels: a character of 14 px monospaced type, a line, the frame's margin, its title bar."""

_GRAPHIC = re.compile(r"\x1b\[[0-9;]*m")


def terminal_svg(text: str, title: str) -> str:
    """Return an SVG picture of terminal output in a dark frame.

    Args:
        text: What the terminal showed; colour sequences are left out, nothing is wrapped or cut.
        title: Shown in the frame's bar, usually the command; also the picture's accessible name.
    """
    lines = [plain(line.expandtabs()).rstrip() for line in _GRAPHIC.sub("", text).rstrip("\n").split("\n")]
    wide = round(max(80, *map(width, lines)) * COLUMN + 2 * MARGIN)
    high = BAR + len(lines) * LINE + MARGIN
    body = "\n".join(_line(line, BAR + (at + 1) * LINE - 5) for at, line in enumerate(lines) if line)
    return _FRAME.format(wide=wide, high=high, middle=wide / 2, title=escape(plain(title)), body=body)


def _line(line: str, y: float) -> str:
    # textLength keeps the columns where they are whatever monospaced font the reader has
    length = round(width(line) * COLUMN, 1)
    return f'<text x="{MARGIN}" y="{y}" textLength="{length}" xml:space="preserve">{escape(line)}</text>'


_FRAME = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" height="{high}" \
role="img" aria-label="{title}">
<title>{title}</title>
<rect width="{wide}" height="{high}" rx="10" fill="#14181f"/>
<circle cx="22" cy="20" r="6" fill="#ff5f57"/><circle cx="42" cy="20" r="6" fill="#febc2e"/>\
<circle cx="62" cy="20" r="6" fill="#28c840"/>
<text x="{middle}" y="25" text-anchor="middle" fill="#9aa5b1" \
font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="13">{title}</text>
<g fill="#e6e9ee" font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="14">
{body}
</g>
</svg>
"""  # noqa: E501
