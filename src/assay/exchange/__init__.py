"""Foreign formats in and out: what others measured, as values of the model.

Here belongs how another program's data is written. Nothing here opens a file or judges what a number
means: bytes or a table come in, values with their places go out.
"""

from assay.exchange.errors import TableError
from assay.exchange.tables.measurements import parse
from assay.exchange.tables.runs import spelling_notes, to_runs
from assay.exchange.tables.sheet import Sheet
from assay.exchange.tables.table import from_table

__all__ = ["Sheet", "TableError", "from_table", "parse", "spelling_notes", "to_runs"]
