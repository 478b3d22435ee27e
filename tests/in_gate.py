"""Which of many values of a parameter are tried in the gate; the others, which say the same of more, in
``make test-all``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def in_gate(values: Iterable[Any], count: int) -> list[Any]:
    """Return values for ``parametrize``: the first ``count`` as they are, those that follow
    marked ``long``.
    """
    return [value if at < count else _long(value) for at, value in enumerate(values)]


def _long(value: Any) -> Any:
    words = value if isinstance(value, tuple) else (value,)
    return pytest.param(*words, marks=pytest.mark.long)
