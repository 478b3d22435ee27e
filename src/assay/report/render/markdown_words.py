"""Tables, lists and words in Markdown; whatever they hold, they stay words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from assay.report.tables.tables import plain

_SPECIAL = re.compile(r"[\\`*|~]|(?<![^\W_])_|_(?![^\W_])|\](?=[(\[:])")
_START = re.compile(r"^(?=[-+#]+(?:\s|$)|\[)|^(\d+)(?=[.)](?:\s|$))")


def markdown_table(
    headers: Sequence[str], rows: Iterable[Sequence[str]], *, right: Iterable[int] = ()
) -> str:
    """Return a table in GitHub's notation, columns of ``right`` flush right."""
    flush = set(right)
    rule = ["---:" if at in flush else "---" for at in range(len(headers))]
    cells = [[escape(cell) for cell in row] for row in (headers, *rows)]
    return "\n".join(f"| {' | '.join(row)} |" for row in [cells[0], rule, *cells[1:]])


def bullets(lines: Iterable[str]) -> str:
    """Return a list, one item a line; an item that begins like a block of Markdown stays a sentence."""
    return "\n".join("- " + _START.sub(lambda match: match[0] + "\\", escape(line)) for line in lines)


def escape(text: str) -> str:
    """Return a text that Markdown shows as it is, on one line; harmless brackets and underscores
    stay bare.
    """
    marked = _SPECIAL.sub(lambda match: "\\" + match[0], plain(text))
    return marked.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def code(text: str) -> str:
    """Return a code span; its fence is longer than any run of backticks in it."""
    fence = "`" * (max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    space = " " if "`" in text else ""
    return f"{fence}{space}{plain(text)}{space}{fence}"


def commands(lines: Sequence[str]) -> str:
    """Return lines to be typed; a fence longer than any run of backticks in them."""
    runs = re.findall("`+", "\n".join(lines))
    fence = "`" * (1 + max(2, *map(len, runs), 2))
    return "\n".join([f"{fence}sh", *lines, fence])
