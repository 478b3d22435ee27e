"""Flame graphs as a page shows them: pictures that run nothing inside the page, their files beside it."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from urllib.parse import quote


@dataclass(frozen=True)
class Flame:
    """One picture of a workload's profiles.

    Attributes:
        title: What it shows.
        svg: The picture, an SVG document; ``None`` where it could not be drawn.
        reason: Why it could not; ``None`` where it could.
        files: What each file of it is, and where: a path from the page, or an absolute one.
    """

    title: str
    svg: str | None
    reason: str | None = None
    files: tuple[tuple[str, str], ...] = ()

    @property
    def uri(self) -> str:
        """The picture as an image's address: browsers run no script and fetch nothing of such an image."""
        return "data:image/svg+xml;base64," + base64.b64encode((self.svg or "").encode()).decode()

    @property
    def links(self) -> tuple[tuple[str, str], ...]:
        """What each file is, and its address."""
        return tuple((what, quote(path)) for what, path in self.files)
