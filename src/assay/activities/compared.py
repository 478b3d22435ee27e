"""Two results compared, by what each activity kept of its own beside its page."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from assay.activities.summaries import MADE_BY
from assay.store.record import replace_file

if TYPE_CHECKING:
    from assay.pages.comparison import ComparisonPage
    from assay.results.comparison.side import Side

SIDE = "compared.json"


class Digests(Protocol):
    """Knows the pages that are kept: a store, or what was read of it."""

    def page_digest(self, activity: str, made_by: str) -> str | None:
        """Return the digest of a result's page as it was written with its summary, if that is still right."""
        ...


class Compared(Protocol):
    """A result: its identity, and the folder of its activity."""

    @property
    def id(self) -> str: ...  # noqa: D102
    @property
    def folder(self) -> Path: ...  # noqa: D102


def compared(
    store: Digests, a: Compared, b: Compared, treatments: tuple[str | None, str | None] = (None, None)
) -> ComparisonPage:
    """Return how much more result B loses than result A, metric by metric.

    What was kept of a result is read while its page is still right; anything else is made from its records.

    Args:
        store: Knows the pages that are kept.
        a: The first result.
        b: The second.
        treatments: Label of the one treatment of each that is compared; ``None`` is all.
    """
    from assay.results.comparison.compare import compare_results  # heavy, and to write a page needs it not

    kept = _kept_side(store, a), _kept_side(store, b)
    return compare_results(a.folder, b.folder, kept, treatments)


def keep_side(folder: Path, side: Side, page: bytes) -> None:
    """Keep what comparisons need of a result beside its page.

    Args:
        folder: The activity's folder.
        side: What they need.
        page: Content of the page's file, whose company it keeps.
    """
    from assay.results.comparison.side import to_text

    replace_file(folder / SIDE, to_text(side, made_by=MADE_BY, page=_digest(page)))


def _kept_side(store: Digests, result: Compared) -> Side | None:
    from assay.results.comparison.side import from_text

    page = store.page_digest(result.id, MADE_BY)
    if page is None:  # of another home: what lies in its folder is not ours
        return None
    try:
        text = (result.folder / SIDE).read_bytes()
    except OSError:
        return None
    return from_text(text, made_by=MADE_BY, page=page)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
