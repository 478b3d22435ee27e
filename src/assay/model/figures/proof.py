"""What an ablation says of a cause."""

from __future__ import annotations

from enum import StrEnum


class Proved(StrEnum):
    """What the interval of an ablation's share says against zero.

    ``CAUSED``: ablating it wins loss back. ``ADDS``: ablating it makes the loss larger. ``NOT_PROVED``: the
    interval holds zero, or there is none.
    """

    CAUSED = "caused"
    ADDS = "adds loss"
    NOT_PROVED = "not proved"
