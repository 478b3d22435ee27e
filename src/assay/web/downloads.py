"""What is given out to be kept: never shown by a browser, whatever it holds."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import quote

from fastapi.responses import Response, StreamingResponse

_OTHER = re.compile(r"[^A-Za-z0-9._-]+")


def attached(content: bytes | str | Iterable[str], name: str, kind: str) -> Response:
    """Return an answer that a browser saves as a file.

    Args:
        content: The whole, or its pieces.
        name: Name of the file.
        kind: Its media type.
    """
    plain = _OTHER.sub("_", name).lstrip(".") or "file"
    headers = {
        "content-disposition": f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"
    }
    if isinstance(content, bytes | str):
        return Response(content, media_type=kind, headers=headers)
    return StreamingResponse(iter(content), media_type=kind, headers=headers)
