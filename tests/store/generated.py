"""Records and plans of any content that their types allow, and JSON that was changed in one place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

from assay.model.activity import ActivityPlan
from assay.model.trial import Trial

Path = tuple[str | int, ...]

# what JSON and a 64-bit column hold: no NaN, which equals nothing, and no half of a character
st.register_type_strategy(str, st.text(st.characters(exclude_categories=["Cs"]), max_size=8))
st.register_type_strategy(float, st.floats(allow_nan=False, allow_infinity=False))
st.register_type_strategy(int, st.integers(-(2**63), 2**63 - 1))

TRIALS = st.from_type(Trial)
PLANS = st.from_type(ActivityPlan)
OTHER = st.sampled_from([None, True, -1, 2**70, 1e300, "", "x", [], {}, [None], {"x": 1}])


def places(value: object, path: Path = ()) -> Iterator[Path]:
    """Yield the path of every value of a JSON document, the document's own first."""
    yield path
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in inside:
        yield from places(child, (*path, key))


def at(value: Any, path: Path) -> Any:
    """Return what stands at a path."""
    for step in path:
        value = value[step]
    return value
