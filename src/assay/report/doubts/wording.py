"""What a doubt says, and how it is looked up."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

from assay.model.doubt import Raised


class Wording(NamedTuple):
    """The words of a doubt.

    Attributes:
        sentence: One full sentence with the figures in it; a clause for a part of a doubt.
        next: The next step that depends on what was found; ``None`` where the code has one (``steps.NEXT``),
            or none.
    """

    sentence: str
    next: str | None = None


Wordings: TypeAlias = Mapping[str, Callable[..., Wording]]
"""By code, or ``code/case``, the function that takes the doubt's fields by name and words them."""


def wording_of(wordings: Wordings, doubt: Raised) -> Wording:
    """Word a doubt.

    Raises:
        KeyError: Nobody words it.
        TypeError: A field is missing for its wording, or is none of it.
    """
    return wordings[doubt.wording](**dict(doubt.fields))
