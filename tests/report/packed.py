"""What a report's file holds packed."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any


def packed_in(html: str, name: str) -> str:
    """Return the text of a packed data block of a page."""
    return html.partition(f'<script type="text/plain" id="{name}">')[2].partition("</script>")[0]


def held_in(html: str, name: str) -> Any:
    """Return what a packed data block of a page holds: its ``charts``, or the ``library`` that draws."""
    return json.loads(zlib.decompress(base64.b64decode(packed_in(html, name), validate=True)))
