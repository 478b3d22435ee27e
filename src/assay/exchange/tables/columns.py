"""Columns that are gathered a stretch of rows at a time: most stretches at once, the others cell by cell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Generic, TypeVar

from assay.exchange.errors import TableError
from assay.exchange.tables.cells import absent
from assay.model.figures.coded import Coded
from assay.model.figures.measured import Lines

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Places = NDArray[np.intp]
    Mask = NDArray[np.bool_]

Value = TypeVar("Value")
Read = Callable[[object, str], Value]
"""Returns what a cell at a place holds; a ``TableError`` where it cannot."""
Fits = Callable[["Numbers"], "Mask"]
"""Tells of each number whether its column may hold it."""


class CodedColumn(Generic[Value]):
    """A column whose cells come again and again: each that is written in another way is read once.

    Args:
        read: Reads one cell.
    """

    def __init__(self, read: Read[Value]) -> None:
        self._read = read
        self._known: dict[Value, int] = {}
        self._cells = _Cells(lambda cell: self._code(read(cell, "")))
        self._codes: list[Places] = []

    def add(self, cells: Sequence[object], lines: Lines) -> None:
        """Add the cells of further rows.

        Raises:
            TableError: The column cannot hold one of them.
        """
        import numpy as np

        codes = self._at_once(cells)
        if codes is None:
            read = [self._code(self._read(cell, lines[at])) for at, cell in enumerate(cells)]
            codes = np.array(read, dtype=np.intp)
        self._codes.append(codes)

    def column(self) -> Coded[Value]:
        """Return the whole column; its values are in the order in which they first came."""
        import numpy as np

        return Coded(np.concatenate(self._codes), tuple(self._known))

    def _at_once(self, cells: Sequence[object]) -> Places | None:
        """Return the codes of cells, of which those that are equal are read alike; ``None`` of others."""
        import numpy as np

        if type(cells[0]) is str and cells[0] == cells[-1] and cells.count(cells[0]) == len(cells):
            return self._all_one(cells[0], len(cells))
        # 1, 1.0 and True are equal, and each is another word
        alike = joined(cells) is not None or all(
            kind in {str, int} or issubclass(kind, np.integer) for kind in set(map(type, cells))
        )
        try:
            return np.fromiter(map(self._cells.__getitem__, cells), np.intp, len(cells)) if alike else None
        except TableError:  # told again by its place
            return None

    def _all_one(self, cell: object, count: int) -> Places | None:
        import numpy as np

        try:
            return np.full(count, self._cells[cell], dtype=np.intp)
        except TableError:
            return None

    def _code(self, value: Value) -> int:
        return self._known.setdefault(value, len(self._known))


class _Cells(dict[object, int]):
    """Codes of cells as they are written."""

    def __init__(self, code: Callable[[object], int]) -> None:
        super().__init__()
        self._code = code

    def __missing__(self, cell: object) -> int:
        code = self[cell] = self._code(cell)
        return code


class NumberColumn:
    """A column of numbers.

    Args:
        read: Reads one cell; ``None`` is "not told".
        fits: What ``read`` takes of numbers.
        optional: Cells may be empty.
    """

    def __init__(self, read: Read[float | None], fits: Fits, *, optional: bool = False) -> None:
        self._read, self._fits, self._optional = read, fits, optional
        self._numbers: list[Numbers] = []

    def add(self, cells: Sequence[object], lines: Lines) -> None:
        """Add the cells of further rows.

        Raises:
            TableError: The column cannot hold one of them.
        """
        import numpy as np

        numbers = self._at_once(cells)
        if numbers is None:
            read = [self._read(cell, lines[at]) for at, cell in enumerate(cells)]
            numbers = np.array(read, dtype=np.float64)  # None is NaN
        self._numbers.append(numbers)

    def column(self) -> Numbers:
        """Return the whole column; NaN where a cell is empty."""
        import numpy as np

        return np.concatenate(self._numbers)

    def _at_once(self, cells: Sequence[object]) -> Numbers | None:
        """Return the numbers of cells; ``None`` where one needs a closer look."""
        numbers = floats_of(cells)
        if numbers is not None and self._fits(numbers).all():
            return numbers
        return self._of_those_told(cells) if self._optional else None

    def _of_those_told(self, cells: Sequence[object]) -> Numbers | None:
        import numpy as np

        told = np.array([not absent(cell) for cell in cells])
        some = floats_of([cell for cell, is_told in zip(cells, told, strict=True) if is_told])
        if some is None or not self._fits(some).all():
            return None
        numbers = np.full(len(cells), np.nan)
        numbers[told] = some
        return numbers


def floats_of(cells: Sequence[object]) -> Numbers | None:
    """Return cells as ``cells.as_float`` has them; ``None`` where one is no number."""
    import numpy as np

    letters = joined(cells)
    is_whole = letters is not None and letters.isascii() and letters.isdecimal()
    read = int if is_whole else float  # takes half as long, and gives the same
    if "_" in letters if letters is not None else not _may_be_numbers(cells):
        return None
    try:
        return np.fromiter(map(read, cells), np.float64, len(cells))  # type: ignore[arg-type]
    except (ValueError, TypeError, OverflowError):
        return None


def joined(cells: Sequence[object]) -> str | None:
    """Return all letters of cells that are words; ``None`` where one is none."""
    try:
        return "".join(cells)  # type: ignore[arg-type]
    except TypeError:
        return None


def _may_be_numbers(cells: Sequence[object]) -> bool:
    kinds = set(map(type, cells))
    if bool in kinds or not all(issubclass(kind, str) or hasattr(kind, "__float__") for kind in kinds):
        return False
    return not any("_" in cell for cell in cells if isinstance(cell, str))
